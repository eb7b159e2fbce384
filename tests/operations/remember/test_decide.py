"""Recording decisions: titles, reasons, states, and what replaces what."""

from __future__ import annotations

import pytest

from gitmem.errors import Conflict, InvalidInput, NotFound
from gitmem.operations.registry import as_json_values
from tests.support.apps import Desk


def states(desk: Desk) -> dict[str, str]:
    return {memory.title: memory.state for memory in desk.run("list", state=("any",)).memories}


def test_a_decision_keeps_title_reason_and_files(desk: Desk) -> None:
    """CF-42."""
    answer = as_json_values(
        desk.run("decide", title="Use SQLite", why="One file", path=("src/db.py",))
    )
    assert answer["action"] == "added"
    found = desk.run("show", id=answer["id"]).memory
    assert (found.kind, found.title, found.content) == ("decision", "Use SQLite", "One file")
    assert (found.status, found.state, found.paths) == ("accepted", "active", ("src/db.py",))


def test_a_decision_may_stand_without_a_reason(desk: Desk) -> None:
    answer = desk.run("decide", title="Use SQLite")
    assert desk.run("show", id=answer.id).memory.content == ""


def test_somebody_else_may_have_decided(desk: Desk) -> None:
    answer = desk.run("decide", title="Use SQLite", author="Grace")
    exported = desk.run("export").lines
    assert any('"author": "Grace"' in line and answer.id in line for line in exported)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("proposed", "proposed"),
        ("accepted", "active"),
        ("deprecated", "superseded"),
        ("superseded", "superseded"),
    ],
)
def test_each_status_has_its_state(desk: Desk, status: str, state: str) -> None:
    desk.run("decide", title="Use SQLite", status=status)
    assert states(desk) == {"Use SQLite": state}


def test_a_decision_that_supersedes_another_marks_and_links_it(desk: Desk) -> None:
    old = desk.run("decide", title="Use Postgres")
    new = desk.run("decide", title="Use SQLite", supersedes=old.id[:12])
    assert new.superseded == old.id
    assert states(desk) == {"Use Postgres": "superseded", "Use SQLite": "active"}
    assert [memory.title for memory in desk.run("list").memories] == ["Use SQLite"]
    link = desk.run("show", id=new.id).links[0]
    assert (link.relation, link.direction, link.id) == ("SUPERSEDES", "out", old.id)
    assert desk.run("show", id=old.id).memory.superseded_by == new.id


def test_a_decision_superseded_before_cannot_be_superseded_by_another(desk: Desk) -> None:
    old = desk.run("decide", title="Use Postgres")
    desk.run("decide", title="Use SQLite", supersedes=old.id)
    with pytest.raises(Conflict):
        desk.run("decide", title="Use files", supersedes=old.id)
    assert "Use files" not in states(desk)


def test_superseding_what_is_not_there_records_nothing(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.run("decide", title="Use SQLite", supersedes="ZZZZ")
    assert states(desk) == {}


def test_a_decision_cannot_supersede_itself(desk: Desk) -> None:
    first = desk.run("decide", title="Use SQLite", why="One file")
    with pytest.raises((Conflict, InvalidInput)):
        desk.run("decide", title="Use SQLite", why="One file", supersedes=first.id)
    assert states(desk) == {"Use SQLite": "active"}


@pytest.mark.parametrize("title", ["", "  ", "x" * 201])
def test_a_title_must_be_one_line_of_words(desk: Desk, title: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        desk.run("decide", title=title)
    assert refused.value.hint
    assert states(desk) == {}


def test_the_view_names_what_was_replaced(desk: Desk) -> None:
    old = desk.run("decide", title="Use Postgres")
    text = desk.text("decide", title="Use SQLite", supersedes=old.id)
    assert text.splitlines()[1] == f"supersedes {old.id}"
