"""What counts more now than at another time (ML-5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.search.context_boost import FRESH_MS, SearchContext, context_boosts_by_path

NOW = 1_800_000_000_000
PATHS = st.lists(st.sampled_from(["a/x.py", "a/y.py", "b/x.py", "top.py", "a/c/z.py"]), unique=True)


def factors(paths: list[str], **values: object) -> dict[str, float]:
    result = context_boosts_by_path(paths, SearchContext(NOW, **values))  # type: ignore[arg-type]
    return {path: round(item.factor, 4) for path, item in result.items()}


@given(
    PATHS,
    st.sampled_from(["", "a/q.py", "top.py"]),
    st.sets(st.sampled_from(["a/x.py", "top.py"])),
    st.dictionaries(st.sampled_from(["a/x.py", "b/x.py"]), st.integers(0, 2 * NOW)),
)
def test_each_file_is_raised_by_what_is_reported_and_none_is_lowered(
    paths: list[str], near: str, viewed: set[str], written: dict[str, int]
) -> None:
    result = context_boosts_by_path(paths, SearchContext(NOW, near, viewed, written))
    assert list(result) == paths
    for item in result.values():
        assert item.factor >= 1 and (item.factor > 1) == bool(item.why)
    assert context_boosts_by_path(paths[::-1], SearchContext(NOW, near, viewed, written)) == result


def test_the_same_folder_and_no_folder_below_or_above() -> None:
    paths = ["a/x.py", "a/c/z.py", "b/x.py", "top.py"]
    raised = {path for path, factor in factors(paths, near="a/y.py").items() if factor > 1}
    assert raised == {"a/x.py"}
    assert {path for path, f in factors(paths, near="README.md").items() if f > 1} == {"top.py"}
    assert set(factors(paths).values()) == {1}


def test_the_last_day_counts_in_a_straight_line() -> None:
    ages = {"new": 0, "noon": FRESH_MS // 2, "old": FRESH_MS, "older": 9 * FRESH_MS}
    found = factors(list(ages), written={path: NOW - age for path, age in ages.items()})
    assert found["new"] > found["noon"] > found["old"] == found["older"] == 1
    assert found["new"] - 1 == pytest.approx(2 * (found["noon"] - 1))


def test_where_all_were_written_together_that_says_nothing() -> None:
    """A fresh clone."""
    paths = ["a/x.py", "a/y.py"]
    assert set(factors(paths, written=dict.fromkeys(paths, NOW - 60_000)).values()) == {1}


def test_what_was_viewed_counts_beside_the_folder() -> None:
    found = factors(["a/x.py", "a/y.py", "b/x.py"], near="a/q.py", viewed={"a/x.py", "b/x.py"})
    assert found["a/x.py"] > found["a/y.py"] > 1 and found["b/x.py"] > 1
    (both,) = [
        item.why
        for p, item in context_boosts_by_path(
            ["a/x.py"], SearchContext(NOW, "a/q", {"a/x.py"})
        ).items()
    ]
    assert len(both) == 2
