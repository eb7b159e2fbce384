"""What ``tests.support.prefork`` starts: a process that forks for each command it is asked for.

Asked is a line of JSON with four files: the three streams, and one that is told the id of the
process and, at its end, its exit status. Whoever made the process asks at a socket that both have;
others connect to a socket with a name.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import PathFinder
from types import ModuleType
from typing import TYPE_CHECKING

from gitmem.model import frozen
from tests.support import offline, waiting

if TYPE_CHECKING:
    from gitmem.app import App

# Loaded by the few commands that need them, as after an ordinary start.
LATER = ("gitmem.mcp", "gitmem.indexing", "gitmem.embedding", "gitmem.__main__")
# Of these, and of others, what is small and many commands load; each would load it anew.
SOON = (
    *("gitmem.__main__", "gitmem.indexing.code_chunker", "gitmem.indexing.vectors_in_memory"),
    *(f"gitmem.embedding.{name}" for name in ("builtin", "contextual", "table", "wordpiece")),
    *("dulwich.config", "dulwich.file", "copy", "dataclasses", "faulthandler", "fcntl", "locale"),
    *("logging", "mmap", "queue", "resource", "subprocess", "encodings.utf_8_sig"),
)
CHUNK = 1 << 16
_RUNNING: dict[int, int] = {}  # process -> where its end is told


def serve(number: int, listening: int, parsers: str, python: str, server: bool) -> None:
    """Fork for what is asked, until nobody has the other end of the socket ``number`` any more.

    ``listening`` is the socket that others connect to. ``parsers`` is the address where commands
    ask for what reads syntax; ``python`` is the place of Python for whatever they write down.
    ``server``: what the MCP server loads is loaded too, and its tools are made.
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
            catalogue.offered_tools(profile)
    _make_what_commands_make()
    sys.executable = python
    offline.guard()
    waiting.take_time_to_look(setattr)
    sys.meta_path.insert(0, Borrows(parsers))
    gc.freeze()
    asks, others = socket.socket(fileno=number), socket.socket(fileno=listening)
    _fork_what_is_detached(others.getsockname())
    ended, wakes = os.pipe()
    for end in (ended, wakes):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    goes_on = True
    while goes_on:
        ready = select.select([asks, others, ended], [], [])[0]
        if ended in ready:
            os.read(ended, CHUNK)
        if others in ready:
            with others.accept()[0] as other:
                _answer(other, (asks.fileno(), others.fileno(), ended, wakes))
        if asks in ready:
            goes_on = _answer(asks, (others.fileno(), ended, wakes))
        _bury(os.WNOHANG)
    _bury(0)
    os._exit(0)


def _make_what_commands_make() -> None:
    """Load and compile what nearly every command would, or each does it again in its fork."""
    for name in SOON:
        importlib.import_module(name)
    for value in frozen._Value.__subclasses__():
        value.__init__  # noqa: B018 - compiled when it is first looked at


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


def _fork_what_is_detached(address: str) -> None:
    """Have commands ask here for what they leave behind, which is the same with a tenth of the CPU.

    Where the tests have ended meanwhile, it is started as users have it.
    """
    from gitmem.maintenance import detached

    ordinary = detached.start_background_command

    def start(app: App, *words: str) -> None:
        try:
            fork_detached(address, app, *words)
        except OSError:
            ordinary(app, *words)

    detached.start_background_command = start


def fork_detached(address: str, app: App, *words: str) -> None:
    """Ask the process at an address for what ``detached.start_background_command`` starts."""
    queries = [[*words, "-C", app.worktree], os.getcwd(), dict(app.settings.environment), _umask()]
    data = json.dumps([*queries, True]).encode() + b"\n"
    null, (read, output) = os.open(os.devnull, os.O_RDWR), os.pipe()
    try:
        with socket.socket(socket.AF_UNIX) as asks:
            asks.connect(address)
            sent = socket.send_fds(asks, [data], [null, null, null, output])
            asks.sendall(data[sent:])
    finally:
        for number in (null, read, output):  # nobody waits for it
            os.close(number)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _answer(asks: socket.socket, others: Sequence[int]) -> bool:
    """Start what is asked; whether anything was. The command has none of these sockets."""
    query, streams, _, _ = socket.recv_fds(asks, CHUNK, 4)
    while query and not query.endswith(b"\n"):
        query += asks.recv(CHUNK)
    if not query:
        return False
    *three, output = streams
    if not (pid := os.fork()):
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        for number in (asks.fileno(), *others, output, *_RUNNING.values()):
            os.close(number)
        _become(three, *json.loads(query))
    for stream in three:
        os.close(stream)
    _tell(output, pid)
    _RUNNING[pid] = output
    return True


def _bury(how: int) -> None:
    """Tell how children ended, and have the time that they took counted as ours."""
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, how))[0]:
            output = _RUNNING.pop(ended[0])
            _tell(output, os.waitstatus_to_exitcode(ended[1]))
            os.close(output)


def _tell(output: int, number: int) -> None:
    """Write a line for who asked, if they still listen."""
    with suppress(BrokenPipeError):
        os.write(output, b"%d\n" % number)


def _become(
    streams: list[int],
    words: list[str],
    cwd: str,
    env: dict[str, str],
    umask: int,
    detached: bool = False,
) -> None:
    """Be the command; does not return."""
    if detached:
        os.setsid()
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
    _end(program.main())


def _end(status: int) -> None:
    """End as Python does, but for the modules, which it would take apart one by one.

    That is most of what a short command costs here: what it touches of the memory that a fork
    shares is copied first. Does not return.
    """
    if threading := sys.modules.get("threading"):
        threading._shutdown()
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except (OSError, ValueError):  # the reader left: Python has a status for that
        sys.exit(status)
    os._exit(status)
