"""The MCP stdio server: from the start of the process to its end.

Nothing is asked of git or the store before the first call, so a handshake waits for nothing but the
SDK's own import, and the server starts anywhere, also outside a repository.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys

from gitmem.mcp.rpc import stdio

# Objects from which on Python looks for garbage. Its own 700 are made a dozen times in one search,
# each time at the cost of a walk through what was loaded: together a tenth of an answer. An idle
# server collects what is left (``mcp.desk``).
GARBAGE = 50_000
# The profile in which nothing is ever written.
READING = "readonly"


def serve(start: str, profile: str = "default") -> int:
    """Serve until standard input ends; the exit status. Raises Unavailable without streams.

    ``start`` is the folder whose repository is served, ``profile`` one of ``profiles.NAMES``. The
    process may end in here, with status 0, when a call hangs: it must be gone two seconds after its
    input.
    """
    streams = stdio.take()
    if asyncio.run(_serve(streams, os.path.abspath(start), profile)):
        # Its thread cannot be stopped; the next opener rolls back an open transaction.
        sys.stderr.flush()
        os._exit(0)
    return 0


async def _serve(streams: stdio.Wire, start: str, profile: str) -> bool:
    """Serve; whether a call is still being worked on at the end."""
    # While the SDK is imported, collecting finds no garbage and costs a tenth of the time.
    gc.disable()
    # Imported here: its second is spent when the streams are safe from anything an import prints.
    from gitmem.mcp.handlers import build  # noqa: PLC0415
    from gitmem.mcp.rpc.executor import Desk  # noqa: PLC0415
    from gitmem.mcp.rpc.transport import Transport  # noqa: PLC0415

    gc.freeze()
    gc.set_threshold(GARBAGE, 10, 10)
    gc.enable()
    desk = Desk(start, reading=profile == READING)
    server = build(desk, profile)
    options = server.create_initialization_options()
    transport = Transport(streams, desk.close)
    await transport.run(lambda incoming, outgoing: server.run(incoming, outgoing, options))
    return await desk.leave()
