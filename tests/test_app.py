"""Under which name an agent writes."""

from __future__ import annotations

import pytest

from gitmem.settings import agent_name_to_record
from tests.support.apps import Desk
from tests.support.tables import table


@table(
    "name",
    [
        *("person", "a person", "The  User", "A\u00a0Human", "me", "Nobody", "gitmem", "a-person"),
        *("per\u200bson", "\uff50erson", "\u200b", " ", "'you'"),
    ],
)
def test_no_agent_has_a_name_that_reads_as_the_persons(name: str) -> None:
    assert agent_name_to_record(name) == "an agent"
    assert agent_name_to_record(name, "claude-code") == "claude-code"


@table("name", ["", "codex", "claude-code", "Ames", "persona", "ai", "the-reviewer", "user-bot"])
def test_any_other_name_is_kept(name: str) -> None:
    assert agent_name_to_record(name, "cursor") == name


@pytest.mark.parametrize("marked", [{}, {"GITMEM_AGENT": "me"}], ids=["flag", "setting"])
def test_what_an_agent_does_is_never_shown_as_the_persons(
    desk: Desk, marked: dict[str, str]
) -> None:
    desk.env = desk.env | marked
    desk.run("session start", goal="Tidy up", by="" if marked else "a person")
    desk.run("session end", by="" if marked else "a person")
    shown = desk.text("orient")
    assert "a person on" not in shown and "an agent on" in shown
