"""Calls that are answered without the SDK are answered as the SDK's server answers them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gitmem
from tests.mcp.conftest import Site
from tests.mcp.peers import Raw
from tests.mcp.test_life import locked

CALLING = ("2025-06-18", "2025-11-25")
CALLS: list[dict[str, Any]] = [
    {"name": "recall", "arguments": {"query": "redis ü"}},
    {"name": "recall", "arguments": {"query": "redis", "limit": 1}, "_meta": {"a": "b"}},
    {"name": "recall", "arguments": {"query": "redis", "limit": "1"}},
    {"name": "recall", "arguments": {"query": "redis", "limit": 0}},
    {"name": "recall", "arguments": {"query": "redis", "scope": "mars"}},
    {"name": "recall", "arguments": {"query": ["redis", "port"]}},
    {"name": "recall", "arguments": {"query": None}},
    {"name": "recall", "arguments": {"querry": "redis", "teleport": True}},
    {"name": "recall", "arguments": {"query": "redis", "repo": "nowhere/at/all"}},
    {"name": "recall"},
    {"name": "orient", "arguments": {"budget": 1.5}},
    {"name": "impact", "arguments": {"paths": "app.py"}},
    {"name": "teleport", "arguments": {}},
    {"name": "recall", "arguments": "redis"},
    {"name": "recall", "arguments": {"query": "redis"}, "task": {}},
    {"name": 7},
    {"arguments": {}},
]
DELIMITER = re.compile(r"gitmem:[0-9a-f]{16}")


def plain(message: Any) -> Any:
    """An answer without what differs from call to call."""
    text = DELIMITER.sub("gitmem:0", json.dumps(message))
    return json.loads(re.sub(r"\d\d:\d\d:\d\d(\.\d+)?", "12:00:00", text))


@pytest.mark.parametrize(
    ("version", "profile"), [*((item, "default") for item in CALLING), (CALLING[-1], "compat")]
)
def test_every_call_is_answered_as_the_sdk_answers(
    shared_site: Site, version: str, profile: str
) -> None:
    place, env, options = shared_site.path, shared_site.env, ("--profile", profile)
    shared_site.gitmem("remember", "Redis is on 6380 ü")
    with Raw(place, env, options=options) as early, Raw(place, env, options=options) as late:
        early.open(version)
        late.open(version)
        late.ask("nobody/knows")
        for params in CALLS:
            answers = [plain(raw.ask("tools/call", **params)) for raw in (late, early)]
            assert answers[0].pop("id") == answers[1].pop("id") + 1
            assert answers[0] == answers[1], params


LOADED = """
import sys
from gitmem.cli.main import main
assert main(["mcp"]) == 0
sys.stderr.write("LOADED " + " ".join(sys.modules))
"""


def modules(site: Site, *messages: Any) -> tuple[set[str], list[Any]]:
    """What a server loads for some messages, and its answers."""
    lines = [{"jsonrpc": "2.0", "id": n, **item} for n, item in enumerate(messages)]
    for line in lines:
        if line["method"].startswith("notifications/"):
            del line["id"]
    done = subprocess.run(
        [sys.executable, "-c", LOADED],
        input="".join(json.dumps(line) + "\n" for line in lines),
        cwd=site.path,
        env={**site.env, "PYTHONPATH": str(Path(gitmem.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.rpartition("LOADED ")[2].split()), done.stdout.splitlines()


def hello(version: str = "2025-11-25", **capabilities: Any) -> list[dict[str, Any]]:
    client = {"name": "x", "version": "1"}
    params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": client}
    return [
        {"method": "initialize", "params": params},
        {"method": "notifications/initialized"},
    ]


def call(**arguments: Any) -> dict[str, Any]:
    return {"method": "tools/call", "params": {"name": "recall", "arguments": arguments}}


def test_calls_load_neither_the_sdk_nor_pydantic(shared_site: Site) -> None:
    heavy = {"mcp", "mcp_types", "pydantic", "anyio", "numpy"}
    queries = [call(query="redis", limit=3), call(query="redis", tag=["web"]), {"method": "ping"}]
    loaded, answers = modules(shared_site, *hello(roots={"listChanged": True}), *queries)
    assert len(answers) == 4
    assert heavy & loaded == set()


@pytest.mark.parametrize(
    "messages",
    [
        [*hello("2025-03-26"), call(query="redis")],
        [*hello(roots={}), call(query="redis", repo="/")],
        [*hello(), {"method": "logging/setLevel", "params": {"level": "debug"}}],
        [hello()[0], call(query="redis")],
    ],
)
def test_what_is_beyond_plain_calls_is_served_by_the_sdk(
    shared_site: Site, messages: list[Any]
) -> None:
    loaded, answers = modules(shared_site, *messages)
    assert "mcp.server" in loaded
    assert len(answers) >= 2


def test_calls_under_way_are_answered_and_cancelled_after_the_sdk_took_over(site: Site) -> None:
    with Raw(site.path, site.env) as raw:
        raw.open()
        with locked(site.store):
            first, second, third = (
                raw.start("tools/call", name="remember", arguments={"text": f"Word {number}"})
                for number in range(3)
            )
            assert raw.ask("nobody/knows")["error"]["code"] == -32601
            raw.notify("notifications/cancelled", requestId=second)
            assert raw.ask("ping")["result"] == {}
        for id in (first, third):
            assert raw.answer(id)["result"]["isError"] is False
        listed = raw.call("recall", query="word")["content"][0]["text"]
        assert [f"Word {number}" in listed for number in range(3)] == [True, False, True]
        late = raw.start("tools/call", name="remember", arguments={"text": "The last"})
        assert raw.end()[0] == 0
        assert raw.answer(late)["result"]["isError"] is False
    assert raw.out.count(f'"id":{second},'.encode()) == 0


def test_calls_under_way_when_the_sdk_took_over_are_done_when_input_ends(site: Site) -> None:
    with Raw(site.path, site.env) as raw:
        raw.open()
        sent = [
            raw.start("tools/call", name="remember", arguments={"text": f"Word {number}"})
            for number in range(3)
        ]
        raw.start("nobody/knows")
        assert raw.end()[0] == 0
        assert [raw.answer(id)["result"]["isError"] for id in sent] == [False] * 3


def test_two_calls_with_one_id_are_both_answered(shared_site: Site) -> None:
    with Raw(shared_site.path, shared_site.env) as raw:
        raw.open()
        params = {"name": "recall", "arguments": {"query": "redis"}}
        ask = {"jsonrpc": "2.0", "id": "7", "method": "tools/call", "params": params}
        raw.send(ask, ask | {"id": 7})
        assert all("result" in raw.answer(id) for id in ("7", 7))
