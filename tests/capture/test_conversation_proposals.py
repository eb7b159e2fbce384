"""Conventions, decisions and fixes of sessions come into the inbox, unless something says them."""

from __future__ import annotations

from gitmem.capture import conversation_proposals
from gitmem.model.exchange import ToolCall
from tests.support.apps import DAY, NOW, Desk
from tests.support.conversations import ID, put
from tests.support.repos import RepoBuilder

EDIT, RUN = ToolCall("Edit", ("src/pool.py",), "ok"), ToolCall("Bash", (), "ok")
LINES = (
    ("No, use pnpm in this repository.", "Noted.", ()),
    (
        "the pool test fails",
        "The issue was that `acquire()` never gave the connection back.",
        (EDIT, RUN),
    ),
)


def propose(desk: Desk) -> int:
    app = desk.app()
    try:
        return conversation_proposals.propose_from_conversations(app, app.store, [ID])
    finally:
        app.close()


def test_they_wait_in_the_inbox_with_their_exchange(desk: Desk) -> None:
    put(desk, LINES)
    assert propose(desk) == 2
    entries = {entry.memory_kind: entry for entry in desk.run("inbox").items}
    convention, fix = entries["convention"], entries["fix"]
    assert convention.title == "Use pnpm in this repository"
    assert f"gitmem session show {ID}#1" in convention.reason
    assert "src/pool.py" in fix.content and f"{ID}#2" in fix.reason
    assert desk.run("recall", query="pnpm").memories == ()


def test_the_same_is_proposed_once_and_a_rejected_one_never_again(desk: Desk) -> None:
    put(desk, LINES[:1])
    assert (propose(desk), propose(desk)) == (1, 0)
    (entry,) = desk.run("inbox").items
    desk.run("inbox", action="reject", id=(entry.id,))
    assert propose(desk) == 0


def test_what_a_note_a_memory_or_a_commit_says_is_not_proposed(
    desk: Desk, repo: RepoBuilder
) -> None:
    put(desk, (("Always squash branches before merging.", "", ()),))
    desk.run("remember", text="Always squash branches before merging them")
    assert propose(desk) == 0
    put(desk, (("Never commit generated parsers.", "", ()),))
    repo.commit("Say so", {"AGENTS.md": "# Rules\n\nNever commit generated parsers.\n"})
    desk.run("index")
    assert propose(desk) == 0
    put(desk, (("Always sort translation keys.", "", ()),))
    repo.commit("Always sort translation keys", {"a.txt": "1\n"})
    desk.run("index")
    assert propose(desk) == 0


def test_common_words_that_stand_in_a_note_by_chance_do_not_say_it(
    desk: Desk, repo: RepoBuilder
) -> None:
    put(desk, (("No, use just, not make.", "", ()), ("no, use pnpm", "", ())))
    note = "# Build\n\nTo make it, use the script. This is not all: just call pnpm.\n"
    repo.commit("Add notes", {"README.md": note})
    desk.run("index")
    assert propose(desk) == 2
    for entry in desk.run("inbox").items:
        desk.run("inbox", action="defer", id=(entry.id,))
    put(desk, (("No, use yarn, not npm.", "", ()),))
    repo.commit("Say so", {"AGENTS.md": "# Rules\n\n- Use yarn and\n  not npm here.\n- Be kind.\n"})
    desk.run("index")
    assert propose(desk) == 0


def test_old_sessions_and_a_switched_off_capture_propose_nothing(desk: Desk) -> None:
    put(desk, LINES, at=NOW - 100 * DAY)
    assert propose(desk) == 0
    put(desk, LINES)
    desk.env["GITMEM_CAPTURE_EVERY"] = "0"
    assert propose(desk) == 0
