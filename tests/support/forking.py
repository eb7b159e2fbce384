"""What ``tests.support.prefork`` starts: a process that forks for each command it is asked for."""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import socket
import sys

# Loaded by the few commands that need them, as after an ordinary start. Click brings threads,
# which would change how the process ends.
LATER = (
    *("gitmem.mcp", "gitmem.indexing", "gitmem.embedding", "gitmem.__main__"),
    *("gitmem.cli.commands", "gitmem.cli.from_operation"),
)
MESSAGE = 1 << 17  # bytes: a command line and an environment


def serve(number: int) -> None:
    """Fork for what is asked at the socket ``number`` until nobody can ask any more."""
    import gitmem

    for module in pkgutil.walk_packages(gitmem.__path__, "gitmem."):
        if not module.name.startswith(LATER):
            __import__(module.name)
    assert "threading" not in sys.modules
    gc.freeze()
    asks = socket.socket(fileno=number)
    while True:
        asked, streams, _, _ = socket.recv_fds(asks, MESSAGE, 3)
        if not asked:
            return
        pid = os.fork()
        if not pid:
            asks.close()
            _become(streams, *json.loads(asked))
        for stream in streams:
            os.close(stream)
        asks.send(str(pid).encode())
        asks.send(str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())


def _become(
    streams: list[int], words: list[str], cwd: str, env: dict[str, str], umask: int
) -> None:
    """Be the command; does not return."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(cwd)
    os.umask(umask)
    os.environ.clear()
    os.environ.update(env)
    from gitmem import __main__ as program

    sys.argv = [program.__file__, *words]
    gc.unfreeze()
    sys.exit(program.main())
