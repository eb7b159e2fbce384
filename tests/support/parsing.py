"""The processes that read syntax, forked from one that has loaded what they need.

An index run starts one, and starting it costs ten times what it does for a test: 75 ms of CPU for
Python, the libraries and a grammar. A fork is a process as any other, with limits, streams and an
end of its own. The commands of ``tests.support.prefork`` ask for theirs at the same place. How the
program starts one itself is tested where that is the point
(``tests/indexing/test_worker_pool.py``), and by every test that starts the program from nothing.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

from gitmem.indexing import worker_pool
from gitmem.indexing.worker_pool import WorkerLimits

# Isolated and without site, as the program starts it. It ends with the socket that it shares with
# the process that made it; each thing that is asked for comes on a connection of its own.
_SERVE = """
import gc, os, select, signal, socket, sys
sys.path[:] = sys.argv[3:]
from gitmem.indexing import worker
from gitmem.indexing.syntax import extract

signal.signal(signal.SIGINT, signal.SIG_IGN)
extract.parse_source_file("python", "a.py", b"def f():\\n    return 1\\n")
gc.freeze()
owner, listening = (socket.socket(fileno=int(number)) for number in sys.argv[1:3])
while owner not in select.select([owner, listening], [], [])[0]:
    asks = listening.accept()[0]
    asked, streams, _, _ = socket.recv_fds(asks, 1000, 2)
    what, *values = asked.decode().split() or [""]
    if what == "bury":
        os.waitpid(int(values[0]), 0)
        asks.sendall(b"buried")
    elif what:
        pid = os.fork()
        if not pid:
            for one in (asks, owner, listening):
                one.close()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            try:
                worker.run_worker(values[0], float(values[1]), int(values[2]))
            finally:
                os._exit(0)
        asks.sendall(b"%d" % pid)
    for stream in streams:
        os.close(stream)
    asks.close()
"""

# How the program starts one.
ORDINARY = worker_pool._WorkerProcess._started


class Forked:
    """A process that runs; the part of ``subprocess.Popen`` that the pool uses."""

    def __init__(self, address: str, pid: int, stdin: int, stdout: int) -> None:
        self.pid = pid
        self.stdin, self.stdout = os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb")
        self._address = address
        self._buried = False

    def kill(self) -> None:
        """End it; it keeps its id until it is waited for."""
        if not self._buried:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> None:
        """Wait for its end."""
        if not self._buried:
            with suppress(OSError):  # with the one that forks, all it made is buried
                _ask(self._address, f"bury {self.pid}")
            self._buried = True


def _ask(address: str, words: str, *streams: int) -> bytes:
    """Send a request with its streams; the answer. Raises OSError where nobody answers."""
    with socket.socket(socket.AF_UNIX) as asks:
        asks.connect(address)
        socket.send_fds(asks, [words.encode()], streams)
        output = asks.recv(100)
    if not output:
        raise ConnectionError("the process that forks has ended")
    return output


def _fork(address: str, limits: WorkerLimits) -> Forked:
    """A process with these limits. Raises OSError where nobody forks any more."""
    (read, stdin), (stdout, write) = os.pipe(), os.pipe()
    try:
        output = _ask(address, f"fork {limits.parse} {limits.seconds} {limits.memory}", read, write)
    except OSError:
        os.close(stdin)
        os.close(stdout)
        raise
    finally:
        os.close(read)
        os.close(write)
    return Forked(address, int(output), stdin, stdout)


class Parent:
    """The process that forks, for the process that made it; others may ask at its ``address``."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._lives, theirs = socket.socketpair()
        # Not in a folder of pytest's: the name of a socket has at most a hundred bytes.
        self._folder = tempfile.TemporaryDirectory(prefix="gitmem-")
        self.address = os.path.join(self._folder.name, "asks")
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(self.address)
        listening.listen()
        numbers = [theirs.fileno(), listening.fileno()]
        path = [folder for folder in sys.path if os.path.isabs(folder)]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _SERVE, *map(str, numbers), *path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=numbers,
        )
        theirs.close()
        listening.close()
        atexit.register(self.close)

    def close(self) -> None:
        """Let it end; does nothing in a fork of the process that made it."""
        if os.getpid() == self._owner:
            self._lives.shutdown(socket.SHUT_RDWR)  # a fork of this process may hold it open
            self._lives.close()
            self._process.wait()
            self._folder.cleanup()


def address() -> str:
    """Where to ask for a process; the one that forks is started when it is first asked for."""
    with _TURN:
        return _parent(os.getpid()).address


@cache
def _parent(owner: int) -> Parent:
    return Parent()


_TURN = threading.Lock()


@contextmanager
def forked() -> Iterator[None]:
    """Meanwhile the processes of the pool are forks, unless they parse in a way of their own.

    A fork of this process, and a test that takes the interpreter away, start theirs as users do.
    """
    parse, python, owner = WorkerLimits().parse, sys.executable, os.getpid()

    def started(hand: worker_pool._WorkerProcess) -> object:
        limits = hand._limits
        usual = limits.parse == parse and sys.executable == python
        if not usual or os.getpid() != owner:
            return ORDINARY(hand)
        return _fork(address(), limits)

    if hasattr(os, "fork") and hasattr(socket, "send_fds"):
        worker_pool._WorkerProcess._started = started  # type: ignore[assignment,method-assign]
    try:
        yield
    finally:
        worker_pool._WorkerProcess._started = ORDINARY  # type: ignore[method-assign]


def borrow(address: str) -> None:
    """From now on this process, which did not make it, asks the one at the address.

    Where that has ended, because a command outlived the tests, it starts its own as users do.
    """

    def started(hand: worker_pool._WorkerProcess) -> object:
        try:
            return _fork(address, hand._limits)
        except OSError:
            return ORDINARY(hand)

    worker_pool._WorkerProcess._started = started  # type: ignore[assignment,method-assign]
