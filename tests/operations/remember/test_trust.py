"""A person says what is trusted; nobody else does, and nobody changes who said it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gitmem.app import App
from gitmem.clock import SystemClock
from gitmem.errors import Conflict, NotFound
from gitmem.operations.remember.trust import MemoryTrustRequest, set_memory_trust
from gitmem.settings import Settings
from gitmem.store.memory import memories
from tests.support.apps import Desk


def record(desk: Desk, id: str) -> dict[str, Any]:
    return next(item for item in map(json.loads, desk.run("export").lines) if item.get("id") == id)


def tier(desk: Desk, id: str) -> str:
    app = desk.app()
    memory = memories.get_memory(app.store, id)
    app.close()
    assert memory
    return memory.trust_tier


@pytest.fixture
def memory(desk: Desk) -> str:
    return str(desk.run("remember", text="Redis is on 6380", by="codex").id)


def test_a_person_accepts_what_an_agent_wrote(desk: Desk, memory: str) -> None:
    assert tier(desk, memory) == "agent"
    assert desk.text("trust", id=(memory,)) == f"accepted {memory}"
    assert tier(desk, memory) == "accepted"
    last = desk.run("history", id=memory).versions[-1]
    assert (last.version, last.action, last.agent) == (2, "accepted", "")
    assert record(desk, memory)["agent"] == "codex"


def test_a_person_stops_believing(desk: Desk, memory: str) -> None:
    desk.run("trust", id=(memory,), tier="foreign")
    assert tier(desk, memory) == "foreign"
    assert desk.run("recall", query="redis").memories[0].id == memory


@pytest.mark.parametrize("tier", ["accepted", "foreign"])
def test_an_agent_may_neither_accept_nor_reject(desk: Desk, memory: str, tier: str) -> None:
    with pytest.raises(Conflict) as refused:
        desk.run("trust", id=(memory,), tier=tier, by="codex")
    assert "codex" in refused.value.message and "person" in refused.value.hint
    assert desk.run("show", id=memory).memory.version == 1


def test_over_mcp_nobody_is_a_person(desk: Desk, memory: str) -> None:
    app = App(Settings(desk.env), SystemClock(), str(desk.place), source="ai_inferred")
    with pytest.raises(Conflict):
        set_memory_trust(app, MemoryTrustRequest((memory,)))
    app.close()


def test_of_many_each_is_reported(desk: Desk, memory: str) -> None:
    own = desk.run("remember", text="Mine").id
    answer = desk.run("trust", id=(memory, own, "ZZZZ"))
    assert [bool(item.error) for item in answer.items] == [False, True, True]
    assert answer.failed == 2


def test_what_is_trusted_already_and_what_is_not_there(desk: Desk, memory: str) -> None:
    desk.run("trust", id=(memory,))
    with pytest.raises(Conflict):
        desk.run("trust", id=(memory,))
    with pytest.raises(NotFound):
        desk.run("trust", id=("ZZZZ",))


def test_a_person_who_says_the_same_accepts_it_and_an_agent_does_not(
    desk: Desk, memory: str
) -> None:
    desk.run("remember", text="Redis is on 6380", by="claude-code")
    assert tier(desk, memory) == "agent"
    desk.run("remember", text="Redis is on 6380")
    assert tier(desk, memory) == "accepted"


@pytest.mark.parametrize("by", ["", "claude-code"])
def test_what_is_foreign_is_not_believed_by_being_repeated(
    desk: Desk, memory: str, by: str
) -> None:
    desk.run("trust", id=(memory,), tier="foreign")
    again = desk.run("remember", text="Redis is on 6380", by=by).id
    assert (tier(desk, memory), tier(desk, again)) == ("foreign", "agent" if by else "person")


def test_no_command_changes_who_stated_it_where_and_when(desk: Desk, memory: str) -> None:
    """CF-43, S-20."""
    names = ("source", "agent", "author", "session", "branch", "commit", "created_at", "project")
    before = {name: record(desk, memory)[name] for name in names}
    other = desk.run("decide", title="Other", by="cursor").id
    for verb, values in (
        ("revise", {"text": "Obey", "metadata": '{"agent": "me", "author": "me"}', "by": "cursor"}),
        ("remember", {"text": "Obey", "by": "cursor"}),
        ("pin", {"by": "cursor"}),
        ("forget", {"by": "cursor"}),
        ("restore", {"by": "cursor"}),
        ("trust", {}),
        ("trust", {"tier": "foreign"}),
        ("link", {"source": other, "target": memory, "relation": "SUPERSEDES", "by": "cursor"}),
    ):
        named = {"id": (memory,)} if verb in ("pin", "trust", "forget", "restore") else {}
        named = {"id": memory} if verb == "revise" else named
        desk.run(verb, **named, **values)
        assert {name: record(desk, memory)[name] for name in names} == before, verb


def test_an_agent_puts_no_words_into_a_persons_memory(desk: Desk) -> None:
    """S-20: nobody speaks in a person's name."""
    id = desk.run("remember", text="Redis is on 6380").id
    for changes in ({"weight": 5}, {"text": "Obey"}):
        with pytest.raises(Conflict):
            desk.run("revise", id=id, **changes, by="codex")
    assert tier(desk, id) == "person"
    assert desk.run("show", id=id).memory.version == 1
    other = desk.run("remember", text="The cache is per worker", by="codex").id
    desk.run("revise", id=other, text="The cache is per process")
    assert tier(desk, other) == "agent"
