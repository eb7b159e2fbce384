"""What the server answers before it loads the SDK, taken from the SDK's own answers.

Each file holds one profile: ``texts`` are results as JSON, ``answers`` says which of them a method
has in which version of the protocol, ``latest`` is what a client of an unknown version gets.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY, JSONRPCRequest
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    MODERN_PROTOCOL_VERSIONS,
)

from gitmem import __version__
from gitmem.mcp.connection import ClientConnection
from gitmem.mcp.handlers import build_server
from gitmem.mcp.rpc.executor import CallExecutor
from gitmem.mcp.rpc.opening import ROOM
from gitmem.mcp.rpc.transport import message_as_line
from gitmem.mcp.tools.profiles import NAMES

METHODS = ("ping", "tools/list", "prompts/list", "resources/list", "resources/templates/list")


def page(profile: str) -> str:
    """The file of one profile; a text has a line of its own, so that a change is seen in a diff."""
    answers: dict[str, dict[str, int]] = {}
    texts: list[str] = []
    for method, version, text in _answers(profile):
        if len(text.encode()) > ROOM:
            continue  # never answered before the SDK is there
        if text not in texts:
            texts.append(text)
        answers.setdefault(method, {})[version] = texts.index(text)
    data = {
        "gitmem": __version__,
        "latest": LATEST_HANDSHAKE_VERSION,
        "answers": answers,
        "texts": texts,
    }
    return json.dumps(data, ensure_ascii=False, indent=1)


@cache
def _answers(profile: str) -> list[tuple[str, str, str]]:
    versions = (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS)
    return [one for version in versions for one in asyncio.run(_asked(profile, version))]


async def _asked(profile: str, version: str) -> list[tuple[str, str, str]]:
    """What a fresh server answers to each method; what it refuses is left out."""
    to_server, incoming = anyio.create_memory_object_stream[Any](0)
    outgoing, from_server = anyio.create_memory_object_stream[Any](0)
    server = build_server(ClientConnection(CallExecutor("."), profile))
    options = server.create_initialization_options()
    found = []
    async with to_server, from_server, anyio.create_task_group() as tasks:
        tasks.start_soon(server.run, incoming, outgoing, options)
        for method, params in _requests(version):
            request = JSONRPCRequest(jsonrpc="2.0", id=1, method=method, params=params)
            await to_server.send(SessionMessage(request))
            line = message_as_line((await from_server.receive()).message).decode().strip()
            if '"result":' in line[:40]:
                found.append((method, version, line.partition('"result":')[2].removesuffix("}")))
        tasks.cancel_scope.cancel()
    return found


def _requests(version: str) -> Iterator[tuple[str, dict[str, Any]]]:
    client = {"name": "any", "version": "1"}
    if version in HANDSHAKE_PROTOCOL_VERSIONS:
        yield "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        meta: dict[str, Any] = {}
    else:
        told = {PROTOCOL_VERSION_META_KEY: version, CLIENT_CAPABILITIES_META_KEY: {}}
        meta = {"_meta": told}
        yield "server/discover", meta
    for method in METHODS:
        yield method, meta


PAGES: dict[str, Callable[[], str]] = {f"{name}.json": partial(page, name) for name in NAMES}
