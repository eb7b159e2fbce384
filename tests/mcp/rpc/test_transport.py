"""Lines that are written: always JSON, whatever an answer holds; and what the end waits for."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Iterable
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCResponse

from gitmem.mcp.rpc.stdio import StdioStreams
from gitmem.mcp.rpc.transport import (
    ANSWER,
    DRAIN,
    Incoming,
    Outgoing,
    StdioTransport,
    message_as_line,
)

SLOW = 0.1  # seconds


def test_answer_is_one_line_of_utf8() -> None:
    line = message_as_line(JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": "a\nb\u2028ü"}))
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"jsonrpc": "2.0", "id": 1, "result": {"text": "a\nb\u2028ü"}}


def test_answer_that_utf8_cannot_carry_becomes_an_error_for_whoever_asked() -> None:
    data = json.loads(
        message_as_line(JSONRPCResponse(jsonrpc="2.0", id="q", result={"text": "\ud800"}))
    )
    assert (data["id"], data["error"]["code"]) == ("q", -32603)


def test_at_the_end_open_calls_are_waited_for_and_cancelled_ones_are_not() -> None:
    """Nobody answers a call that was cancelled."""
    cancelled = [7, "eight"]
    lines = [
        *({"id": id, "method": "tools/call"} for id in [*cancelled, "slow"]),
        *({"method": "notifications/cancelled", "params": {"requestId": id}} for id in cancelled),
    ]
    took, written = served(lines, answered="slow")
    assert [item["id"] for item in written] == ["slow"]
    assert SLOW <= took < DRAIN + ANSWER


def served(messages: Iterable[dict[str, Any]], *, answered: str) -> tuple[float, list[Any]]:
    """Seconds until a server ends whose input holds these messages, and the lines it wrote.

    It answers one call only, ``SLOW`` seconds after it has read them all.
    """
    lines = [json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n" for message in messages]

    async def serve(incoming: Incoming, outgoing: Outgoing) -> None:
        async with outgoing:
            for _ in lines:
                await incoming.receive()
            await anyio.sleep(SLOW)
            result = JSONRPCResponse(jsonrpc="2.0", id=answered, result={})
            await outgoing.send(SessionMessage(result))
            async for _ in incoming:
                pass

    async def run(wire: StdioStreams) -> None:
        await StdioTransport(wire, lambda: None).run(serve)

    (their_end, to_server), (from_server, our_end) = os.pipe(), os.pipe()
    os.write(to_server, b"".join(lines))
    os.close(to_server)
    began = time.monotonic()
    asyncio.run(run(StdioStreams(their_end, our_end)))
    took = time.monotonic() - began
    os.close(our_end)
    os.close(their_end)
    with os.fdopen(from_server, "rb") as written:
        return took, [json.loads(line) for line in written]
