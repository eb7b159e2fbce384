"""Reading what the hooks noted: ``.gitmem/spool/events``, one line an event.

A hook opens the file for appending and writes one line. The reader renames the file away, so hooks
begin a new one, and deletes it when its events are done. A reader that dies leaves its file behind;
the next one takes it over, and the keys of the events are the same again, so what was done already
can be told. A line that makes no sense is counted and skipped: any program may have written there.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass

SPOOL = "spool"
HINT = "drain"  # the process id of the last drain started, for the hooks
_EVENTS = "events"
_WORK = ".work"
_MAGIC = "gm1"
_LARGEST = 4 << 20  # bytes read of one file; hooks stop writing at one or two megabytes
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Committed:
    """A commit was made. ``commit`` is empty where the hook could not tell.

    Of all events: ``key`` is the same each time this line is read; ``at`` is seconds since the
    epoch, None where the shell has no clock; ``ref`` is the branch's full name, empty where HEAD
    is detached or the hook did not tell.
    """

    key: str
    at: int | None
    ref: str
    commit: str


@dataclass(frozen=True, slots=True)
class Merged:
    """A merge or a fast-forward ended at ``commit``; ``squash``: nothing was committed."""

    key: str
    at: int | None
    ref: str
    commit: str
    squash: bool


@dataclass(frozen=True, slots=True)
class CheckedOut:
    """HEAD went from ``old`` to ``new``; not ``branch``: files were checked out."""

    key: str
    at: int | None
    ref: str
    old: str
    new: str
    branch: bool


@dataclass(frozen=True, slots=True)
class Rewritten:
    """``command`` (amend or rebase) replaced commits: pairs of old and new.

    A long rebase comes as several events. No pairs: the hook shares its input with another tool,
    and only the reflog knows what was amended.
    """

    key: str
    at: int | None
    ref: str
    command: str
    pairs: tuple[tuple[str, str], ...]


Event = Committed | Merged | CheckedOut | Rewritten


@dataclass(frozen=True, slots=True)
class Batch:
    """The events of one take, oldest file first. ``skipped``: lines that made no sense.

    ``sizes``: the files and how many bytes of each were read.
    """

    events: tuple[Event, ...]
    skipped: int
    sizes: tuple[tuple[str, int], ...]


def take(folder: str, *, now: int, pid: int) -> Batch:
    """What waits in the spool ``folder``; call ``done`` when it was dealt with.

    For the holder of the lease only. ``now`` (milliseconds) and ``pid`` name the file that is set
    aside. Raises OSError where the spool cannot be read.
    """
    source = os.path.join(folder, _EVENTS)
    if os.path.isfile(source) and not os.path.islink(source):
        os.rename(source, os.path.join(folder, f"{_EVENTS}.{now:015d}-{pid}{_WORK}"))
    events: list[Event] = []
    skipped = 0
    sizes = []
    for name in _work_files(folder):
        content = _read(os.path.join(folder, name))
        found, missed = parse(content, name.removesuffix(_WORK))
        events += found
        skipped += missed
        sizes.append((name, len(content)))
    return Batch(tuple(events), skipped, tuple(sizes))


def done(folder: str, batch: Batch, *, now: int, pid: int) -> None:
    """Forget the events of a batch. Safe to call again.

    A hook that opened the file before it was renamed may have written since: its line is kept for
    the next take.
    """
    for number, (name, size) in enumerate(batch.sizes):
        path = os.path.join(folder, name)
        late = _read(path, start=size) if size < _LARGEST else b""
        if late:
            kept = os.path.join(folder, f"{_EVENTS}.{now:015d}-{pid}-{number}{_WORK}")
            with open(kept, "xb") as file:
                file.write(late)
        with suppress(FileNotFoundError):
            os.unlink(path)


def waiting(folder: str) -> int:
    """How many bytes wait to be read; 0 also where there is no spool."""
    total = 0
    for name in (_EVENTS, *_work_files(folder)):
        with suppress(OSError):
            total += os.lstat(os.path.join(folder, name)).st_size
    return total


def parse(content: bytes, key: str) -> tuple[list[Event], int]:
    """The events in a file, and the number of lines that made no sense.

    Half a line at the end counts as one: the write was cut off. ``key`` names the file; an
    event's own key adds where its line begins.
    """
    events: list[Event] = []
    skipped = at = 0
    for line in _lines(content):
        event = _event(line, f"{key}:{at}") if line.endswith(b"\n") else None
        at += len(line)
        if event is not None:
            events.append(event)
        elif line.strip(b"\0 \t\r\n"):
            skipped += 1
    return events, skipped


def _lines(content: bytes) -> list[bytes]:
    """The lines with their ends; ``splitlines`` would also cut at carriage returns."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines


def _event(line: bytes, key: str) -> Event | None:
    """The event of a line; of one that was glued to half a line before it, the later one."""
    text = os.fsdecode(line[:-1])
    words = text[max(text.rfind(_MAGIC + " "), 0) :].split(" ")
    if len(words) < 5 or words[0] != _MAGIC or "\0" in text:
        return None
    _, word, time, ref, commit, *rest = words
    at = int(time) if time.isdecimal() and len(time) < 12 else None
    ref = ref if ref.startswith("refs/") else ""
    if not (_is_id(commit) or commit == "-"):
        return None
    commit = commit.strip("-")
    if word == "commit" and not rest:
        return Committed(key, at, ref, commit)
    if word == "merge" and len(rest) == 1:
        return Merged(key, at, ref, commit, rest[0] == "1")
    if word == "checkout" and len(rest) == 3 and _is_id(rest[0]) and _is_id(rest[1]):
        return CheckedOut(key, at, ref, rest[0], rest[1], rest[2] == "1")
    if word == "rewrite" and len(rest) % 2 == 1 and all(map(_is_id, rest[1:])):
        command = rest[0] if rest[0] in ("amend", "rebase") else "other"
        pairs = tuple(zip(rest[1::2], rest[2::2], strict=True))
        return Rewritten(key, at, ref, command, pairs)
    return None


def _is_id(text: str) -> bool:
    return len(text) in (40, 64) and _HEX.issuperset(text)


def _work_files(folder: str) -> list[str]:
    """Files set aside and not yet done, oldest first."""
    try:
        with os.scandir(folder) as entries:
            # Never a link, and no pipe, which would make the drain wait.
            names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    except OSError:
        return []
    return sorted(n for n in names if n.startswith(_EVENTS + ".") and n.endswith(_WORK))


def _read(path: str, start: int = 0) -> bytes:
    """A file's content from ``start`` on; empty where it cannot be read."""
    try:
        with open(path, "rb") as file:
            file.seek(start)
            return file.read(_LARGEST - start)
    except OSError:
        return b""
