"""What counts more for some kinds of question (CF-13)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.search.file_kinds import FACTORS
from gitmem.search.files import WEIGHTS
from gitmem.search.profiles import PROFILES, RankingProfile, age_rank_factor

DAY = 86_400_000
TIMES = st.integers(0, 10**13)


def test_every_profile_changes_weights_and_factors_that_there_are() -> None:
    for profile in PROFILES.values():
        assert dict(profile.weights).keys() <= WEIGHTS.keys()
        assert dict(profile.factors).keys() <= FACTORS.keys()


def test_the_usual_profile_changes_nothing_and_the_benchmark_leaves_out_the_moment() -> None:
    assert PROFILES["default"] == RankingProfile()
    assert not PROFILES["benchmark"].uses_context


@given(TIMES, TIMES)
def test_age_lowers_and_never_to_nothing(at: int, now: int) -> None:
    for profile in PROFILES.values():
        assert 0 < age_rank_factor(at, now, profile) <= 1
        assert age_rank_factor(at, now + DAY, profile) <= age_rank_factor(at, now, profile)
    assert age_rank_factor(at, now, RankingProfile()) == 1


def test_half_after_a_half_life() -> None:
    assert age_rank_factor(0, 30 * DAY, RankingProfile(half_life_days=30)) == 0.5
