"""The numbers of a session's health (ML-31)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.memory import session_health
from gitmem.memory.session_health import (
    SessionEntry,
    context_fill_level,
    measure_goal_drift,
    rank_session_entries,
)
from tests.support.tables import table

LIMIT = 100_000
texts = st.lists(
    st.sampled_from(["cache", "redis", "import", "tests", "not", "parser", ""]), max_size=6
).map(" ".join)
entries = st.lists(
    st.builds(SessionEntry, st.uuids().map(str), st.just("x"), st.integers(0, 50), st.booleans()),
    max_size=60,
)
strategies = st.sampled_from(["", *session_health.STRATEGIES])


@table(
    ("tokens", "word"),
    [(0, "ok"), (69_999, "ok"), (70_000, "warn"), (84_999, "warn"), (85_000, "critical"),
     (None, "unknown")],
)  # fmt: skip
def test_it_warns_from_70_and_is_critical_from_85_percent(tokens: int | None, word: str) -> None:
    assert context_fill_level(tokens, LIMIT) == word


def test_a_transcript_has_a_token_for_each_four_bytes() -> None:
    assert [session_health.estimate_tokens(size) for size in (0, 1, 4, 5)] == [0, 1, 1, 2]


def test_the_fuller_the_more_is_to_go() -> None:
    messages = [
        session_health.compaction_strategy(context_fill_level(n, LIMIT), n, LIMIT)
        for n in (1, 70_000, 90_000, LIMIT)
    ]
    assert messages == ["", "summarise", "selective", "aggressive"]


def test_drift_is_the_weighted_sum_of_its_three_parts() -> None:
    """Half of the goal absent, one note against a rule, half of what is said lately new."""
    notes = ["parser redis", "redis cache"]
    found = measure_goal_drift("redis import", notes, (), 1)
    assert (found.requirements, found.contradictions) == (0.2, 0.1)
    assert found.topic == pytest.approx(0.15)
    assert found.score == pytest.approx(0.45)
    assert (found.band, found.absent) == ("moderate", ("import",))


def test_a_file_worked_on_speaks_of_the_goal_too() -> None:
    assert measure_goal_drift("mend the import", ["began"], ["src/import_csv.py"], 0).absent == (
        "mend",
    )


@pytest.mark.parametrize(("score", "band"), [(0.29, "low"), (0.3, "moderate"), (0.5, "high")])
def test_the_bands_begin_at_three_and_five_tenths(score: float, band: str) -> None:
    assert session_health.drift_level(score) == band


def test_contradictions_count_three_tenths_at_most() -> None:
    assert (
        measure_goal_drift("x", ["cache", "cache"], (), 9).contradictions
        == session_health.CONTRADICTIONS
    )


def test_where_nothing_is_known_it_says_so() -> None:
    found = measure_goal_drift("", [], (), None)
    assert (found.score, found.band, found.requirements, found.topic) == (
        None,
        "unknown",
        None,
        None,
    )


@given(texts, st.lists(texts, max_size=8), st.lists(texts, max_size=3), st.integers(0, 9))
def test_drift_stays_between_0_and_1(
    goal: str, notes: list[str], files: list[str], against: int
) -> None:
    found = measure_goal_drift(goal, notes, files, against)
    assert found.score is None or 0 <= found.score <= 1


def test_relevance_falls_by_a_twentieth_and_by_a_fiftieth_where_critical() -> None:
    messages = [
        SessionEntry("a", "x", 3),
        SessionEntry("b", "x", 2),
        SessionEntry("c", "x", 1, critical=True),
    ]
    assert [entry.relevance for entry in rank_session_entries(messages, "")] == [
        1.0,
        0.95,
        round(0.98**2, 4),
    ]


@given(entries, strategies)
def test_the_ten_newest_and_the_critical_always_stay(
    some: list[SessionEntry], strategy: str
) -> None:
    found = rank_session_entries(some, strategy)
    assert all(item.keep for item in found[: session_health.ALWAYS_RECENT])
    assert all(item.keep for item in found if item.entry.critical)
    assert sorted(item.entry.id for item in found) == sorted(item.id for item in some)
    share = session_health.STRATEGIES.get(strategy, 1)
    assert sum(item.keep for item in found) >= share * len(found)


@given(entries)
def test_a_harder_strategy_keeps_nothing_that_a_softer_one_drops(some: list[SessionEntry]) -> None:
    saved = [
        {entry.entry.id for entry in rank_session_entries(some, strategy) if entry.keep}
        for strategy in ("", "summarise", "selective", "aggressive")
    ]
    assert saved[0] >= saved[1] >= saved[2] >= saved[3]


def test_of_forty_plain_entries_a_share_stays() -> None:
    some = [SessionEntry(str(n), "x", n) for n in range(40)]
    counts = [
        sum(entry.keep for entry in rank_session_entries(some, strategy))
        for strategy in session_health.STRATEGIES
    ]
    assert counts == [24, 20, 16]
