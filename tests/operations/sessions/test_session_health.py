"""Looking at how full and how scattered a session is (ML-31)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitmem.errors import InvalidInput, NotFound
from gitmem.model.session import TRANSCRIPT, Event
from gitmem.store.session import sessions
from tests.support.apps import MINUTE, Desk
from tests.support.stores import open_store

GOAL = "Make the import idempotent"


def transcript(desk: Desk, size: int) -> str:
    file = Path(desk.home) / "transcript.jsonl"
    file.write_bytes(b"x" * size)
    return str(file)


def tell(desk: Desk, path: str) -> None:
    """As the drain does with what a host told at the session's start."""
    database = open_store(str(desk.store))
    (session,) = sessions.recent_sessions(database, 1)
    event = Event("E" * 26, desk.clock.now(), TRANSCRIPT, session.id, "", "", "", "", path)
    with database.write():
        sessions.add_event(database, event)
    database.close()


def test_without_a_transcript_the_fill_is_unknown_and_it_says_why(desk: Desk) -> None:
    desk.run("session start", goal=GOAL)
    fill = desk.run("session health").fill
    assert (fill.transcript, fill.tokens, fill.level) == (None, None, "unknown")
    assert "no host reported" in desk.text("session health")


@pytest.mark.parametrize(
    ("size", "level"), [(40_000, "ok"), (300_000, "warn"), (350_000, "critical")]
)
def test_the_transcript_that_a_host_reported_is_measured(desk: Desk, size: int, level: str) -> None:
    desk.run("session start", goal=GOAL)
    tell(desk, transcript(desk, size))
    fill = desk.run("session health").fill
    assert (fill.transcript, fill.limit, fill.level) == (size // 4, 100_000, level)


def test_the_hosts_own_figures_count_where_it_notes_them(desk: Desk) -> None:
    """ML-31, ML-3: not a guess from the size; and the archive keeps the last of them."""
    desk.run("session start", goal=GOAL)
    file = Path(desk.home) / "transcript.jsonl"
    usage = {"input_tokens": 5, "cache_read_input_tokens": 88_000, "output_tokens": 995}
    row = {"type": "assistant", "message": {"usage": usage}}
    file.write_text("x" * 12_000 + "\n" + json.dumps(row) + "\n")
    tell(desk, str(file))
    fill = desk.run("session health").fill
    assert (fill.transcript, fill.tokens, fill.level) == (89_000, 89_000, "critical")
    assert fill.counted_by == "host"
    assert "critical: 89,000 of 100,000 tokens (89 %, counted by the host)" in desk.text(
        "session health"
    )
    desk.run("session end", summary="Done")
    file.unlink()
    assert desk.run("session show").tokens == 89_000
    assert "tokens  89,000" in desk.text("session show")
    desk.clock.advance(MINUTE)  # of two sessions of one moment either is the last
    desk.run("session start", goal=GOAL)
    guessed = desk.run("session health", transcript=transcript(desk, 400))
    assert guessed.fill.counted_by == "estimate"
    desk.run("session end", summary="Done")
    assert desk.run("session show").tokens is None


def test_the_limit_is_a_setting(desk: Desk) -> None:
    desk.env["GITMEM_SESSION_CONTEXT_TOKENS"] = "20000"
    desk.run("session start", goal=GOAL)
    found = desk.run("session health", transcript=transcript(desk, 80_000))
    assert (found.fill.level, found.strategy) == ("critical", "aggressive")


def test_a_host_cannot_have_other_files_measured(desk: Desk) -> None:
    """It only tells its size, and not even that outside the user's home."""
    desk.run("session start", goal=GOAL)
    tell(desk, "/etc/passwd")
    fill = desk.run("session health").fill
    assert (fill.tokens, fill.why) == (None, "it is not in your home folder")
    with pytest.raises(InvalidInput):
        desk.run("session health", transcript="/etc/passwd")


def test_a_transcript_that_is_gone_is_unknown(desk: Desk) -> None:
    desk.run("session start", goal=GOAL)
    path = transcript(desk, 10)
    tell(desk, path)
    Path(path).unlink()
    assert desk.run("session health").fill.why == "it does not exist"


def test_notes_against_a_rule_and_a_forgotten_goal_are_drift(desk: Desk) -> None:
    desk.run("decide", title="Use apsw, not sqlite3")
    desk.run("session start", goal=GOAL)
    desk.run("session note", text="switch the store to sqlite3")
    drift = desk.run("session health").drift
    assert (drift.score, drift.band) == (0.5, "high")
    assert drift.absent == ("idempotent", "import")
    assert "not sqlite3" in drift.against[0]


def test_a_session_that_keeps_to_its_goal_does_not_drift(desk: Desk) -> None:
    desk.run("session start", goal=GOAL)
    desk.run("session note", text="the import is idempotent for one file")
    desk.clock.advance(MINUTE)
    desk.run("session note", text="the import is idempotent for one file of two")
    assert desk.run("session health").drift.band == "low"


def test_of_many_notes_the_old_ones_may_go_and_critical_ones_stay(desk: Desk) -> None:
    desk.run("session start", goal=GOAL)
    desk.run("session note", text="critical: the key is never logged")
    for number in range(29):
        desk.clock.advance(MINUTE)
        desk.run("session note", text=f"step {number}")
    found = desk.run("session health", strategy="aggressive").entries
    assert [item.text for item in found if item.critical and item.keep] == [
        "critical: the key is never logged"
    ]
    assert sum(item.keep for item in found) == 13  # two fifths, and the critical one
    assert all(item.keep for item in found[:10])
    text = desk.text("session health", strategy="aggressive")
    assert "aggressive (keep 40%): 17 of 30 may go" in text


def test_its_state_is_kept_as_events_when_it_changes(desk: Desk) -> None:
    desk.run("session start", goal=GOAL)
    assert desk.run("session health").history == ()
    desk.run("session health")
    desk.run("session health", transcript=transcript(desk, 300_000))
    desk.clock.advance(11 * MINUTE)
    desk.run("session health", transcript=transcript(desk, 300_000))
    messages = [item.text.split(",")[0] for item in desk.run("session health").history]
    assert messages == ["context warn", "context warn", "context unknown"]


def test_of_a_session_that_ended_nothing_is_written_down(desk: Desk) -> None:
    desk.run("session start", goal=GOAL)
    desk.run("session end")
    desk.run("session health")
    assert desk.run("session health").history == ()


def test_without_a_session_there_is_nothing_to_look_at(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.run("session health")


def test_a_strategy_that_is_none_is_refused(desk: Desk) -> None:
    desk.run("session start")
    with pytest.raises(InvalidInput):
        desk.run("session health", strategy="gentle")
