"""Reading what the hooks noted: ``.gitmem/spool/events``, one line an event.

A hook opens the file for appending and writes one line. The reader renames the file away, so hooks
begin a new one. A hook may have opened the file just before and write to it just after; so a file
whose events are done is kept for some seconds, its name telling how far it was read, and looked at
again. A reader that dies leaves its file behind; the next one takes it over, and the keys of the
events are the same again, so what was done already can be told. A line that makes no sense is
counted and skipped: any program may have written there.
"""

from __future__ import annotations

import os
from contextlib import suppress

from gitmem.model.frozen import dataclass

SPOOL = "spool"
LOCK = "lock"
HINT = "drain"  # the process id of the last drain started, for the hooks
_EVENTS = "events"
_WORK = ".work"
_LINGER = 10_000  # milliseconds that a hook may take between opening the file and writing
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

    ``commit`` is where HEAD stood afterwards. A long rebase comes as several events. No pairs: the
    hook shares its input with another tool, and only the reflog knows what was amended.
    """

    key: str
    at: int | None
    ref: str
    commit: str
    command: str
    pairs: tuple[tuple[str, str], ...]


Event = Committed | Merged | CheckedOut | Rewritten


@dataclass(frozen=True, slots=True)
class Batch:
    """The events of one take, oldest file first. ``skipped``: lines that made no sense.

    ``read``: the files and how far each was read.
    """

    events: tuple[Event, ...]
    skipped: int
    read: tuple[tuple[str, int], ...]


def take(folder: str, *, now: int, pid: int) -> Batch:
    """What waits in the spool ``folder``; call ``done`` when it was dealt with.

    For the holder of the lease only. ``now`` (milliseconds) and ``pid`` name the file that is set
    aside. Raises OSError where the spool cannot be read.
    """
    events: list[Event] = []
    skipped = 0
    read = []
    for name, key, start, content in set_aside(folder, now=now, pid=pid):
        found, missed = parse(content, key, start)
        events += found
        skipped += missed
        read.append((name, start + len(content)))
    return Batch(tuple(events), skipped, tuple(read))


def set_aside(folder: str, *, now: int, pid: int) -> list[tuple[str, str, int, bytes]]:
    """Rename the file away; (name, key, where its content begins, content) of all set aside.

    The oldest first. As ``take``, for a spool of lines of another kind.
    """
    source = os.path.join(folder, _EVENTS)
    if os.path.isfile(source) and not os.path.islink(source):
        os.rename(source, os.path.join(folder, f"{_EVENTS}.{_free(folder, now, pid)}.0{_WORK}"))
    found = []
    for name in _work_files(folder):
        _, key, start = _parts(name)
        found.append((name, key, start, _read(os.path.join(folder, name), start)))
    return found


def done(folder: str, batch: Batch, *, now: int) -> None:
    """Forget the events of a batch. Safe to call again. ``now`` as for ``take``."""
    for name, end in batch.read:
        path = os.path.join(folder, name)
        taken, key, _ = _parts(name)
        with suppress(FileNotFoundError):
            if now - taken > _LINGER and os.lstat(path).st_size <= end:
                os.unlink(path)
            else:
                os.rename(path, os.path.join(folder, f"{_EVENTS}.{key}.{end}{_WORK}"))


def waiting(folder: str) -> int:
    """How many bytes wait to be read; 0 also where there is no spool."""
    total = 0
    for name in (_EVENTS, *_work_files(folder)):
        with suppress(OSError):
            total += os.lstat(os.path.join(folder, name)).st_size - _parts(name)[2]
    return total


def everything(folder: str) -> list[tuple[str, bytes]]:
    """(key, content) of all files, also of what was read before and is still there."""
    found = []
    for name in (*_work_files(folder), _EVENTS):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and not os.path.islink(path):
            found.append((_parts(name)[1], _read(path)))
    return found


def clear(folder: str) -> None:
    """Remove the folder if nothing waits in it."""
    if waiting(folder):
        return
    for name in (*_work_files(folder), _EVENTS, HINT, LOCK):
        with suppress(OSError):
            os.unlink(os.path.join(folder, name))
    with suppress(OSError):
        os.rmdir(folder)


def parse(content: bytes, key: str, start: int = 0) -> tuple[list[Event], int]:
    """The events in a file, and the number of lines that made no sense.

    Half a line at the end counts as one: the write was cut off. ``key`` names the file, in
    which the content begins at ``start``; an event's own key adds where its line begins.
    """
    events: list[Event] = []
    skipped, at = 0, start
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
        return Rewritten(key, at, ref, commit, command, pairs)
    return None


def _is_id(text: str) -> bool:
    return len(text) in (40, 64) and _HEX.issuperset(text)


def _free(folder: str, now: int, pid: int) -> str:
    """A key that no file has: the time may be the same twice."""
    taken = {_parts(name)[1] for name in _work_files(folder)}
    while (key := f"{now:015d}-{pid}") in taken:
        now += 1
    return key


def _parts(name: str) -> tuple[int, str, int]:
    """When a file was set aside, its key, and how far it was read."""
    words = name.split(".")
    if len(words) != 4 or not words[2].isdecimal():
        return 0, name, 0
    time = words[1].partition("-")[0]
    return int(time) if time.isdecimal() else 0, words[1], int(words[2])


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
            return file.read(_LARGEST)
    except OSError:
        return b""
