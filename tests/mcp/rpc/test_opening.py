"""What is answered before the SDK is there is what the SDK answers, and the rest is left to it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitmem.mcp.connection import ClientConnection
from gitmem.mcp.handlers import build_server
from gitmem.mcp.rpc.executor import CallExecutor
from gitmem.mcp.rpc.opening import (
    LONGEST,
    ROOM,
    Handshake,
    answer_handshake,
    read_pregenerated_answers,
)
from gitmem.mcp.rpc.stdio import StdioStreams
from gitmem.mcp.rpc.transport import StdioTransport
from gitmem.mcp.tools.profiles import NAMES

CLIENT = {"name": "any", "version": "1"}
KEY = "io.modelcontextprotocol/"
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
SHORT_LISTS = LISTS[:1]  # of the default profile
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
PING = {"jsonrpc": "2.0", "id": "ping", "method": "ping"}


def request(id: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, **({"params": params} if params else {})}


def hello(version: Any = "2025-11-25", **other: Any) -> dict[str, Any]:
    output = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT} | other
    return request(0, "initialize", **output)


def modern(id: Any, method: str, **other: Any) -> dict[str, Any]:
    envelope = {f"{KEY}protocolVersion": "2026-07-28", f"{KEY}clientCapabilities": {}}
    return request(id, method, _meta=envelope | other)


def written(messages: list[Any]) -> bytes:
    return b"".join(
        message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        for message in messages
    )


def by_sdk(data: bytes, profile: str, before: bytes = b"", answered: Any = ()) -> list[bytes]:
    """The lines that the SDK's server writes for some input."""
    (their_end, to_server), (from_server, our_end) = os.pipe(), os.pipe()
    os.write(to_server, data)
    os.close(to_server)
    desk = CallExecutor(".")

    async def serve() -> None:
        server = build_server(ClientConnection(desk, profile))
        options = server.create_initialization_options()
        transport = StdioTransport(StdioStreams(their_end, our_end), desk.close, before, answered)
        await transport.run(lambda incoming, outgoing: server.run(incoming, outgoing, options))

    asyncio.run(serve())
    os.close(our_end)
    os.close(their_end)
    with os.fdopen(from_server, "rb") as lines:
        return list(lines)


def by_both(data: bytes, profile: str = "default") -> tuple[list[bytes], list[bytes]]:
    """The lines answered before the SDK, and those it adds for the rest of the input."""
    early: list[bytes] = []
    chunks = [data]
    opening = Handshake(read_pregenerated_answers(profile))
    before = answer_handshake(lambda: chunks.pop() if chunks else b"", early.append, opening)
    late = [] if before is None else by_sdk(b"", profile, before, opening.answered)
    return early, late


Conversation = tuple[str, list[Any], int | None]
RICH = hello(
    capabilities={
        "roots": {"listChanged": True},
        "sampling": {},
        "elicitation": {"form": {}},
        "experimental": {"x": {"y": 1}},
    },
    clientInfo={
        **CLIENT,
        "title": "T",
        "icons": [{"src": "https://example.org", "sizes": ["48x48"]}],
    },
    _meta={"progressToken": 1},
)
HALF_ENVELOPE = {f"{KEY}protocolVersion": "2026-07-28"}
WRONG_HANDSHAKES: tuple[dict[str, Any], ...] = (
    {"protocolVersion": 7},
    {"capabilities": None},
    {"capabilities": {"roots": 1}},
    {"capabilities": {"roots": {"listChanged": "x"}}},
    {"clientInfo": None},
    {"clientInfo": {"name": "x"}},
    {"clientInfo": {**CLIENT, "version": 1}},
    {"clientInfo": {**CLIENT, "icons": [{}]}},
    {"_meta": {"progressToken": 1.5}},
)
ODD_IDS = ("ü", 'a"', 1 << 60, 1.5, None, True, [])
# What a client says, and how many of the answers need no SDK (all of them: None).
CONVERSATIONS: list[Conversation] = [
    (
        "all of 2026",
        [modern(1, "server/discover"), *(modern(name, name) for name in SHORT_LISTS)],
        None,
    ),
    ("a list of 2026 first", [modern(1, "tools/list"), modern(2, "server/discover")], None),
    ("who asks", [modern(1, "tools/list", **{f"{KEY}clientInfo": CLIENT})], None),
    ("a version of tomorrow", [hello("2031-01-01"), request(1, "tools/list")], None),
    ("a version of another kind", [hello("2026-07-28"), request(1, "tools/list")], None),
    ("what real clients say", [RICH], None),
    ("a token", [hello(), request(1, "tools/list", _meta={"progressToken": "p"})], None),
    ("empty parameters", [hello(), {**PING, "params": {}}], None),
    ("empty lines", [b"\n", hello(), b" \r\n", PING], None),
    ("an unfinished line", [hello(), b'{"jsonrpc":"2.0","id":1,"method":"ping"}'], 1),
    ("half a line", [hello(), b'{"jsonrpc":"2.0","id":1,'], 1),
    ("garbage first", [b"garbage\n", hello(), PING], 0),
    ("garbage later", [hello(), b"garbage\n", PING], 1),
    ("two handshakes", [hello(), {**hello(), "id": 5}], 1),
    ("a list before the handshake", [request(1, "tools/list"), hello(), PING], 0),
    ("a ping before the handshake", [PING, hello()], 0),
    ("an early notification", [READY, hello()], 0),
    ("a handshake after 2026", [modern(1, "server/discover"), hello()], 1),
    ("2026 after a handshake", [hello(), modern(1, "tools/list")], 1),
    ("half an envelope", [request(1, "tools/list", _meta=HALF_ENVELOPE)], 0),
    ("a cursor", [hello(), request(1, "tools/list", cursor="next")], 1),
    ("an unknown method", [hello(), request(1, "tools/fold"), PING], 1),
    ("an unknown tool", [hello(), request(1, "tools/call", name="teleport")], 1),
    ("null for parameters", [hello(), {**request(1, "tools/list"), "params": None}], 1),
    ("a list of parameters", [hello(), {**request(1, "tools/list"), "params": []}], 1),
    ("a batch", [hello(), [PING]], 1),
    ("ids", [hello(), *({**PING, "id": id} for id in ("a-1", -3, 1 << 40))], None),
    *((f"the id {id!r}", [hello(), {**PING, "id": id}], 1) for id in ODD_IDS),
]


def conversations() -> Iterator[Conversation]:
    """All of them, with those that differ in one word."""
    yield from CONVERSATIONS
    for version in VERSIONS:
        queries = [request(name, name) for name in SHORT_LISTS]
        yield f"all of {version}", [hello(version), READY, PING, *queries], None
    for wrong in WRONG_HANDSHAKES:
        params = hello()["params"] | wrong
        yield f"a handshake with {wrong}", [{**hello(), "params": params}, PING], 0


def test_what_is_answered_early_and_late_is_together_what_the_sdk_answers() -> None:
    for name, messages, expected in conversations():
        data = written(messages)
        early, late = by_both(data)
        assert sorted(early + late) == sorted(by_sdk(data, "default")), name
        assert (len(early) == expected) if expected is not None else (early and not late), name


def test_every_profile_is_answered_as_the_sdk_answers() -> None:
    data = written([hello(), READY, *(request(name, name) for name in LISTS)])
    for profile in NAMES:
        early, late = by_both(data, profile)
        assert sorted(early + late) == sorted(by_sdk(data, profile)), profile
        # All tools there are do not fit the pipe.
        fits = "tools/list" in json.dumps([line.decode() for line in early])
        assert fits == (profile != "compat")


def test_without_frozen_answers_for_this_version_the_sdk_gives_all(tmp_path: Path) -> None:
    for text in (None, "", "[]", "{}", '{"gitmem": "0.0.0"}', "\x00"):
        if text is not None:
            (tmp_path / "default.json").write_text(text, encoding="utf-8")
        opening = Handshake(read_pregenerated_answers("default", str(tmp_path)))
        assert opening.answer_line(written([hello()])) is None


def test_no_more_is_answered_early_than_a_pipe_takes_if_nobody_reads() -> None:
    queries = [hello(), *(request(n, "tools/list") for n in range(60))]
    chunks, early = [written(queries)], list[bytes]()
    before = answer_handshake(
        chunks.pop, early.append, Handshake(read_pregenerated_answers("default"))
    )
    assert sum(map(len, early)) <= ROOM
    assert len(early) > 3
    assert before == written([queries[0], *queries[len(early) :]])


def test_a_line_without_end_is_left_to_the_sdk_and_nothing_of_it_is_lost() -> None:
    chunks = [b"x" * LONGEST, b"x" * LONGEST, written([hello()])]
    message: list[bytes] = []
    before = answer_handshake(
        chunks.pop, message.append, Handshake(read_pregenerated_answers("default"))
    )
    assert before == written([hello()]) + b"x" * LONGEST * (2 - len(chunks))
    assert len(message) == 1
    assert len(chunks) == 0


@pytest.mark.parametrize("ends", [b"", b"\n"])
def test_a_client_that_leaves_after_the_handshake_needs_no_sdk(ends: bytes) -> None:
    early, late = by_both(written([hello(), READY, ends]))
    assert (len(early), late) == (1, [])
