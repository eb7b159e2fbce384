"""Merging memories that say the same, as somebody asks for it."""

from __future__ import annotations

import pytest

from gitmem.capture import near_duplicates
from gitmem.errors import Conflict, GitmemError, InvalidInput, NotFound
from tests.support.apps import Desk
from tests.support.stores import said


def report(desk: Desk, text: str, **more: object) -> str:
    return str(desk.run("remember", text=text, duplicates="allow", **more).id)


def test_the_others_go_into_the_first_and_come_back(desk: Desk) -> None:
    """CT-13, CT-16."""
    item = report(desk, "Redis listens on 6380.", tag=("db",), weight=2)
    two = report(desk, "Tests need Redis.", tag=("test",), weight=5)
    three = report(desk, "Redis listens on 6380.")
    text = desk.text("merge", target=item[:12], source=(two, three))
    assert text == f"merged {two}\nmerged {three}\ninto {item}, version 3"
    merged = desk.run("show", id=item)
    assert merged.memory.content == "Redis listens on 6380.\nTests need Redis."
    assert (set(merged.memory.tags), merged.memory.weight) == ({"db", "test"}, 5)
    assert desk.run("show", id=two).memory.state == "superseded"
    assert [each.id for each in desk.run("list").memories] == [item]
    log = desk.text("inbox", action="log")
    assert "smart_merge, 0.93, version 2 to 3" in log
    cosine = near_duplicates.cosine_of_memories(
        *map(said, ("Redis listens on 6380.", "Tests need Redis."))
    )
    assert 0.3 < cosine < 0.9
    assert f"smart_merge, {cosine:.2f}, version 1 to 2" in log
    assert (
        desk.text("inbox", action="undo", id=(three,))
        == f"{item} and {three} are two memories again"
    )
    desk.run("inbox", action="undo", id=(two,))
    assert {each.id for each in desk.run("list").memories} == {item, two, three}
    assert desk.run("show", id=item).memory.content == "Redis listens on 6380."


def test_what_was_stated_since_the_merge_stays_when_it_is_taken_back(desk: Desk) -> None:
    item, two = report(desk, "Port 1.", tag=("db",)), report(desk, "Port 2.", tag=("test",))
    desk.run("merge", target=item, source=(two,))
    (link,) = desk.run("show", id=two).links
    assert link.context == "merged"
    desk.run("revise", id=item, tag=("mine",))
    desk.run("inbox", action="undo", id=(two,))
    assert desk.run("show", id=item).memory.tags == ("mine",)


def test_the_strategy_is_the_one_that_is_given(desk: Desk) -> None:
    for strategy, content in (
        ("latest_wins", "Port 2."),
        ("append", "Port 1.\n\n[2026-11-21]\nPort 2."),
        ("", "Port 1.\nPort 2."),
    ):
        item, two = report(desk, "Port 1."), report(desk, "Port 2.")
        desk.run("merge", target=item, source=(two,), strategy=strategy)
        assert desk.run("show", id=item).memory.content == content


def test_what_cannot_be_merged_stays_as_it_is(desk: Desk) -> None:
    person = report(desk, "Redis listens on 6380.")
    agent = report(desk, "Redis is on 6380.", by="codex")
    everywhere = report(desk, "Prefer small commits.", scope="global")
    decision = desk.run("decide", title="Keep Redis", why="It is fast.").id
    gone = report(desk, "The old port is 6379.")
    desk.run("forget", id=(gone,))
    before = desk.run("list", state=("any",)).memories
    for target, source, by, error, words in (
        (agent, person, "codex", Conflict, "only a person"),
        (person, agent, "codex", Conflict, "only a person"),
        (person, person, "", InvalidInput, "itself"),
        (person, everywhere, "", InvalidInput, "global"),
        (person, decision, "", Conflict, "with another decision"),
        (person, gone, "", Conflict, "archived"),
        (person, "01M", "", GitmemError, "01M"),
        ("zzzz", person, "", NotFound, "zzzz"),
    ):
        with pytest.raises(error, match=words):
            desk.run("merge", by=by, target=target, source=(source,))
    assert desk.run("list", state=("any",)).memories == before
    # Of several, those that can be are merged; the others are reported.
    other = report(desk, "Redis runs in a container.")
    done = desk.run("merge", target=person, source=(everywhere, other))
    assert ([bool(item.error) for item in done.items], done.failed) == ([True, False], 1)
