"""The official client over both transports of HTTP (CC-14, CE-1)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp.client.sse import sse_client

from gitmem.http.projects import NO_ROOTS
from gitmem.mcp.connection import ClientConnection
from gitmem.mcp.rpc.executor import CallExecutor
from gitmem.mcp.tools import catalogue
from tests.http.conftest import Serving, serving
from tests.http.test_service import VOLATILE, steady
from tests.mcp.conftest import Site
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
        assert listed == list(catalogue.offered_tools("default"))
        answer = agent("recall", query="redis port")
        assert not answer.is_error and "6380" in answer.content[0].text
        kept = agent("remember", text=f"Written over {transport}", kind="fact")
        assert not kept.is_error
        refused = agent("recall", query="x", repo="/nowhere/at/all")
        assert refused.is_error


def test_the_defaults_of_one_session_are_not_those_of_another(site: Any) -> None:
    with (
        serving(site.path, site.env, ["--profile", "full"]) as server,
        client(server, "streamable") as one,
        client(server, "streamable") as other,
    ):
        one("session_defaults", limit=1)
        assert len(one("list_memories").structured_content["memories"]) == 1
        assert len(other("list_memories").structured_content["memories"]) > 1


def agree(answer: Any, expected: Any, where: str) -> None:
    """An answer for an agent has the same values; it leaves out fields that say nothing."""
    if isinstance(answer, dict):
        assert answer.keys() & expected.keys(), where
        for name in (answer.keys() & expected.keys()) - VOLATILE:
            agree(answer[name], expected[name], f"{where}.{name}")
    elif isinstance(answer, list):
        assert len(answer) == len(expected), where
        for part, whole in zip(answer, expected, strict=True):
            agree(part, whole, where)
    elif where.endswith(".commit"):  # shortened
        assert answer and expected.startswith(answer), where
    else:
        assert answer == expected, where


@pytest.mark.parametrize("transport", ["streamable", "sse"])
def test_tools_answer_what_the_command_line_prints(site: Site, transport: str) -> None:
    """Reading, and then a write, a change and a removal, each seen by the other side."""
    with (
        serving(site.path, site.env, ["--profile", "full"]) as server,
        client(server, transport) as agent,
    ):
        for tool, arguments, command in (
            ("recall", {"query": "redis port"}, "recall redis port"),
            ("search", {"query": "durable queue", "limit": 3}, "search durable queue --limit 3"),
            ("list_memories", {"limit": 2}, "list --limit 2"),
            ("status", {}, "status"),
            ("timeline", {"since": "2000-01-01"}, "timeline --since 2000-01-01"),
            ("session_list", {}, "session list"),
            ("time", {"expression": "2026-11-21"}, "time 2026-11-21"),
        ):
            answer = agent(tool, **arguments).structured_content
            expected = site.gitmem(*command.split(), "--json").json
            agree(steady(answer), steady(expected), tool)
        made = agent("remember", text=f"Over {transport} and back", kind="fact")
        id = made.structured_content["id"]
        assert site.gitmem("show", id, "--json").json["memory"]["content"].startswith("Over")
        site.gitmem("revise", id, f"Revised after {transport}")
        shown = agent("show", id=id).structured_content["memory"]
        assert shown["content"] == f"Revised after {transport}"
        assert not agent("forget", id=[id]).is_error
        assert id not in [m["id"] for m in site.gitmem("list", "--json").json["memories"]]


def test_equal_calls_of_several_clients_that_wait_are_run_once(site: Site) -> None:
    """CE-24: by connections of their own, as those that each request has without sessions."""
    offer = catalogue.find_tool("repo_search", "compat")

    def client_of(name: str) -> Any:
        info = SimpleNamespace(client_info=SimpleNamespace(name=name))
        session = SimpleNamespace(client_params=info, client_capabilities=None)
        return SimpleNamespace(session=session, meta=None, request_id="1")

    async def main() -> tuple[list[Any], int]:
        executor, go_on = CallExecutor(str(site.path)), threading.Event()
        before = asyncio.ensure_future(executor.run_call("", lambda _: go_on.wait(20)))
        connections = [ClientConnection(executor, "compat") for _ in range(6)]
        for connection in connections:
            connection.places.roots = NO_ROOTS
        calls = [
            asyncio.ensure_future(
                connection.call_tool(client_of("codex"), offer, {"query": "redis"})
            )
            for connection in connections
        ]
        calls += [
            asyncio.ensure_future(
                connections[0].call_tool(client_of(name), offer, {"query": query})
            )
            for name, query in (("cursor", "redis"), ("codex", "queue"))
        ]
        await asyncio.sleep(0)
        go_on.set()
        answers = await asyncio.gather(*calls)
        assert await before
        executor.close()
        await executor.close_stores_if_idle()
        return answers, executor.shared.shared

    with pytest.MonkeyPatch.context() as patch:
        for name, value in site.env.items():
            patch.setenv(name, value)
        answers, shared = asyncio.run(main())
    assert shared == 5
    assert all(answer.data and answer.data["ok"] for answer in answers)
    assert all(answer.data == answers[0].data for answer in answers[:6])
