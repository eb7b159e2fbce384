"""A ``gitmem`` for scripts that look for it on the PATH, forked as ``tests.support.prefork`` does.

A script starts it by its name, so something must be started: a Python without its libraries, which
hands streams, folder and environment on and ends as the command does. It asks at a socket that the
script inherits.

    files = on_path.program(tmp_path / "bin" / "gitmem")
    subprocess.run(["sh", "script.sh"], pass_fds=files)
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.support.prefork import USUAL, parent, read_at_start

ORDINARY = "PYTHONPATH='{root}' exec '{python}' -P -m gitmem"
ASKING = "exec '{python}' -IS '{file}' {socket}"
# Modules written in C only: the others cost more than all the rest.
_ASK = """
import _socket, os, sys
from _json import encode_basestring_ascii as quoted

def listed(words):
    return "[" + ",".join(map(quoted, words)) + "]"

env = {{**os.environ, "PYTHONPATH": {root!r}}}
env = ",".join(quoted(name) + ":" + quoted(value) for name, value in env.items())
mask = os.umask(0)
read, told = os.pipe()
files = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2, told))
asked = "[%s,%s,{{%s}},%d]\\n" % (listed(sys.argv[2:]), quoted(os.getcwd()), env, mask)
asks = _socket.socket(fileno=int(sys.argv[1]))
ancillary = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)]
data = asked.encode()
sent = asks.sendmsg([data], ancillary)
while sent < len(data):
    sent += asks.send(data[sent:])
os.close(told)
answer = b""
while piece := os.read(read, 100):
    answer += piece
status = int(answer.split()[1])
if status < 0:
    os.kill(os.getpid(), -status)
os._exit(status)
"""


def program(path: Path, *, ordinary: bool = False) -> tuple[int, ...]:
    """Write a program that runs the package under test; the files its callers must inherit.

    ``ordinary``: each start is one of Python from nothing. So it also is where no process can fork
    and where coverage is measured.
    """
    root, python = USUAL["PYTHONPATH"], sys.executable
    path.parent.mkdir(parents=True, exist_ok=True)
    files: tuple[int, ...] = ()
    if ordinary or not hasattr(os, "fork") or "COVERAGE_PROCESS_START" in os.environ:
        line = ORDINARY.format(root=root, python=python)
    else:
        asking = path.with_name(f".{path.name}.py")
        asking.write_text(_ASK.format(root=root))
        files = (parent(os.getpid(), read_at_start(dict(os.environ) | USUAL), "indexing").number,)
        line = ASKING.format(python=python, file=asking, socket=files[0])
    path.write_text(f'#!/bin/sh\n{line} "$@"\n')
    path.chmod(0o755)
    return files
