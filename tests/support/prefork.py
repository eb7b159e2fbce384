"""A process that has imported gitmem and becomes one command after another, each in a fork.

Starting Python and importing modules is most of a short command, and the tests start hundreds. A
fork of a process that did nothing else is a process as any other: its own memory, folder,
environment, streams and exit status. What a start loads, and that it loads all it needs, is checked
by tests that start the program in the ordinary way (``tests/test_startup.py`` first of all).

    served = Prefork(env)
    status, out, err = served.run(["orient", "--json"], cwd, env, b"", 60)
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.support.forking import MESSAGE

# What Python reads when it starts and never again.
AT_START = ("PYTHON", "LC_", "LANG", "TZ", "LD_", "COVERAGE")
PIPE = 1 << 15  # bytes that a pipe takes though nobody reads yet
SERVE = "import sys; from tests.support.forking import serve; serve(int(sys.argv[1]))"


class Prefork:
    """One such process. It serves the process that made it, one command at a time."""

    def __init__(self, env: dict[str, str]) -> None:
        self._owner = os.getpid()
        self._env = env
        self._busy = threading.Lock()
        self._asks, asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", SERVE, str(asked.fileno())],
            env=env,
            stdin=subprocess.PIPE,  # streams of the kind that a command gets
            stdout=subprocess.PIPE,
            pass_fds=[asked.fileno()],
        )
        asked.close()

    def run(
        self, words: list[str], cwd: Path, env: dict[str, str], stdin: bytes, seconds: float
    ) -> tuple[int, bytes, bytes] | None:
        """Exit status (minus the signal that ended it) and both outputs of a command.

        None where only a program that is started for it will do, or another command is running.
        """
        same = _read_at_start(env) == _read_at_start(self._env)
        if not same or len(stdin) > PIPE or os.getpid() != self._owner:
            return None
        if not self._busy.acquire(blocking=False):
            return None
        try:
            return self._run(words, cwd, env, stdin, seconds)
        finally:
            self._busy.release()

    def _run(
        self, words: list[str], cwd: Path, env: dict[str, str], stdin: bytes, seconds: float
    ) -> tuple[int, bytes, bytes]:
        pipes = [os.pipe() for _ in range(3)]
        (read, given), (out, to_out), (err, to_err) = pipes
        os.write(given, stdin)
        os.close(given)
        asked = json.dumps([words, str(cwd), env, _umask()]).encode()
        socket.send_fds(self._asks, [asked], [read, to_out, to_err])
        for number in (read, to_out, to_err):
            os.close(number)
        pid = int(self._asks.recv(MESSAGE))
        try:
            told = _drained((out, err), time.monotonic() + seconds)
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired(words, seconds) from None
        finally:
            os.close(out)
            os.close(err)
            status = int(self._asks.recv(MESSAGE))
        return status, told[0], told[1]

    def close(self) -> None:
        """Let it end; harmless in a fork of the process that made it."""
        self._asks.close()
        if os.getpid() == self._owner:
            self._process.communicate()


def _drained(ends: tuple[int, ...], deadline: float) -> list[bytes]:
    """All that comes out of pipes until nobody holds them any more."""
    told: dict[int, list[bytes]] = {end: [] for end in ends}
    with selectors.DefaultSelector() as open_ends:
        for end in ends:
            open_ends.register(end, selectors.EVENT_READ)
        while open_ends.get_map():
            ready = open_ends.select(max(0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                if data := os.read(key.fd, MESSAGE):
                    told[key.fd].append(data)
                else:
                    open_ends.unregister(key.fd)
    return [b"".join(told[end]) for end in ends]


def _read_at_start(env: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(AT_START)}


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
