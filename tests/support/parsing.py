"""The processes that read syntax, forked from one that has loaded what they need.

An index run starts one, and starting it costs ten times what it does for a test: 75 ms of CPU for
Python, the libraries and a grammar. A fork is a process as any other, with limits, streams and an
end of its own. How the program starts one itself is tested where that is the point
(``tests/indexing/test_worker_pool.py``), and by every test that runs the program.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from gitmem.indexing import worker_pool
from gitmem.indexing.worker_pool import Limits

# Isolated and without site, as the program starts it.
_SERVE = """
import gc, os, signal, socket, sys
sys.path[:] = sys.argv[2:]
from gitmem.indexing import worker
from gitmem.indexing.syntax import extract

signal.signal(signal.SIGINT, signal.SIG_IGN)
extract.parse("python", "a.py", b"def f():\\n    return 1\\n")
gc.freeze()
asks = socket.socket(fileno=int(sys.argv[1]))
while True:
    asked, streams, _, _ = socket.recv_fds(asks, 1000, 2)
    if not asked:
        break
    what, *values = asked.decode().split()
    if what == "bury":
        os.waitpid(int(values[0]), 0)
        asks.sendall(b"buried")
        continue
    pid = os.fork()
    if not pid:
        asks.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        try:
            worker.main(values[0], float(values[1]), int(values[2]))
        finally:
            os._exit(0)
    for stream in streams:
        os.close(stream)
    asks.sendall(b"%d" % pid)
"""

# How the program starts one.
ORDINARY = worker_pool._Hand._started


class Forked:
    """A process that runs; the part of ``subprocess.Popen`` that the pool uses."""

    def __init__(self, parent: Parent, pid: int, stdin: int, stdout: int) -> None:
        self.pid = pid
        self.stdin, self.stdout = os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb")
        self._parent = parent
        self._buried = False

    def kill(self) -> None:
        """End it; it keeps its id until it is waited for."""
        if not self._buried:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> None:
        """Wait for its end."""
        if not self._buried:
            self._parent.ask(f"bury {self.pid}")
            self._buried = True


class Parent:
    """The process that forks, for the process that made it."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._turn = threading.Lock()
        self._asks, asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        path = [folder for folder in sys.path if os.path.isabs(folder)]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _SERVE, str(asked.fileno()), *path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[asked.fileno()],
        )
        asked.close()
        atexit.register(self.close)

    def fork(self, limits: Limits) -> Forked:
        """Start a process with these limits."""
        (read, stdin), (stdout, write) = os.pipe(), os.pipe()
        told = self.ask(f"fork {limits.parse} {limits.seconds} {limits.memory}", read, write)
        for number in (read, write):
            os.close(number)
        return Forked(self, int(told), stdin, stdout)

    def ask(self, words: str, *streams: int) -> bytes:
        """Send a request with its streams; the answer."""
        with self._turn:
            socket.send_fds(self._asks, [words.encode()], streams)
            told = self._asks.recv(100)
        assert told, "the process that forks has ended"
        return told

    def close(self) -> None:
        """Let it end; does nothing in a fork of the process that made it."""
        if os.getpid() == self.owner:
            self._asks.shutdown(socket.SHUT_RDWR)  # a fork of this process may hold it open
            self._asks.close()
            self._process.wait()


@contextmanager
def forked() -> Iterator[None]:
    """Meanwhile the processes of the pool are forks, unless they parse in a way of their own.

    A fork of this process, and a test that takes the interpreter away, start theirs as users do.
    """
    parse, python, owner = Limits().parse, sys.executable, os.getpid()
    made: list[Parent] = []
    turn = threading.Lock()

    def started(hand: worker_pool._Hand) -> object:
        limits = hand._limits
        usual = limits.parse == parse and sys.executable == python
        if not usual or os.getpid() != owner:
            return ORDINARY(hand)
        with turn:
            if not made:
                made.append(Parent())
        return made[0].fork(limits)

    if hasattr(os, "fork") and hasattr(socket, "send_fds"):
        worker_pool._Hand._started = started  # type: ignore[assignment,method-assign]
    try:
        yield
    finally:
        worker_pool._Hand._started = ORDINARY  # type: ignore[method-assign]
