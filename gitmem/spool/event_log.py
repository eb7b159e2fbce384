"""A log to which many processes append lines without waiting, and which one reads at a time.

A writer opens the file for appending and writes its lines with one call. The reader renames the
file, so that writers begin a new one. A writer may have opened the file just before and write to it
just after; so a file that was processed is kept for some seconds, with the length read in its name
and those lines blanked, and read again. A reader that dies leaves its file behind; the next one
takes it over, and the keys of the lines are the same, so that repeated ones are recognised.

Any program may have written there. Invalid lines are counted and skipped; a link, a pipe or a
folder in the file's place is neither written nor read, and never blocks. A full log accepts nothing
more until it was read.
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

EVENTS = "events"  # the default name of the file
SESSIONS = "sessions"  # the folder beside the store for what session hooks note
_WORK = ".work"
_LINGER = 10_000  # milliseconds that a writer may take between opening the file and writing
_LARGEST = 4 << 20  # bytes read of a file; writers stop at one or two megabytes
_FIRST = 64
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True, slots=True)
class UnreadLogSegment:
    """The part of a log file that no reader has discarded: ``content`` from ``start_offset`` on.

    Offsets are in bytes. ``file_key`` identifies the file, and is the same at each reading.
    """

    file_name: str
    file_key: str
    start_offset: int
    content: bytes

    @property
    def end_offset(self) -> int:
        """The position in the file where the segment ends."""
        return self.start_offset + len(self.content)


@dataclass(frozen=True, slots=True)
class LogLineBatch:
    """What ``take_line_batch`` read of a log, to be passed to ``discard_line_batch`` afterwards.

    ``file_read_offsets`` are (file name, number of bytes read from its beginning).
    """

    file_read_offsets: tuple[tuple[str, int], ...]
    invalid_line_count: int


def append_lines(folder: str, lines: bytes, *, max_bytes: int, log_name: str = EVENTS) -> bool:
    """Append complete lines to the log file ``log_name`` in ``folder``; returns whether it did.

    False if the file would grow beyond ``max_bytes`` bytes or is no regular file. A line end is
    written first, so that half a line left by a killed process spoils no other. Raises OSError.
    """
    content = b"\n" + lines
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _SAFE
    handle = os.open(os.path.join(folder, log_name), flags, 0o600)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size + len(content) > max_bytes:
            return False
        return os.write(handle, content) == len(content)
    finally:
        os.close(handle)


def take_line_batch(
    folder: str, parse_line: Callable[[bytes, str], T | None], *, now_ms: int, pid: int
) -> tuple[tuple[T, ...], LogLineBatch]:
    """Read what waits in a folder's log: (events, oldest first; a LogLineBatch to discard them).

    Only for the process that holds the folder's SpoolLease. ``parse_line`` makes an event of a line
    and of the line's key, or returns None for an invalid line. ``now_ms`` (milliseconds since 1970)
    and ``pid`` name the file to which the log is renamed. Nothing is removed before
    ``discard_line_batch``. Raises OSError.
    """
    rotate_log_file(folder, now_ms=now_ms, pid=pid)
    events: list[T] = []
    skipped = 0
    segments = read_unread_segments(folder)
    for segment in segments:
        parsed, missed = parse_log_lines(
            segment.content, parse_line, segment.file_key, segment.start_offset
        )
        events += parsed
        skipped += missed
    return tuple(events), LogLineBatch(
        tuple((segment.file_name, segment.end_offset) for segment in segments), skipped
    )


def discard_line_batch(folder: str, batch: LogLineBatch, *, now_ms: int) -> None:
    """Remove from the log what ``take_line_batch`` read, once it is processed.

    Files that a writer may still have open are only blanked. ``now_ms`` is in milliseconds since
    1970. May be repeated.
    """
    for name, end in batch.file_read_offsets:
        path = os.path.join(folder, name)
        _, key, start = _parts(name, EVENTS)
        with suppress(FileNotFoundError):
            if is_log_file_without_writer(key, now_ms) and os.lstat(path).st_size <= end:
                os.unlink(path)
            else:
                _blank(path, start, end)
                os.rename(path, os.path.join(folder, f"{EVENTS}.{key}.{end}{_WORK}"))


def rotate_log_file(
    folder: str,
    *,
    now_ms: int,
    pid: int,
    log_name: str = EVENTS,
    used_file_keys: Collection[str] = (),
) -> None:
    """Rename the current log file, so that writers begin a new one; does nothing if there is none.

    ``now_ms`` (milliseconds since 1970) and ``pid`` make its new name, which sorts after those of
    all files renamed earlier; ``used_file_keys`` are keys (TIME-PID) that it must not get. Raises
    OSError.
    """
    source = os.path.join(folder, log_name)
    if not os.path.isfile(source) or os.path.islink(source):
        return
    now_ms = max(
        [now_ms, *(_parts(file, log_name)[0] + 1 for file in _work_files(folder, log_name))]
    )
    while (key := f"{now_ms:015d}-{pid}") in used_file_keys:
        now_ms += 1
    os.rename(source, os.path.join(folder, f"{log_name}.{key}.0{_WORK}"))


def read_unread_segments(
    folder: str, *, log_name: str = EVENTS, read_offsets: dict[str, int] | None = None
) -> list[UnreadLogSegment]:
    """An UnreadLogSegment for every log file that was renamed for reading, oldest first.

    ``read_offsets`` (key of a file -> bytes read) overrides how far a file's name says it was read.
    """
    segments = []
    for file in _work_files(folder, log_name):
        _, key, start = _parts(file, log_name)
        start = (read_offsets or {}).get(key, start)
        segments.append(
            UnreadLogSegment(file, key, start, _read(os.path.join(folder, file), start))
        )
    return segments


def log_files_exist(folder: str, *, log_name: str = EVENTS) -> bool:
    """Whether the folder has any file of the log ``log_name``, be it read or not."""
    return os.path.lexists(os.path.join(folder, log_name)) or bool(_work_files(folder, log_name))


def read_current_log_file(folder: str, *, log_name: str = EVENTS) -> bytes:
    """The content of the log file that writers append to now; empty if there is none."""
    return _read(os.path.join(folder, log_name))


def read_all_log_files(folder: str) -> list[tuple[str, bytes]]:
    """The content of a folder's log files as (key of the file, bytes), also of those just read."""
    names = (*_work_files(folder, EVENTS), EVENTS)
    return [(_parts(name, EVENTS)[1], _read(os.path.join(folder, name))) for name in names]


def count_unread_log_bytes(folder: str) -> int:
    """The number of unread bytes in a folder's log; 0 also if there is no log.

    Files that cannot be read count as read.
    """
    total = 0
    for name in (EVENTS, *_work_files(folder, EVENTS)):
        path = os.path.join(folder, name)
        with suppress(OSError):
            status = os.lstat(path)
            if stat.S_ISREG(status.st_mode) and os.access(path, os.R_OK):
                total += status.st_size - _parts(name, EVENTS)[2]
    return total


def is_log_processing_due(
    folder: str,
    now_ms: int,
    *,
    parse_line_time_ms: Callable[[bytes], int],
    max_wait_ms: int,
    min_bytes: int,
) -> bool:
    """Whether the lines waiting in a folder's log are many or old enough to be processed now.

    That is at least ``min_bytes`` bytes, or a first line ``max_wait_ms`` milliseconds old.
    ``parse_line_time_ms`` returns the time of the first line, in milliseconds since 1970, from the
    first 64 bytes of the file.
    """
    try:
        with _opened(os.path.join(folder, EVENTS)) as file:
            first = parse_line_time_ms(file.read(_FIRST))
            size = os.fstat(file.fileno()).st_size
    except OSError:
        return False
    # If the clock went back, events must not wait for as long as it had been ahead.
    return size >= min_bytes or (size > 0 and not 0 <= now_ms - first < max_wait_ms)


def remove_log_files(folder: str) -> None:
    """Remove every file of the folder's log, with what nobody has read yet."""
    for name in (*_work_files(folder, EVENTS), EVENTS):
        with suppress(OSError):
            os.unlink(os.path.join(folder, name))


def parse_log_lines(
    content: bytes,
    parse_line: Callable[[bytes, str], T | None],
    file_key: str,
    start_offset: int = 0,
) -> tuple[list[T], int]:
    """The events in the content of a log file, and the number of invalid lines.

    ``parse_line`` makes an event of a line and of the line's key, which is ``file_key``, a colon
    and the line's position in bytes; None for an invalid line. The content begins at
    ``start_offset`` of the file. A last line without line end is invalid.
    """
    events: list[T] = []
    skipped, at = 0, start_offset
    lines = content.split(b"\n")  # splitlines would also cut at carriage returns
    for number, line in enumerate(lines):
        parsed = parse_line(line, f"{file_key}:{at}") if number < len(lines) - 1 else None
        at += len(line) + 1
        if parsed is not None:
            events.append(parsed)
        elif line.strip(b"\0 \t\r"):
            skipped += 1
    return events, skipped


def is_log_file_without_writer(file_key: str, now_ms: int) -> bool:
    """Whether a log file was renamed over 10 seconds ago, so that no writer still has it open."""
    return abs(now_ms - int(file_key.partition("-")[0])) > _LINGER


def _parts(file: str, name: str) -> tuple[int, str, int]:
    """(time of renaming, key, length read) from a file's name; time -1 for any other file."""
    key, _, end = file.removeprefix(name + ".").removesuffix(_WORK).partition(".")
    time = key.partition("-")[0]
    if not (time.isdecimal() and (end or "0").isdecimal()):
        return -1, file, 0
    return int(time), key, int(end or 0)


def _work_files(folder: str, name: str) -> list[str]:
    """The renamed files, oldest first."""
    try:
        with os.scandir(folder) as entries:
            # Never a link, nor a pipe, on which the reader would block.
            names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    except OSError:
        return []
    begin = name + "."
    log_files = (name for name in names if name.startswith(begin) and name.endswith(_WORK))
    return sorted(file for file in log_files if _parts(file, name)[0] >= 0)


def _read(path: str, start: int = 0) -> bytes:
    """A file's content from ``start`` on; empty where it cannot be read."""
    try:
        with _opened(path) as file:
            file.seek(start)
            return file.read(_LARGEST)
    except OSError:
        return b""


def _blank(path: str, start: int, end: int) -> None:
    """Overwrite what was read of a file; writers only append.

    Lines hold names chosen by users, so they are not kept longer than needed.
    """
    handle = os.open(path, os.O_WRONLY | _SAFE)
    try:
        os.lseek(handle, start, os.SEEK_SET)
        os.write(handle, b"\n" * (min(end, os.fstat(handle).st_size) - start))
    finally:
        os.close(handle)


def _opened(path: str) -> BufferedReader:
    """Open a file for reading, without blocking on a pipe. Raises OSError."""
    return open(os.open(path, os.O_RDONLY | _SAFE), "rb")
