"""What a connection sets for its later calls (CE-22)."""

from __future__ import annotations

from typing import Any

import pytest

from gitmem.errors import InvalidInput
from gitmem.mcp.tools import catalogue, defaults
from gitmem.operations.registry import READ, WRITE
from tests.mcp.agents import Agent, remembering, shop
from tests.support.apps import Desk


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    desk = shop(tmp_path_factory.mktemp("defaults"))
    remembering(desk)
    return desk


@pytest.fixture
def agent(desk: Desk) -> Agent:
    return Agent(desk, "full")


def test_a_limit_holds_for_later_calls_and_a_call_may_say_another(agent: Agent) -> None:
    agent("session_defaults", limit=2)
    assert len(agent.data("recall", query="cookie")["memories"]) == 2
    assert len(agent.data("recall", query="cookie", limit=4)["memories"]) == 4
    assert len(agent.data("recall", query="cookie", top_k=3)["memories"]) == 3
    assert len(agent.data("list_memories")["memories"]) == 2
    assert len(agent.data("recall", query="cookie", limit=None)["memories"]) == 2


def test_answers_say_that_defaults_were_used(agent: Agent) -> None:
    agent("session_defaults", limit=2, sources=["code"])
    assert agent.text("search", query="server").startswith("<<<gitmem:")
    head = agent.text("search", query="server").partition("\n")[0]
    assert head.endswith("source=gitmem search (defaults: limit 2, sources code)")
    assert "(defaults:" not in agent.text("status")
    batch = agent.text("batch", calls=[{"tool": "recall", "arguments": {"query": "cookie"}}])
    assert "(defaults: limit 2)" in batch


def test_they_belong_to_one_connection(desk: Desk, agent: Agent) -> None:
    agent("session_defaults", limit=1)
    other = Agent(desk, "full")
    assert len(other.data("recall", query="cookie")["memories"]) > 1
    assert other.data("session_defaults") == {"defaults": {}, "format": "compact"}


def test_they_add_up_are_shown_and_are_forgotten(agent: Agent) -> None:
    agent("session_defaults", limit=2)
    output = agent.data("session_defaults", lang=["python"], budget=400, format="full")
    assert output == {"defaults": {"budget": 400, "lang": ["python"], "limit": 2}, "format": "full"}
    assert agent.data("session_defaults") == output
    text = agent.text("session_defaults")
    assert "Defaults: budget 400, lang python, limit 2. Answers: full." in text
    again = agent.data("session_defaults", reset=True, limit=3)
    assert again == {"defaults": {"limit": 3}, "format": "compact"}
    assert "Defaults: none." in agent.text("session_defaults", reset=True)


def test_nothing_that_is_written_is_changed_by_them(agent: Agent) -> None:
    agent("session_defaults", path="src/server.py", scope="global")
    id = agent.data("remember", text="About no file at all")["id"]
    agent("session_defaults", reset=True)
    memory = agent.data("show", id=id)["memory"]
    assert "paths" not in memory
    assert memory["scope"] == "project"


def test_the_other_systems_names_set_them_too(desk: Desk) -> None:
    agent = Agent(desk, "compat")
    output = agent.data("set_session_defaults", top_k=2, language="python", under="src")
    assert output["defaults"] == {"lang": ["python"], "limit": 2, "path": "src"}


@pytest.mark.parametrize("wrong", [
    {"limit": 0}, {"limit": 101}, {"limit": "many"}, {"format": "xml"}, {"budget": 1},
    {"scope": "moon"}, {"lang": 7}, {"colour": "red"},
])  # fmt: skip
def test_a_default_that_no_call_could_have_is_refused(agent: Agent, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        agent("session_defaults", limit=5, **{k: v for k, v in wrong.items() if k != "limit"}) if (
            "limit" not in wrong
        ) else agent("session_defaults", **wrong)
    assert agent.data("session_defaults")["defaults"] == {}


def test_each_default_is_a_field_of_an_operation_that_reads() -> None:
    offers = catalogue.offered_tools("full").values()
    reading = {name for offer in offers if offer.effect == READ for name in offer.fields}
    own = catalogue.offered_tools("full")["session_defaults"].fields
    assert set(own) - {"format", "reset"} <= reading


def test_only_what_a_call_leaves_out_is_lent_and_only_to_what_reads() -> None:
    state = defaults.SessionState()
    state.values = {"limit": 2, "path": "src"}
    assert defaults.applicable_defaults(state, {"limit", "path"}, {"path"}, READ) == {"limit": 2}
    assert defaults.applicable_defaults(state, {"path"}, (), READ) == {"path": "src"}
    assert defaults.applicable_defaults(state, {"limit", "path"}, (), WRITE) == {}
