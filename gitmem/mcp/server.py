"""The MCP stdio server: from the start of the process to its end.

Nothing is asked of git or the store before the first call, so the server starts anywhere, also
outside a repository. A handshake does not wait for the SDK's import either (``rpc.opening``).
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from contextlib import suppress

from gitmem.mcp.rpc import opening, stdio

# Objects from which on Python looks for garbage. Its own 700 are made a dozen times in one search,
# each time at the cost of a walk through what was loaded: together a tenth of an answer. An idle
# server collects what is left (``mcp.desk``).
GARBAGE = 50_000
# Seconds in which a client that has its first answer usually asks for the lists: they come first.
PAUSE = 0.1
# The profile in which nothing is ever written.
READING = "readonly"


def serve(start: str, profile: str = "default") -> int:
    """Serve until standard input ends; the exit status. Raises Unavailable without streams.

    ``start`` is the folder whose repository is served, ``profile`` one of ``profiles.NAMES``. The
    process may end in here, with status 0, when a call hangs: it must be gone two seconds after its
    input.
    """
    streams = stdio.take()
    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, _leave)
    try:
        return _served(streams, os.path.abspath(start), profile)
    except _Ended:
        sys.stderr.flush()
        os._exit(0)  # nothing is open yet, and an import may be under way in the other thread


class _Ended(BaseException):
    """SIGTERM, before anything was asked that needs an end of its own."""


def _leave(*_: object) -> None:
    raise _Ended


def _served(streams: stdio.Wire, start: str, profile: str) -> int:
    # While the SDK is imported, collecting finds no garbage and costs a tenth of the time.
    gc.disable()
    hello = opening.Opening(opening.read_frozen(profile))
    loader = _Loader(hello)

    def write(answer: bytes) -> None:
        streams.write(answer)
        loader.start()

    before = opening.converse(streams.read, write, hello)
    if before is None:
        raise _Ended
    loader.finish()
    import asyncio  # noqa: PLC0415 - costs 60 ms, and the first answers need none of it

    if asyncio.run(_serve(streams, start, profile, before, hello)):
        # Its thread cannot be stopped; the next opener rolls back an open transaction.
        sys.stderr.flush()
        os._exit(0)
    return 0


class _Loader:
    """Imports what serves calls while the client reads its first answers."""

    def __init__(self, hello: opening.Opening) -> None:
        self._hello = hello
        self._wanted = threading.Event()
        self._thread = threading.Thread(target=self._load, name="gitmem-load", daemon=True)

    def start(self) -> None:
        """Begin soon. Nothing the second time."""
        if self._thread.ident is None:
            self._thread.start()

    def finish(self) -> None:
        """Return when the work is done, or left to the caller."""
        self._wanted.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _load(self) -> None:
        if self._wanted.wait(PAUSE):
            return
        # What fails here fails again, and is told, where it is needed.
        with suppress(Exception):
            if self._hello.calling:
                from gitmem.mcp import early_calls  # noqa: F401, PLC0415
            else:
                _load_sdk()


def _load_sdk() -> None:
    from gitmem.mcp import handlers  # noqa: F401, PLC0415
    from gitmem.mcp.rpc import executor, transport  # noqa: F401, PLC0415


async def _serve(
    streams: stdio.Wire, start: str, profile: str, before: bytes, hello: opening.Opening
) -> bool:
    """Serve; whether a call is still being worked on at the end."""
    # Imported here: the streams are safe from anything an import prints, and the first questions
    # have their answers.
    from gitmem.mcp.connection import Connection  # noqa: PLC0415
    from gitmem.mcp.rpc.executor import Desk  # noqa: PLC0415

    _collect_rarely()
    desk = Desk(start, reading=profile == READING)
    connection = Connection(desk, profile)
    early = None
    if hello.calling:
        from gitmem.mcp.early_calls import EarlyCalls  # noqa: PLC0415

        early = EarlyCalls(streams, hello, connection, desk)
        rest = await early.serve(before)
        if rest is None:
            return await desk.leave()
        before = rest
        gc.disable()
        if not await early.hand_over(_load_sdk):
            return await desk.leave()
        _collect_rarely()
    from gitmem.mcp.handlers import build  # noqa: PLC0415 - takes most of a second
    from gitmem.mcp.rpc.transport import Transport  # noqa: PLC0415

    server = build(connection)
    options = server.create_initialization_options()
    under_way = (early.pending, early.hands) if early else ()
    transport = Transport(streams, desk.close, before, hello.answered, *under_way)
    await transport.run(lambda incoming, outgoing: server.run(incoming, outgoing, options))
    return await desk.leave()


def _collect_rarely() -> None:
    gc.freeze()
    gc.set_threshold(GARBAGE, 10, 10)
    gc.enable()
