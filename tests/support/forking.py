"""What ``tests.support.prefork`` starts: a process that forks for each command it is asked for.

Asked is a line of JSON with four files: the three streams, and one that is told the id of the
process and, at its end, its exit status. Whoever made the process asks at a socket that both have;
others connect to a socket with a name.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import select
import socket
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from types import ModuleType

from tests.support import offline

# Loaded by the few commands that need them, as after an ordinary start. Click brings threads,
# which would change how a process ends.
LATER = (
    *("gitmem.mcp", "gitmem.indexing", "gitmem.embedding", "gitmem.__main__"),
    *("gitmem.cli.commands", "gitmem.cli.from_operation"),
)
CHUNK = 1 << 16


def serve(number: int, listening: int, parsers: str, server: bool) -> None:
    """Fork for what is asked, until nobody has the other end of the socket ``number`` any more.

    ``listening`` is the socket that others connect to. ``parsers`` is the address where commands
    ask for what reads syntax. ``server``: what the MCP server loads is loaded too, and its tools
    are made.
    """
    import gitmem

    for module in pkgutil.walk_packages(gitmem.__path__, "gitmem."):
        if not module.name.startswith(LATER):
            __import__(module.name)
    if server:
        import anyio._backends._asyncio  # noqa: F401 - where the server runs

        for name in ("cli.commands", "mcp.handlers", "mcp.rpc.executor", "mcp.rpc.transport"):
            importlib.import_module(f"gitmem.{name}")
        from gitmem.mcp.tools import catalogue

        # Made by a server at its first call, which is most of what that costs.
        for profile in ("default", "full"):
            catalogue.offered(profile)
    else:
        assert "threading" not in sys.modules
    offline.guard()
    sys.meta_path.insert(0, Borrows(parsers))
    gc.freeze()
    asks, others = socket.socket(fileno=number), socket.socket(fileno=listening)
    goes_on = True
    while goes_on:
        if others in select.select([asks, others], [], [])[0]:
            with others.accept()[0] as other:
                _answer(other, (asks, others))
        else:
            goes_on = _answer(asks, (others,))
        _bury(os.WNOHANG)
    _bury(0)


class Borrows:
    """Has a command that loads the pool of parsers ask for forked ones (``parsing.borrow``)."""

    def __init__(self, address: str) -> None:
        self._address = address

    def find_spec(self, name: str, path: Sequence[str] | None, _: object = None) -> object:
        """Find the pool as Python does, and add to what its module runs; nothing else."""
        if name != "gitmem.indexing.worker_pool":
            return None
        spec = PathFinder.find_spec(name, path)
        assert spec and spec.loader
        run = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            run(module)
            sys.modules[name] = module
            from tests.support import parsing

            parsing.borrow(self._address)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _answer(asks: socket.socket, others: Sequence[socket.socket]) -> bool:
    """Start what is asked; whether anything was. The command has none of these sockets."""
    asked, streams, _, _ = socket.recv_fds(asks, CHUNK, 4)
    while asked and not asked.endswith(b"\n"):
        asked += asks.recv(CHUNK)
    if asked and not os.fork():
        for one in (asks, *others):
            one.close()
        _tell_of(asked, streams)
    for stream in streams:
        os.close(stream)
    return bool(asked)


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
