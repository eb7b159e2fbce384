"""Other processes, for tests of what several of them do to one store.

A child is a fork of the test: it opens what it needs itself and leaves without any clean-up, as a
killed process would. Its exit status says how it went: 0 done, 70 a ``GitmemError``, 71 anything
else (the traceback is on standard error).

SQLite's locks belong to the process that opened the file. A child that outlives a connection which
was open at the fork would believe in locks that nobody holds: close before, open again after.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gitmem.errors import GitmemError
from tests.support.stores import open_store

DONE, EXPECTED, CRASHED = 0, 70, 71
NOBODY = 65534


def start(work: Callable[[], object]) -> int:
    """Run ``work`` in a child; its process id."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    status = CRASHED
    try:
        work()
        status = DONE
    except BaseException as error:
        status = EXPECTED if isinstance(error, GitmemError) else CRASHED
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)


def finish(pid: int) -> int:
    """Wait for a child; its exit status, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def run(work: Callable[[], object]) -> int:
    """Run ``work`` in a child and wait for it; its exit status."""
    return finish(start(work))


def runs(pid: int) -> bool:
    """Whether a process runs; one that nobody has buried yet does not. Reads ``/proc``."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def run_all(works: list[Callable[[], object]]) -> list[int]:
    """Run all at the same time; their exit statuses."""
    return [finish(pid) for pid in [start(work) for work in works]]


@contextmanager
def holding(path: str, statement: str = "BEGIN IMMEDIATE") -> Iterator[None]:
    """Another process holds the store's write lock (or whatever ``statement`` takes)."""
    ready, output = os.pipe()

    def hold() -> None:
        database = open_store(path)
        database.connection.execute(statement)
        os.write(output, b".")
        signal.pause()

    pid = start(hold)
    os.close(output)
    try:
        assert os.read(ready, 1), "the child could not take the lock"
        yield
    finally:
        os.close(ready)
        os.kill(pid, signal.SIGKILL)
        finish(pid)


def as_nobody(work: Callable[[], object]) -> Callable[[], object]:
    """``work`` without the rights of root; as it is where the tests do not run as root."""

    def unprivileged() -> object:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        return work()

    return unprivileged


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that an unprivileged child can reach (pytest's own are closed to others)."""
    with tempfile.TemporaryDirectory(prefix="gitmem-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def give_away(folder: Path) -> None:
    """Give a tree to the user whom ``as_nobody`` becomes."""
    if os.geteuid() == 0:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, NOBODY, NOBODY)


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes made by fork")
