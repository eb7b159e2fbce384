"""Sessions, what happened in them, and who was last seen where."""

from __future__ import annotations

import pytest

from gitmem.errors import AmbiguousReference, NotFound
from gitmem.model.frozen import replace
from gitmem.model.session import Event, LastWorktreeVisit, Session
from gitmem.store.db.connection import Database
from gitmem.store.session import sessions
from tests.support.stores import START

BASE = Session("A1".ljust(26, "0"), "codex", "", "/w", "main", "", "", "goal", "", "", 1, 1, None)

# A person and agents; the name of one is the end of another's.
WHO = ("", "codex", "x-codex", "claude-code")


def save(database: Database, **fields: object) -> Session:
    session = replace(BASE, **fields)
    with database.write():
        sessions.save_session(database, session)
    return session


def note(database: Database, number: int, **fields: object) -> Event:
    event = Event(
        f"{number:026d}", START + number, "note", BASE.id, "", "", "", "", f"note {number}"
    )
    event = replace(event, **fields)
    with database.write():
        sessions.add_event(database, event)
    return event


def test_saved_and_found_by_any_beginning(database: Database) -> None:
    session = save(database)
    assert sessions.find_session(database, "a1") == session


def test_saving_again_changes_it(database: Database) -> None:
    save(database)
    ended = save(database, summary="done", ended_at=9)
    assert sessions.recent_sessions(database, 9) == [ended]


def test_found_by_the_id_its_host_gave_it(database: Database) -> None:
    session = save(database, client_id="3f1c-77")
    assert sessions.find_session(database, "3f1c-77") == session


def test_what_fits_none_or_several_is_refused(database: Database) -> None:
    save(database)
    save(database, id="A2".ljust(26, "0"))
    with pytest.raises(AmbiguousReference):
        sessions.find_session(database, "A")
    for text in ("Z", "", "not an id"):
        with pytest.raises(NotFound):
            sessions.find_session(database, text)


def test_the_open_one_is_that_of_this_agent_in_this_work_tree(database: Database) -> None:
    save(database, id="A" * 26, ended_at=5)
    mine = save(database, id="B" * 26)
    save(database, id="C" * 26, agent="other")
    save(database, id="D" * 26, worktree="/other")
    assert sessions.find_open_session(database, worktree="/w", agent="codex") == mine
    assert sessions.find_open_session(database, worktree="/w", agent="") is None


def test_recent_ones_by_their_last_activity(database: Database) -> None:
    save(database, id="A" * 26, last_at=9)
    save(database, id="B" * 26, last_at=8, worktree="/other")
    assert [item.id[0] for item in sessions.recent_sessions(database, 9)] == ["A", "B"]
    assert [item.id[0] for item in sessions.recent_sessions(database, 9, worktree="/other")] == [
        "B"
    ]
    assert [item.id[0] for item in sessions.recent_sessions(database, 1)] == ["A"]


def test_those_that_started_or_ended_in_an_interval(database: Database) -> None:
    save(database, id="A" * 26, started_at=1, ended_at=10)
    save(database, id="B" * 26, started_at=20)
    found = [[item.id[0] for item in sessions.sessions_in_period(database, *span, 9)] for span in
             ((0, 5), (10, 10), (11, 19), (20, 30))]  # fmt: skip
    assert found == [["A"], ["A"], [], ["B"]]


def test_only_the_newest_fifty_files_are_kept(database: Database) -> None:
    """ML-2."""
    save(database)
    with database.write():
        for number in range(60):
            sessions.record_file_views(database, BASE.id, [f"f{number}.py"], START + number)
        sessions.record_file_views(database, BASE.id, ["f20.py"], START + 99)
    found = sessions.files_viewed_in_session(database, BASE.id)
    assert len(found) == sessions.MOST_FILES
    assert found[:2] == ("f20.py", "f59.py")


def test_events_newest_first_within_bounds(database: Database) -> None:
    made = [note(database, number) for number in range(4)]
    made.append(note(database, 4, type="purge", session=""))
    assert sessions.events_in_period(database) == made[::-1]
    assert sessions.events_in_period(database, since_ms=START + 1, until_ms=START + 2) == [
        made[2],
        made[1],
    ]
    assert sessions.events_in_period(database, types=("purge", "x")) == [made[4]]
    assert sessions.events_in_period(database, session=BASE.id, limit=1) == [made[3]]


def test_events_of_one_moment_stay_in_the_order_they_were_written(database: Database) -> None:
    made = [note(database, number, at=START) for number in (3, 1, 2)]
    assert sessions.events_in_period(database) == made[::-1]


def test_each_reader_has_a_presence_of_its_own(database: Database) -> None:
    observed = {
        agent: LastWorktreeVisit("/w", START + n, "a", "main", None, "")
        for n, agent in enumerate(WHO)
    }
    for number, (agent, presence) in enumerate(observed.items()):
        assert sessions.last_worktree_visit(database, "/w", agent) is None
        with database.write():
            sessions.save_worktree_visit(database, presence, agent)
        for other, output in list(observed.items())[: number + 1]:
            assert sessions.last_worktree_visit(database, "/w", other) == output
            assert sessions.last_worktree_visit(database, "/new", other) == output


def test_a_new_work_tree_knows_who_was_last_anywhere(database: Database) -> None:
    assert sessions.last_worktree_visit(database, "/w") is None
    here = LastWorktreeVisit("/w", START, "a", "main", None, "")
    there = LastWorktreeVisit("/other", START + 5, "b", "main", START, "a")
    with database.write():
        sessions.save_worktree_visit(database, here)
        sessions.save_worktree_visit(database, there)
    assert sessions.last_worktree_visit(database, "/w") == here
    assert sessions.last_worktree_visit(database, "/new") == there
