"""The official client over both transports of HTTP (CC-14, CE-1)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp.client.sse import sse_client

from gitmem.mcp.tools import catalogue
from tests.http.conftest import Serving
from tests.mcp.peers import Connected


@contextmanager
def client(server: Serving, transport: str) -> Iterator[Connected]:
    """A client of the SDK, connected over a transport."""
    with start_blocking_portal() as portal:
        where: Any = sse_client(f"{server.url}/sse") if transport == "sse" else f"{server.url}/mcp"
        made = Client(where, mode="legacy" if transport != "modern" else "auto")
        with portal.wrap_async_context_manager(made):
            yield Connected(portal, made)


@pytest.mark.parametrize("transport", ["streamable", "modern", "sse"])
def test_the_official_client_is_answered_as_over_stdio(server: Serving, transport: str) -> None:
    with client(server, transport) as agent:
        listed = [tool.name for tool in agent.ask("list_tools").tools]
        assert listed == list(catalogue.offers("default"))
        answer = agent("recall", query="redis port")
        assert not answer.is_error and "6380" in answer.content[0].text
        kept = agent("remember", text=f"Written over {transport}", kind="fact")
        assert not kept.is_error
        refused = agent("recall", query="x", repo="/nowhere/at/all")
        assert refused.is_error


def test_the_defaults_of_one_session_are_not_those_of_another(site: Any) -> None:
    from tests.http.conftest import serving

    with (
        serving(site.path, site.env, ["--profile", "full"]) as server,
        client(server, "streamable") as one,
        client(server, "streamable") as other,
    ):
        one("session_defaults", limit=1)
        assert len(one("list_memories").structured_content["memories"]) == 1
        assert len(other("list_memories").structured_content["memories"]) > 1
