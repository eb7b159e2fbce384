"""A ``gitmem`` for who starts it by its name, forked as ``tests.support.prefork`` does it.

Something must be started then: a Python without its libraries, which hands streams, folder and
environment on to the process that forks, and ends as the command does.

    on_path.program(tmp_path / "bin" / "gitmem")
    subprocess.run(["sh", "script.sh"], env=env | {"PATH": f"{tmp_path}/bin:/usr/bin:/bin"})
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.support.prefork import USUAL, command, parent, read_at_start

ROOT = USUAL["PYTHONPATH"]
# Modules written in C only: the others cost more than all the rest.
_ASK = """
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


def words(*words: str, ordinary: bool = False) -> list[str]:
    """What starts a command of gitmem.

    ``ordinary``: by a Python that is started from nothing. So it also is where no process can fork
    and where coverage is measured.
    """
    if ordinary or not hasattr(os, "fork") or "COVERAGE_PROCESS_START" in os.environ:
        return command(*words)
    told = read_at_start(dict(os.environ) | USUAL)
    address = parent(os.getpid(), told, words[:1] == ("mcp",)).address
    return [sys.executable, "-IS", "-c", _ASK, address, ROOT, *words]


def program(path: Path, *, ordinary: bool = False) -> None:
    """Write a program that is gitmem; ``ordinary`` as for ``words``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    starts = " ".join(f"'{word}'" for word in words(ordinary=ordinary))
    path.write_text(f"#!/bin/sh\nPYTHONPATH='{ROOT}' exec {starts} \"$@\"\n")
    path.chmod(0o755)
