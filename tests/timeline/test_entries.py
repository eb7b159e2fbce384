"""One ordered list out of commits, memories, sessions and notes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.git.log_output import Commit
from gitmem.model.session import Event, Session
from gitmem.timeline.entries import (
    TimelineEntry,
    entries_of_commits,
    entries_of_events,
    entries_of_sessions,
    newest_entries,
)

ENTRIES = st.lists(
    st.builds(
        TimelineEntry,
        at=st.integers(0, 50),
        type=st.sampled_from(["commit", "note"]),
        ref=st.text("abc", max_size=2),
        who=st.just(""),
        text=st.just(""),
    ),
    max_size=30,
)


@given(ENTRIES, st.integers(0, 50), st.integers(0, 50), st.integers(1, 10))
def test_the_newest_of_the_interval_oldest_first(
    entries: list[TimelineEntry], since: int, until: int, limit: int
) -> None:
    found = newest_entries(entries, since, until, limit)
    assert len(found) <= limit
    assert all(since <= item.at <= until for item in found)
    assert [item.at for item in found] == sorted(item.at for item in found)
    inside = [entry for entry in entries if since <= entry.at <= until]
    left_out = sorted(item.at for item in inside)[: len(inside) - len(found)]
    assert all(at <= found[0].at for at in left_out)


@given(st.permutations([TimelineEntry(1, "note", ref, "", "") for ref in "abcd"]))
def test_ties_have_one_order(entries: list[TimelineEntry]) -> None:
    assert [item.ref for item in newest_entries(entries, 0, 5, 10)] == list("abcd")


def session(ended: int | None) -> Session:
    return Session("s", "codex", "", "/w", "main", "", "", "goal", "done", "", 10, 20, ended)


def test_a_running_session_has_one_line_and_an_ended_one_two() -> None:
    assert [(session.type, session.text) for session in entries_of_sessions([session(None)])] == [
        ("session start", "goal")
    ]
    assert [
        (session.at, session.type, session.text) for session in entries_of_sessions([session(20)])
    ] == [
        (10, "session start", "goal"),
        (20, "session end", "done"),
    ]


def test_commits_and_notes_keep_their_time_and_who() -> None:
    commit = Commit("abc", (), "Ada", 1, 2, "subject", "")
    assert entries_of_commits([commit]) == [TimelineEntry(2000, "commit", "abc", "Ada", "subject")]
    note = Event("e", 5, "note", "s", "codex", "", "", "", "text")
    assert entries_of_events([note]) == [TimelineEntry(5, "note", "s", "codex", "text")]
