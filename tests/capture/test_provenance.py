"""What an agent may change: what agents wrote, never what a person said or accepted."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from gitmem.errors import Conflict, GitmemError
from tests.mcp.agents import Agent
from tests.support.apps import DAY, HOUR, Desk

Change = tuple[str, dict[str, Any]]


def changes(id: str, own: str, *, pinned: bool = False) -> list[Change]:
    """Every verb that makes a new version of a memory or takes it away, aimed at ``id``."""
    return [
        ("forget", {"id": (id,)}),
        ("unpin" if pinned else "pin", {"id": (id,)}),
        ("revise", {"id": id, "text": "Obey"}),
        ("revise", {"id": id, "ttl": "1s"}),
        ("revise", {"id": id, "weight": 1}),
        ("promote", {"id": (id,), "to": "working"}),
        ("promote", {"id": (id,), "to": "global"}),
        ("verify", {"id": (id,), "retire": True}),
        ("verify", {"id": (id,), "correct": "Obey"}),
        ("verify", {"id": (id,), "accept": True}),
        ("verify", {"id": (id,), "re_anchor": "README.md"}),
        ("link", {"source": own, "target": id, "relation": "SUPERSEDES"}),
    ]


def only_people(id: str) -> list[Change]:
    """Verbs that no agent runs, whoever wrote what they are about."""
    return [
        ("purge", {"id": (id,)}),
        ("trust", {"id": (id,)}),
        ("trust", {"id": (id,), "tier": "foreign"}),
        ("restore-backup", {}),
        ("deinit", {"purge": True}),
        ("import", {"source": "", "piped": True, "trust": True}),
    ]


def as_exported(desk: Desk, id: str) -> dict[str, Any]:
    found = next(item for item in map(json.loads, desk.run("export").lines) if item.get("id") == id)
    return dict(found)


def by_command(desk: Desk, verb: str, values: dict[str, Any]) -> object:
    return desk.run(verb, by="codex", **values)


def by_variable(desk: Desk, verb: str, values: dict[str, Any]) -> object:
    other = desk.at(desk.place)
    other.env = desk.env | {"GITMEM_AGENT": "codex"}
    return other.run(verb, **values)


def by_host_mark(desk: Desk, verb: str, values: dict[str, Any]) -> object:
    other = desk.at(desk.place)
    other.env = desk.env | {"CLAUDECODE": "1"}
    return other.run(verb, **values)


def by_tool(profile: str) -> Callable[[Desk, str, dict[str, Any]], object]:
    def call(desk: Desk, verb: str, values: dict[str, Any]) -> object:
        return Agent(desk, profile).call(verb, values)

    return call


def by_batch(desk: Desk, verb: str, values: dict[str, Any]) -> object:
    output = Agent(desk, "full").data("batch", calls=[{"tool": verb, "arguments": values}])
    if output["failed"]:
        raise Conflict(json.dumps(output), "person")
    return output


CHANNELS = {
    "command": by_command,
    "variable": by_variable,
    "host mark": by_host_mark,
    "default tools": by_tool("default"),
    "all tools": by_tool("full"),
    "names of other systems": by_tool("compat"),
    "batch": by_batch,
}


@pytest.fixture
def theirs(desk: Desk) -> str:
    """What a person said, of a file that is there."""
    return str(
        desk.run("remember", text="Deploys are on Tuesday", path=("README.md",), pin=True).id
    )


def test_no_verb_by_no_channel_changes_what_a_person_wrote_or_accepted(
    desk: Desk, theirs: str
) -> None:
    own = desk.run("remember", text="Deploys are on Friday", by="codex").id
    accepted = desk.run("remember", text="The cache is per worker", by="codex").id
    desk.run("trust", id=(accepted,))
    for id in (theirs, accepted):
        before = as_exported(desk, id)
        for name, channel in CHANNELS.items():
            # One id at a time is dear; each verb comes by the command, a few by every channel.
            expected = changes(id, own, pinned=before["pinned"])
            few = 99 if name in ("command", "all tools") else 4
            for verb, values in expected[:few]:
                # The short list of tools does not know them all.
                with pytest.raises(GitmemError if name == "default tools" else Conflict):
                    channel(desk, verb, values)
            assert as_exported(desk, id) == before, name
    assert as_exported(desk, own)["superseded_by"] == ""
    desk.run("forget", id=(theirs,))
    with pytest.raises(Conflict):
        desk.run("restore", id=(theirs,), by="codex")


def test_the_refusal_says_what_an_agent_can_do_instead(desk: Desk, theirs: str) -> None:
    with pytest.raises(Conflict) as refused:
        desk.run("forget", id=(theirs,), by="codex")
    assert "said by a person" in refused.value.message and "codex" in refused.value.message
    assert "Ask the person" in refused.value.hint and "CONTRADICTS" in refused.value.hint
    decision = desk.run("decide", title="Use SQLite").id
    with pytest.raises(Conflict) as refused:
        desk.run("revise", id=decision, status="deprecated", by="codex")
    assert f"--supersedes {decision[:12]}" in refused.value.hint


def test_some_verbs_are_for_people_alone(desk: Desk) -> None:
    desk.run("backup")
    own = desk.run("remember", text="Deploys are on Friday", by="codex").id
    before = as_exported(desk, own)
    for name in ("command", "variable", "host mark", "all tools", "names of other systems"):
        for verb, values in only_people(own):
            with pytest.raises(GitmemError):
                CHANNELS[name](desk, verb, values)
            assert as_exported(desk, own) == before, (name, verb)
    assert desk.run("deinit", purge=True, dry_run=True, by="codex").store == "removed"


def test_what_agents_wrote_agents_change(desk: Desk) -> None:
    other = desk.run("remember", text="Deploys are on Monday", by="cursor").id
    for verb, values in changes("", other):
        if (verb == "verify" and "accept" in values) or values.get("to") == "global":
            continue  # it cites nothing; what holds in every project a person says
        id = desk.run("remember", text=f"Friday {verb} {values}", by="cursor").id
        named = {"target": id} if verb == "link" else {"id": id if verb == "revise" else (id,)}
        desk.run(verb, by="codex", **(values | named))
        assert desk.run("history", id=id).versions[-1].agent == "codex", (verb, values)


def test_an_agents_decision_against_a_persons_is_a_proposal(desk: Desk) -> None:
    old = desk.run("decide", title="Use SQLite, not a server", why="One file").id
    made = desk.run("decide", title="Use Postgres", why="Writers", supersedes=old, by="codex")
    assert (made.action, made.superseded) == ("added", "")
    assert old[:12] in made.notes[-1] and "proposed" in made.notes[-1]
    shown = desk.run("show", id=made.id)
    assert shown.memory.status == "proposed"
    assert desk.run("show", id=old).memory.state == "active"
    assert f"CONTRADICTS -> {old[:8]}" in desk.text("related", id=made.id)
    # The person decides.
    desk.run("link", source=made.id, target=old, relation="SUPERSEDES")
    desk.run("revise", id=made.id, status="accepted")
    assert desk.run("show", id=old).memory.superseded_by == made.id


def test_an_agent_that_repeats_a_person_neither_weighs_nor_ends_it(desk: Desk) -> None:
    text = "Deploys are on Tuesday, after the standup of the whole team"
    id = desk.run("remember", text=text, ttl="30d").id
    before = as_exported(desk, id)
    more = {"ttl": "1s", "weight": 5, "pin": True, "tag": ("x",), "path": ("README.md",)}
    for message in (text, text.upper(), text + "!"):
        for mode in ("skip", "merge"):
            desk.run("remember", text=message, duplicates=mode, by="codex", **more)
            assert as_exported(desk, id) == before, (message, mode)
    assert desk.run("remember", text=text, by="codex").action == "reinforced"


def test_fading_asked_for_by_an_agent_leaves_what_people_wrote(desk: Desk, theirs: str) -> None:
    own = [desk.run("remember", text=f"Friday {n}", by="codex").id for n in range(9)]
    desk.run("unpin", id=(theirs,))
    desk.clock.advance(400 * DAY)
    assert len(desk.run("decay", dry_run=True, by="codex").archived) == 2
    done = [item.id for _ in range(9) for item in desk.run("decay", by="codex").archived]
    assert set(done) <= set(own)
    assert as_exported(desk, theirs)["archived_at"] is None
    desk.clock.advance(HOUR)
    done = [item.id for _ in range(9) for item in desk.run("decay").archived]
    assert theirs in done


def test_what_a_person_archived_no_agent_brings_back(desk: Desk) -> None:
    id = desk.run("remember", text="Deploy on Friday", by="codex").id
    desk.run("forget", id=(id,), by="codex")
    desk.run("restore", id=(id,), by="codex")  # its own doing
    desk.run("forget", id=(id,))
    with pytest.raises(Conflict, match="A person archived"):
        desk.run("restore", id=(id,), by="codex")
    assert as_exported(desk, id)["archived_at"]
    desk.run("restore", id=(id,))
    assert as_exported(desk, id)["archived_at"] is None


def test_agents_do_not_outvote_a_person_who_marks_as_wrong(desk: Desk) -> None:
    id = desk.run("remember", text="Deploy on Friday", by="codex").id
    desk.run("feedback", id=(id,), wrong=True)
    for _ in range(4):
        (marked,) = desk.run("feedback", id=(id,), useful=True, by="codex").items
        assert marked.doubted
    with pytest.raises(GitmemError, match="feedback"):
        desk.run("revise", id=id, metadata='{"feedback": null}', by="codex")
    (marked,) = desk.run("feedback", id=(id,), useful=True).items
    assert not marked.doubted
    # What an agent marked itself, agents may take back.
    desk.run("feedback", id=(id,), wrong=True, by="codex")
    marks = [desk.run("feedback", id=(id,), useful=True, by="codex").items[0] for _ in range(4)]
    assert not marks[-1].doubted


@pytest.mark.parametrize("by", ["", "codex"], ids=["person", "agent"])
def test_what_is_foreign_supersedes_nothing_until_it_is_accepted(desk: Desk, by: str) -> None:
    own = desk.run("remember", text="Deploy on Tuesday", by="codex").id
    theirs = desk.run("remember", text="Deploy on Friday, unasked", by="codex").id
    desk.run("trust", id=(theirs,), tier="foreign")
    tie = {"source": theirs, "target": own, "relation": "SUPERSEDES"}
    with pytest.raises(Conflict, match="is foreign"):
        desk.run("link", **tie, by=by)
    assert desk.run("show", id=own).memory.state == "active"
    desk.run("trust", id=(theirs,))
    desk.run("link", **tie, by=by)
    assert desk.run("show", id=own).memory.superseded_by == theirs


def test_what_waits_supersedes_nothing_by_an_agents_word(desk: Desk) -> None:
    own = desk.run("remember", text="Deploy on Tuesday", by="codex").id
    waits = desk.run("decide", title="Deploy on Friday", status="proposed", by="codex").id
    with pytest.raises(Conflict, match="not accepted yet"):
        desk.run("link", source=waits, target=own, relation="SUPERSEDES", by="codex")
    assert desk.run("show", id=own).memory.state == "active"
