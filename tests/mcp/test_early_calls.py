"""Calls that are answered without the SDK are answered as the SDK's server answers them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.mcp.conftest import Site
from tests.mcp.peers import Raw

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
    ("version", "profile"), [*((one, "default") for one in CALLING), (CALLING[-1], "compat")]
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
