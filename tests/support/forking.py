"""What ``tests.support.prefork`` starts: a process that forks for each command it is asked for.

Asked is a line of JSON with four files: the three streams, and one that is told the id of the
process and, at its end, its exit status.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import socket
import sys

# Loaded by the few commands that need them, as after an ordinary start. Click brings threads,
# which would change how a process ends.
INDEXING = ("gitmem.indexing", "gitmem.cli.commands", "gitmem.cli.from_operation")
LATER = ("gitmem.mcp", "gitmem.embedding", "gitmem.__main__", *INDEXING)
CHUNK = 1 << 16


def serve(number: int, what: str) -> None:
    """Fork for what is asked at the socket ``number`` until nobody can ask any more.

    ``what`` is loaded too: nothing for ``commands``, what the MCP server loads for ``server``, all
    that an index run loads for ``indexing``.
    """
    import gitmem

    later = tuple(set(LATER) - set(INDEXING)) if what == "indexing" else LATER
    for module in pkgutil.walk_packages(gitmem.__path__, "gitmem."):
        if not module.name.startswith(later):
            __import__(module.name)
    if what == "server":
        import anyio._backends._asyncio  # noqa: F401 - where the server runs

        for name in ("cli.commands", "mcp.handlers", "mcp.rpc.executor", "mcp.rpc.transport"):
            importlib.import_module(f"gitmem.{name}")
    assert what != "commands" or "threading" not in sys.modules
    gc.freeze()
    asks = socket.socket(fileno=number)
    while True:
        asked, streams, _, _ = socket.recv_fds(asks, CHUNK, 4)
        if not asked:
            break
        while not asked.endswith(b"\n"):
            asked += asks.recv(CHUNK)
        if not os.fork():
            asks.close()
            _tell_of(asked, streams)
        for stream in streams:
            os.close(stream)
        _bury(os.WNOHANG)
    _bury(0)


def _bury(how: int) -> None:
    """Have the time that children took counted as ours."""
    try:
        while os.waitpid(-1, how)[0]:
            pass
    except ChildProcessError:
        pass


def _tell_of(asked: bytes, streams: list[int]) -> None:
    """Start the command and wait for its end; does not return."""
    *three, told = streams
    pid = os.fork()
    if not pid:
        os.close(told)
        _become(three, *json.loads(asked))
    for stream in three:
        os.close(stream)
    os.write(told, b"%d\n" % pid)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    try:
        os.write(told, b"%d\n" % status)
    finally:
        os._exit(0)


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
