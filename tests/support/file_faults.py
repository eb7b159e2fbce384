"""Files that fail: the file system that SQLite sees, and limits of the operating system.

    with failing_files() as files:
        connection = apsw.Connection(path, flags, vfs=files.name)
        files.fail_at(7, apsw.SQLITE_IOERR_READ, lasting=True)
        ...
        assert files.failed

Calls are counted from 0. Those named in ``calls`` fail, all others pass through. With
``kill_at`` the process is killed instead, before one of the calls by which SQLite or gitmem itself
changes files.
"""

from __future__ import annotations

import itertools
import linecache
import os
import resource
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import apsw
import pytest

WRITING = ("xWrite", "xSync", "xTruncate")
# Of Python's calls those that change names, and those that make a file or wait for the disk.
PYTHON = ("mkdir", "link", "rename", "replace", "unlink", "remove", "rmdir", "open", "fsync")
CHANGING = (*WRITING, "xDelete", *PYTHON)
_NUMBERS = itertools.count()


def limited(size: int) -> None:
    """No file of this process grows beyond ``size`` bytes from now on."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class FailingFiles(apsw.VFS):
    """The operating system's files, of which the n-th of some calls fails."""

    def __init__(self, *, default: bool) -> None:
        self.name, self.base = f"failing-{next(_NUMBERS)}", apsw.vfs_names()[0]
        super().__init__(self.name, self.base, makedefault=default)
        self.left, self.lasting, self.code, self.failed = -1, False, apsw.SQLITE_FULL, 0
        self.calls: tuple[str, ...] = WRITING
        self.seen: Counter[str] = Counter()  # how often each call was made at all
        self.kills = False

    def fail_at(
        self, call: int, code: int, *, lasting: bool, calls: tuple[str, ...] = WRITING
    ) -> None:
        """Let the ``call``-th of these calls fail with an SQLite code, and all later if lasting."""
        self.left, self.code, self.lasting, self.calls, self.failed = call, code, lasting, calls, 0

    def kill_at(self, call: int) -> None:
        """Kill this process before the ``call``-th change of any file from now on."""
        self.fail_at(call, 0, lasting=True, calls=CHANGING)
        self.kills = True

    def stop(self) -> int:
        """Fail no more; how many calls failed since ``fail_at``."""
        self.left, self.kills = -1, False
        return self.failed

    def check(self, name: str) -> None:
        """Count a call, and fail where it is its turn.

        What fails while SQLite closes a file it ignores; apsw would raise it. So nothing does.
        """
        if not self.kills and _closes(sys._getframe(2)):
            return
        self.seen[name] += 1
        if self.left < 0 or name not in self.calls:
            return
        if self.left == 0:
            if self.kills:
                os.kill(os.getpid(), signal.SIGKILL)
            self.failed += 1
            self.left = 0 if self.lasting else -1
            raise apsw.exception_for(self.code)
        self.left -= 1

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        self.check("xOpen")
        return FailingFile(self, name, flags)

    def xDelete(self, name: str, sync: bool) -> None:
        self.check("xDelete")
        super().xDelete(name, sync)

    def xAccess(self, name: str, flags: int) -> bool:
        self.check("xAccess")
        return super().xAccess(name, flags)


class FailingFile(apsw.VFSFile):
    """One file of ``FailingFiles``."""

    def __init__(self, files: FailingFiles, name: Any, flags: list[int]) -> None:
        super().__init__(files.base, name, flags)
        self.files = files

    def xRead(self, amount: int, offset: int) -> bytes:
        self.files.check("xRead")
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:
        self.files.check("xWrite")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        self.files.check("xSync")
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:
        self.files.check("xTruncate")
        super().xTruncate(size)

    def xFileSize(self) -> int:
        self.files.check("xFileSize")
        return super().xFileSize()

    def xLock(self, level: int) -> None:
        self.files.check("xLock")
        super().xLock(level)


@contextmanager
def python_counts(files: FailingFiles, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Within the block what Python asks of the system is counted with the calls of SQLite."""

    def counted(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def made(*values: Any, **options: Any) -> Any:
            if name != "open" or values[1] & (os.O_CREAT | os.O_TRUNC | os.O_WRONLY):
                files.check(name)
            return call(*values, **options)

        return made

    with patch.context() as within:
        for name in PYTHON:
            within.setattr(os, name, counted(name, getattr(os, name)))
        yield


def _closes(frame: FrameType | None) -> bool:
    """Whether the line of Python that called SQLite closes a connection."""
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    if frame is None:
        return False
    return ".close()" in linecache.getline(frame.f_code.co_filename, frame.f_lineno)


@contextmanager
def failing_files(*, default: bool = False) -> Iterator[FailingFiles]:
    """A file system of this kind, until the block ends; ``default`` is for every store."""
    files = FailingFiles(default=default)
    try:
        yield files
    finally:
        files.unregister()
