"""Arriving and leaving: first, just here, back after a while (CF-28)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.model.session import LastWorktreeVisit
from gitmem.timeline.visits import JUST_HERE_MS, begin_visit, last_visit_after

TIMES = st.integers(0, 4_000_000_000_000)
OBSERVED = LastWorktreeVisit("/w", 1_000_000, "head", "main", 500_000, "base")


def test_nobody_seen_before_is_a_first_session() -> None:
    visit = begin_visit(None, 5)
    assert (visit.first, visit.just_here, visit.gap_ms, visit.since) == (True, False, None, None)


def test_the_edge_of_thirty_seconds() -> None:
    just = begin_visit(OBSERVED, OBSERVED.seen_at + JUST_HERE_MS - 1)
    back = begin_visit(OBSERVED, OBSERVED.seen_at + JUST_HERE_MS)
    assert just.just_here and (just.since, just.since_head) == (500_000, "base")
    assert not back.just_here and (back.since, back.since_head) == (1_000_000, "head")


@given(expected=TIMES, now=TIMES)
def test_a_gap_is_never_negative(expected: int, now: int) -> None:
    visit = begin_visit(LastWorktreeVisit("/w", expected, "", "", None, ""), now)
    assert visit.gap_ms == max(0, now - expected)


@given(first=TIMES, step=st.integers(0, JUST_HERE_MS - 1), more=st.integers(0, JUST_HERE_MS - 1))
def test_looking_again_at_once_tells_of_the_same_stretch(first: int, step: int, more: int) -> None:
    visit = begin_visit(OBSERVED, OBSERVED.seen_at + JUST_HERE_MS + first)
    now = OBSERVED.seen_at + JUST_HERE_MS + first
    for wait in (step, more):
        left = last_visit_after(visit, worktree="/w", head="new", branch="main", now_ms=now)
        now += wait
        visit = begin_visit(left, now)
        assert visit.just_here
        assert (visit.since, visit.since_head) == (OBSERVED.seen_at, "head")
