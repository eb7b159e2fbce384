"""The MCP stdio server: from the start of the process to its end.

git and the store are not used before the first call, so the server starts anywhere, even outside a
repository. A handshake does not wait for the SDK's import either (``rpc.opening``).
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from contextlib import suppress

from gitmem.mcp.rpc import opening, stdio

# Objects after which Python collects garbage. The default of 700 is reached a dozen times in one
# search, and each collection walks through all that was loaded: together a tenth of an answer's
# time. An idle server collects the rest (``rpc.executor``).
GARBAGE = 50_000
# Seconds in which a client usually asks for the lists after its first answer: imports wait so long.
PAUSE = 0.1
# The profile in which nothing is ever written.
READING = "readonly"


def serve(start_folder: str, profile: str = "default") -> int:
    """Serve an MCP client on standard input and output until input ends; returns exit status 0.

    ``start_folder`` is the folder whose repository is served, ``profile`` names the set of tools:
    one of ``profiles.NAMES``. If a call still runs then, the process exits from here.
    """
    streams = stdio.take_over_stdio()
    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, _raise_ended)
    try:
        return _run(streams, start_folder, profile)
    except _Ended:
        sys.stderr.flush()
        os._exit(0)  # nothing is open yet, and an import may be under way in the other thread


class _Ended(BaseException):
    """SIGTERM came before a call."""


def _raise_ended(*_: object) -> None:
    raise _Ended


def _run(streams: stdio.StdioStreams, start: str, profile: str) -> int:
    # During the SDK's import, collections find no garbage and cost a tenth of the time.
    gc.disable()
    hello = opening.Handshake(opening.read_pregenerated_answers(profile))
    loader = _ImportThread(hello)

    def write(answer: bytes) -> None:
        streams.write(answer)
        loader.start()

    before = opening.answer_handshake(streams.read, write, hello)
    if before is None:
        raise _Ended
    loader.wait_for_running_imports()
    import asyncio  # noqa: PLC0415 - costs 60 ms, and the first answers need none of it

    from gitmem.app import resolve_start_folder  # noqa: PLC0415 - as above

    start = os.path.abspath(resolve_start_folder(start))
    if asyncio.run(_serve(streams, start, profile, before, hello)):
        # Its thread cannot be stopped; the next opener rolls back an open transaction.
        sys.stderr.flush()
        os._exit(0)
    return 0


class _ImportThread:
    """Imports what serves calls while the client reads its first answers."""

    def __init__(self, hello: opening.Handshake) -> None:
        self._hello = hello
        self._wanted = threading.Event()
        self._thread = threading.Thread(target=self._load, name="gitmem-load", daemon=True)

    def start(self) -> None:
        """Start the thread, which after 0.1 seconds imports what calls need; once only."""
        if self._thread.ident is None:
            self._thread.start()

    def wait_for_running_imports(self) -> None:
        """Wait for running imports; those that have not begun are left to the caller."""
        self._wanted.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _load(self) -> None:
        if self._wanted.wait(PAUSE):
            return
        # An error here comes again, and is reported, where the module is needed.
        with suppress(Exception):
            if self._hello.can_answer_tool_calls:
                from gitmem.mcp import early_calls  # noqa: F401, PLC0415
            else:
                _load_sdk()


def _load_sdk() -> None:
    from gitmem.mcp import handlers  # noqa: F401, PLC0415
    from gitmem.mcp.rpc import executor, transport  # noqa: F401, PLC0415


async def _serve(
    streams: stdio.StdioStreams, start: str, profile: str, before: bytes, hello: opening.Handshake
) -> bool:
    """Serve; returns whether a call is still running at the end."""
    # Imported here: by now an import cannot print into the protocol's streams, and the first
    # requests are answered.
    from gitmem import crashlog  # noqa: PLC0415
    from gitmem.mcp.connection import ClientConnection  # noqa: PLC0415
    from gitmem.mcp.rpc.executor import CallExecutor  # noqa: PLC0415

    _collect_rarely()
    crashlog.serving = True
    desk = CallExecutor(start, read_only=profile == READING)
    connection = ClientConnection(desk, profile)
    early = None
    if hello.can_answer_tool_calls:
        from gitmem.mcp.early_calls import PreSdkCallServer  # noqa: PLC0415

        early = PreSdkCallServer(streams, hello, connection, desk)
        rest = await early.serve_until_sdk_needed(before)
        if rest is None:
            return await desk.close_stores_if_idle()
        before = rest
        gc.disable()
        if not await early.load_while_serving(_load_sdk):
            return await desk.close_stores_if_idle()
        _collect_rarely()
    from gitmem.mcp.handlers import build_server  # noqa: PLC0415 - takes most of a second
    from gitmem.mcp.rpc.transport import StdioTransport  # noqa: PLC0415

    server = build_server(connection)
    options = server.create_initialization_options()
    under_way = (early.pending, early.threads) if early else ()
    transport = StdioTransport(streams, desk.close, before, hello.answered, *under_way)
    await transport.run(lambda incoming, outgoing: server.run(incoming, outgoing, options))
    return await desk.close_stores_if_idle()


def _collect_rarely() -> None:
    gc.freeze()
    gc.set_threshold(GARBAGE, 10, 10)
    gc.enable()
