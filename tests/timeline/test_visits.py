"""Arriving and leaving: first, just here, back after a while (CF-28)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.model.session import Presence
from gitmem.timeline.visits import JUST_HERE_MS, arrive, leave

TIMES = st.integers(0, 4_000_000_000_000)
SEEN = Presence("/w", 1_000_000, "head", "main", 500_000, "base")


def test_nobody_seen_before_is_a_first_session() -> None:
    visit = arrive(None, 5)
    assert (visit.first, visit.just_here, visit.gap_ms, visit.since) == (True, False, None, None)


def test_the_edge_of_thirty_seconds() -> None:
    just = arrive(SEEN, SEEN.seen_at + JUST_HERE_MS - 1)
    back = arrive(SEEN, SEEN.seen_at + JUST_HERE_MS)
    assert just.just_here and (just.since, just.since_head) == (500_000, "base")
    assert not back.just_here and (back.since, back.since_head) == (1_000_000, "head")


@given(seen=TIMES, now=TIMES)
def test_a_gap_is_never_negative(seen: int, now: int) -> None:
    visit = arrive(Presence("/w", seen, "", "", None, ""), now)
    assert visit.gap_ms == max(0, now - seen)


@given(first=TIMES, step=st.integers(0, JUST_HERE_MS - 1), more=st.integers(0, JUST_HERE_MS - 1))
def test_looking_again_at_once_tells_of_the_same_stretch(first: int, step: int, more: int) -> None:
    visit = arrive(SEEN, SEEN.seen_at + JUST_HERE_MS + first)
    now = SEEN.seen_at + JUST_HERE_MS + first
    for wait in (step, more):
        left = leave(visit, worktree="/w", head="new", branch="main", now=now)
        now += wait
        visit = arrive(left, now)
        assert visit.just_here
        assert (visit.since, visit.since_head) == (SEEN.seen_at, "head")
