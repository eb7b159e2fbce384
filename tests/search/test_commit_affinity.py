"""Which files past commits speak for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.search import commit_affinity

DAY = 86_400_000
COMMITS = st.lists(
    st.tuples(
        st.floats(0.01, 50),
        st.integers(0, 5000 * DAY),
        st.lists(st.sampled_from("abcdefgh"), max_size=6, unique=True),
    ),
    max_size=12,
)


@given(COMMITS, st.integers(0, 5000 * DAY))
def test_shares_of_the_largest_whatever_the_order(
    commits: list[tuple[float, int, list[str]]], newest: int
) -> None:
    shares = commit_affinity.score_files_by_commits(commits, newest)
    assert set(shares) == {path for _, _, paths in commits for path in paths}
    assert all(0 < share <= 1 for share in shares.values())
    assert not shares or max(shares.values()) == 1
    assert commit_affinity.score_files_by_commits(commits[::-1], newest) == pytest.approx(shares)


def test_a_better_a_newer_and_a_narrower_commit_speak_louder() -> None:
    now = 4000 * DAY
    base = (1.0, now - 1000 * DAY, ["a"])
    for other in (
        (2.0, now - 1000 * DAY, ["b"]),
        (1.0, now, ["b"]),
        (2.0, now - 1000 * DAY, ["b", "c"]),
    ):
        shares = commit_affinity.score_files_by_commits([base, other], now)
        assert shares["b"] == 1 > shares["a"]
    shares = commit_affinity.score_files_by_commits([base, (1.0, base[1], ["b", "c"])], now)
    assert shares["a"] == 1 > shares["b"] == shares["c"]


def test_half_as_much_after_each_half_life() -> None:
    shares = commit_affinity.score_files_by_commits(
        [(1.0, commit_affinity.HALF_LIFE_MS, ["a"]), (1.0, 0, ["b"])], commit_affinity.HALF_LIFE_MS
    )
    assert shares["b"] == pytest.approx(0.5)


def test_a_commit_of_everything_says_nothing_and_one_of_the_future_no_more_than_now() -> None:
    wide = [str(number) for number in range(commit_affinity.MOST_PATHS + 1)]
    assert commit_affinity.score_files_by_commits([(1.0, 0, wide), (1.0, 0, [])], 0) == {}
    assert commit_affinity.score_files_by_commits([(1.0, 99 * DAY, ["a"]), (1.0, 0, ["b"])], 0) == {
        "a": 1,
        "b": 1,
    }
