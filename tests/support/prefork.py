"""Processes of gitmem that are forked from one that has imported it, not started from nothing.

Starting Python and importing modules is most of a short command, and the tests run thousands. A
fork of a process that did nothing else is a process as any other: its own memory, folder,
environment, streams and exit status. What a start loads, and that it loads all it needs, is checked
by tests that start the program in the ordinary way (``tests/test_startup.py`` first of all).

    process = start(["orient", "--json"], cwd, env)
    out, err = process.communicate(b"", 60)
    assert process.returncode == 0
"""

from __future__ import annotations

import atexit
import json
import os
import select
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

import gitmem
from gitmem.app import App
from gitmem.maintenance import detached
from tests.support import parsing
from tests.support.forking import CHUNK, fork_detached

# Where gitmem is installed, which may be this checkout, then what only the checkout holds.
PLACES = os.pathsep.join(
    dict.fromkeys((str(Path(gitmem.__file__).parents[1]), str(Path(__file__).parents[2])))
)
AT_START = ("PYTHON", "LC_", "LANG", "TZ", "LD_")
# What tests set of it; a command that is given anything else is started in the ordinary way.
USUAL = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONPATH": PLACES}
SERVE = (
    "import sys; from tests.support.forking import serve; "
    "serve(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:], {server})"
)
# Modules written in C only: the others cost more than all the rest.
ASK = """
import _socket, os, sys
from _json import encode_basestring_ascii as quoted

env = {**os.environ, "PYTHONPATH": sys.argv[2]}
env = ",".join(quoted(name) + ":" + quoted(value) for name, value in env.items())
mask = os.umask(0)
words = ",".join(map(quoted, sys.argv[3:]))
data = ("[[%s],%s,{%s},%d]\\n" % (words, quoted(os.getcwd()), env, mask)).encode()
read, told = os.pipe()
files = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2, told))
asks = _socket.socket(_socket.AF_UNIX)
asks.connect(sys.argv[1])
sent = asks.sendmsg([data], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)])
while sent < len(data):
    sent += asks.send(data[sent:])
for number in (0, 1, told):
    os.close(number)
answer = b""
while piece := os.read(read, 100):
    answer += piece
status = int(answer.split()[1])
if status < 0:
    os.kill(os.getpid(), -status)
os._exit(status)
"""
# What stands for Python where a command that was forked has something started by its place, as the
# hooks that it installs are: gitmem is forked again, all else runs as ever.
PYTHON = """#!/bin/sh
case "$1 $2 $3,$LC_ALL,$TZ,${{PYTHONPATH:-{root}}},$PYTHONIOENCODING,$LD_PRELOAD" in
"-P -m gitmem,C.UTF-8,UTC,{root},,") ;;
*) exec '{python}' "$@" ;;
esac
shift 3
exec '{python}' -IS -c '{ask}' '{address}' '{root}' "$@"
"""
Process = subprocess.Popen[bytes]


def start(words: Sequence[str], cwd: Path | str, env: dict[str, str]) -> Process | Forked:
    """Start a command with a pipe at each stream; see the top for how."""
    can_fork = hasattr(os, "fork") and words and "COVERAGE_PROCESS_START" not in env
    if can_fork and read_at_start(env) == usual():
        return own(server=words[0] == "mcp").fork(words, cwd, env)
    pipe = subprocess.PIPE
    return subprocess.Popen(command(*words), cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe)


@contextmanager
def forked_background() -> Iterator[None]:
    """Fork what a command in this process leaves behind, too, where that is the same."""
    ordinary = detached.start_background_command

    def start(app: App, verb: str, *arguments: str) -> None:
        if not hasattr(os, "fork") or read_at_start(dict(app.settings.environment)) != usual():
            return ordinary(app, verb, *arguments)
        return fork_detached(own().address, app, verb, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(detached, "start_background_command", start)
        yield


def read_at_start(env: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """What Python reads when it starts and never again."""
    return tuple((name, env[name]) for name in sorted(env) if name.startswith(AT_START))


def command(*words: str) -> list[str]:
    """The words that start the program; -P keeps the current folder out of Python's path."""
    return [sys.executable, "-P", "-m", "gitmem", *words]


class Forked:
    """A command that runs; the part of ``subprocess.Popen`` that tests use."""

    def __init__(self, streams: tuple[int, int, int], told: int, words: Sequence[str]) -> None:
        self.args = list(words)
        self.returncode: int | None = None
        self.stdin = os.fdopen(streams[0], "wb")
        self.stdout, self.stderr = (os.fdopen(number, "rb") for number in streams[1:])
        self._told = os.fdopen(told, "rb", buffering=0)
        self.pid = int(self._told.readline())

    def poll(self) -> int | None:
        """Its exit status, minus the signal that ended it; None while it runs."""
        if self.returncode is None and select.select([self._told], [], [], 0)[0]:
            self.returncode = int(self._told.readline())
            self._told.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status, once it has ended; ``timeout`` in seconds."""
        if self.returncode is None and not select.select([self._told], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        status = self.poll()
        assert status is not None
        return status

    def communicate(self, data: bytes = b"", timeout: float = 60) -> tuple[bytes, bytes]:
        """Write to it, read all it says on both outputs, and wait for its end."""
        writer = threading.Thread(target=self._write, args=(data,))
        writer.start()
        result: dict[int, list[bytes]] = {}
        end = time.monotonic() + timeout
        with selectors.DefaultSelector() as outputs:
            for stream in (self.stdout, self.stderr):
                result[outputs.register(stream, selectors.EVENT_READ).fd] = []
            while outputs.get_map():
                ready = outputs.select(max(0, end - time.monotonic()))
                if not ready:
                    self.kill()
                    raise subprocess.TimeoutExpired(self.args, timeout)
                for key, _ in ready:
                    if data := os.read(key.fd, CHUNK):
                        result[key.fd].append(data)
                    else:
                        outputs.unregister(key.fileobj)
        writer.join()
        self.wait(max(0.1, end - time.monotonic()))
        self.stdout.close()
        self.stderr.close()
        out, err = (b"".join(parts) for parts in result.values())
        return out, err

    def _write(self, data: bytes) -> None:
        try:
            self.stdin.write(data)
            self.stdin.close()
        except BrokenPipeError:  # it does not read
            pass

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


class Parent:
    """The process that forks, for the process that made it; ``env`` is what Python reads.

    ``address`` is the name of the socket where processes that did not make it may ask it too.
    ``python`` is the place of what stands for Python in hooks and whatever else is written down.
    """

    def __init__(self, env: dict[str, str], *, server: bool) -> None:
        self._owner = os.getpid()
        self._turn = threading.Lock()
        self._asks, result = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        # Not in a folder of pytest's: the name of a socket has at most a hundred bytes.
        self._folder = tempfile.TemporaryDirectory(prefix="gitmem-")
        self.address = os.path.join(self._folder.name, "asks")
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(self.address)
        listening.listen()
        numbers, parsers = [result.fileno(), listening.fileno()], parsing.address()
        self.python = os.path.join(self._folder.name, "python")
        python = Path(self.python)
        root = USUAL["PYTHONPATH"]
        python.write_text(
            PYTHON.format(python=sys.executable, ask=ASK, address=self.address, root=root)
        )
        python.chmod(0o755)
        serve = SERVE.format(server=server)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", serve, *map(str, numbers), parsers, self.python],
            env=env,
            stdin=subprocess.PIPE,  # streams of the kind that a command gets
            stdout=subprocess.PIPE,
            pass_fds=numbers,
        )
        result.close()
        listening.close()
        atexit.register(self.close)

    def fork(self, words: Sequence[str], cwd: Path | str, env: dict[str, str]) -> Forked:
        """Start a command."""
        read, stdin = os.pipe()
        (stdout, out), (stderr, err), (output, tell) = os.pipe(), os.pipe(), os.pipe()
        theirs = [read, out, err, tell]
        mask = os.umask(0)
        os.umask(mask)
        query = json.dumps([list(words), str(cwd), env, mask]).encode() + b"\n"
        with self._turn:
            sent = socket.send_fds(self._asks, [query], theirs)
            self._asks.sendall(query[sent:])
        for number in theirs:
            os.close(number)
        return Forked((stdin, stdout, stderr), output, words)

    def close(self) -> None:
        """Let it end; does nothing in a fork of the process that made it."""
        if os.getpid() != self._owner:
            return
        self._asks.shutdown(socket.SHUT_RDWR)  # a fork of this process may hold it open
        self._asks.close()
        try:
            self._process.communicate(timeout=10)
        except subprocess.TimeoutExpired:  # a command that nobody ended
            self._process.kill()
            self._process.communicate()
        self._folder.cleanup()


def usual() -> tuple[tuple[str, str], ...]:
    """What Python reads when it starts a command as tests usually have it."""
    return read_at_start(dict(os.environ) | USUAL)


def own(*, server: bool = False) -> Parent:
    """The process that forks such commands for this one."""
    return parent(os.getpid(), usual(), server)


@cache
def parent(owner: int, env: tuple[tuple[str, str], ...], server: bool) -> Parent:
    """The process that forks for the process ``owner``, started when it is first asked for."""
    return Parent(dict(env), server=server)
