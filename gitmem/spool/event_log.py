"""An append-only log: many processes append lines and wait for nobody, one at a time reads them.

A writer opens the file for appending and writes its lines with one call. The reader renames the
file away, so writers begin a new one. A writer may have opened the file just before and write to it
just after; so a file whose lines are done is kept for some seconds, its name telling how far it was
read and those lines blanked, and looked at again. A reader that dies leaves its file behind; the
next one takes it over, and the keys of the lines are the same again, so what was done already can
be told.

Any program may have written there. A line that makes no sense is counted and skipped; a link, a
pipe or a folder in the file's place is neither written nor read, and nobody waits for it. A full
log takes nothing more until it was read.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 10 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from io import BufferedReader
    from typing import TypeVar

    T = TypeVar("T")

EVENTS = "events"  # the file's name, where it is alone in a folder
SESSIONS = "sessions"  # the folder beside the store for what session hooks note
_WORK = ".work"
_LINGER = 10_000  # milliseconds that a writer may take between opening the file and writing
_LARGEST = 4 << 20  # bytes read of one file; writers stop at one or two megabytes
_FIRST = 64
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True, slots=True)
class Segment:
    """What one file holds that was not read yet: ``content``, which begins at ``start``.

    ``key`` names the file, and is the same each time it is read.
    """

    name: str
    key: str
    start: int
    content: bytes

    @property
    def end(self) -> int:
        """How far the file is read with this."""
        return self.start + len(self.content)


@dataclass(frozen=True, slots=True)
class Batch:
    """What was taken, to be given to ``done``. ``skipped``: lines that made no sense.

    ``read``: the files and how far each was read.
    """

    read: tuple[tuple[str, int], ...]
    skipped: int


def append(folder: str, lines: bytes, *, most: int, name: str = EVENTS) -> bool:
    """Add whole lines; whether there was room: the file never grows beyond ``most`` bytes.

    They begin with a line end of their own: half a line, of a process that was cut off or a disk
    that was full, spoils no other. Raises OSError.
    """
    content = b"\n" + lines
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _SAFE
    handle = os.open(os.path.join(folder, name), flags, 0o600)
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_size + len(content) > most:
            return False
        return os.write(handle, content) == len(content)
    finally:
        os.close(handle)


def take(
    folder: str, event: Callable[[bytes, str], T | None], *, now: int, pid: int
) -> tuple[tuple[T, ...], Batch]:
    """What waits, oldest file first; call ``done`` when it was dealt with.

    For the holder of the lease only. ``event`` makes an event of a line and its key, or None.
    ``now`` (milliseconds) and ``pid`` name the file that is set aside. Raises OSError where the
    log cannot be read.
    """
    set_aside(folder, now=now, pid=pid)
    events: list[T] = []
    skipped = 0
    segments = unread(folder)
    for one in segments:
        found, missed = parse(one.content, event, one.key, one.start)
        events += found
        skipped += missed
    return tuple(events), Batch(tuple((one.name, one.end) for one in segments), skipped)


def done(folder: str, batch: Batch, *, now: int) -> None:
    """Forget what is in a batch: its lines are blanked, and files that are over removed.

    Safe to call again. ``now`` as for ``take``.
    """
    for name, end in batch.read:
        path = os.path.join(folder, name)
        _, key, start = _parts(name, EVENTS)
        with suppress(FileNotFoundError):
            if is_over(key, now) and os.lstat(path).st_size <= end:
                os.unlink(path)
            else:
                _blank(path, start, end)
                os.rename(path, os.path.join(folder, f"{EVENTS}.{key}.{end}{_WORK}"))


def set_aside(
    folder: str, *, now: int, pid: int, name: str = EVENTS, taken: Collection[str] = ()
) -> None:
    """Give the file a name of its own, with a key that is not ``taken``. Raises OSError.

    It sorts behind every file that was set aside before, also where the time is the same or went
    back: events are dealt with in the order in which they happened.
    """
    source = os.path.join(folder, name)
    if not os.path.isfile(source) or os.path.islink(source):
        return
    now = max([now, *(_parts(one, name)[0] + 1 for one in _work_files(folder, name))])
    while (key := f"{now:015d}-{pid}") in taken:
        now += 1
    os.rename(source, os.path.join(folder, f"{name}.{key}.0{_WORK}"))


def unread(
    folder: str, *, name: str = EVENTS, known: dict[str, int] | None = None
) -> list[Segment]:
    """What is unread of every file that was set aside, oldest first.

    How far a file was read its name tells, or ``known``, by its key.
    """
    found = []
    for one in _work_files(folder, name):
        _, key, start = _parts(one, name)
        start = (known or {}).get(key, start)
        found.append(Segment(one, key, start, _read(os.path.join(folder, one), start)))
    return found


def exists(folder: str, *, name: str = EVENTS) -> bool:
    """Whether there is a file of the log, read or not."""
    return os.path.lexists(os.path.join(folder, name)) or bool(_work_files(folder, name))


def fresh(folder: str, *, name: str = EVENTS) -> bytes:
    """What was written since the file was last set aside."""
    return _read(os.path.join(folder, name))


def everything(folder: str) -> list[tuple[str, bytes]]:
    """(key, content) of all files, also of what was read and is not done yet."""
    names = (*_work_files(folder, EVENTS), EVENTS)
    return [(_parts(one, EVENTS)[1], _read(os.path.join(folder, one))) for one in names]


def waiting(folder: str) -> int:
    """How many bytes wait that can be read; 0 also where there is no log.

    A drain works until nothing waits: what nobody can read must not keep it at work for ever.
    """
    total = 0
    for name in (EVENTS, *_work_files(folder, EVENTS)):
        path = os.path.join(folder, name)
        with suppress(OSError):
            found = os.lstat(path)
            if stat.S_ISREG(found.st_mode) and os.access(path, os.R_OK):
                total += found.st_size - _parts(name, EVENTS)[2]
    return total


def due(folder: str, now: int, *, at: Callable[[bytes], int], patience_ms: int, many: int) -> bool:
    """Whether what waits is worth a process: ``many`` bytes, or for long. One small read.

    ``at`` reads the time of the first line, in milliseconds, from how the file begins.
    """
    try:
        with _opened(os.path.join(folder, EVENTS)) as file:
            first = at(file.read(_FIRST))
            size = os.fstat(file.fileno()).st_size
    except OSError:
        return False
    # A clock that went back must not keep events for as long as it was ahead.
    return size >= many or (size > 0 and not 0 <= now - first < patience_ms)


def remove(folder: str) -> None:
    """Remove every file of the log, read or not."""
    for name in (*_work_files(folder, EVENTS), EVENTS):
        with suppress(OSError):
            os.unlink(os.path.join(folder, name))


def parse(
    content: bytes, event: Callable[[bytes, str], T | None], key: str, start: int = 0
) -> tuple[list[T], int]:
    """The events in a file, and the number of lines that made no sense.

    Half a line at the end counts as one: lines are written whole, so the write was cut off.
    ``key`` names the file, in which the content begins at ``start``; an event's own key adds where
    its line begins.
    """
    events: list[T] = []
    skipped, at = 0, start
    lines = content.split(b"\n")  # splitlines would also cut at carriage returns
    for number, line in enumerate(lines):
        found = event(line, f"{key}:{at}") if number < len(lines) - 1 else None
        at += len(line) + 1
        if found is not None:
            events.append(found)
        elif line.strip(b"\0 \t\r"):
            skipped += 1
    return events, skipped


def is_over(key: str, now: int) -> bool:
    """Whether nobody writes to a file any more, also where the clock went back since."""
    return abs(now - int(key.partition("-")[0])) > _LINGER


def _parts(file: str, name: str) -> tuple[int, str, int]:
    """When a file was set aside, its key, and how far it was read; -1 where it is none of ours."""
    key, _, end = file.removeprefix(name + ".").removesuffix(_WORK).partition(".")
    time = key.partition("-")[0]
    if not (time.isdecimal() and (end or "0").isdecimal()):
        return -1, file, 0
    return int(time), key, int(end or 0)


def _work_files(folder: str, name: str) -> list[str]:
    """Files set aside and not yet done, oldest first."""
    try:
        with os.scandir(folder) as entries:
            # Never a link, and no pipe, which would make the reader wait.
            names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    except OSError:
        return []
    begin = name + "."
    ours = (one for one in names if one.startswith(begin) and one.endswith(_WORK))
    return sorted(one for one in ours if _parts(one, name)[0] >= 0)


def _read(path: str, start: int = 0) -> bytes:
    """A file's content from ``start`` on; empty where it cannot be read."""
    try:
        with _opened(path) as file:
            file.seek(start)
            return file.read(_LARGEST)
    except OSError:
        return b""


def _blank(path: str, start: int, end: int) -> None:
    """Overwrite what was read of a file. Writers, who append, are not in the way of it.

    A line holds names as somebody chose them, so it lies here no longer than it has to.
    """
    handle = os.open(path, os.O_WRONLY | _SAFE)
    try:
        os.lseek(handle, start, os.SEEK_SET)
        os.write(handle, b"\n" * (min(end, os.fstat(handle).st_size) - start))
    finally:
        os.close(handle)


def _opened(path: str) -> BufferedReader:
    """A file, open for reading; nobody waits for a pipe. Raises OSError."""
    return open(os.open(path, os.O_RDONLY | _SAFE), "rb")
