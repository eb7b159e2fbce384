"""A budget divided: shares, and what is left goes where it is needed (ML-4)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.assembly.budget_shares import allot


def test_what_one_does_not_need_goes_to_the_first_that_does() -> None:
    for needs, shares, budget, expected in (
        ([100, 100], [1, 1], 100, [50, 50]),
        ([100, 10], [1, 1], 100, [90, 10]),
        ([100, 100, 0], [1, 1, 2], 100, [75, 25, 0]),
        ([5, 5], [1, 1], 100, [5, 5]),
        ([], [], 100, []),
    ):
        assert allot(needs, shares, budget) == expected


@given(
    st.lists(st.tuples(st.integers(0, 9000), st.integers(1, 5000)), max_size=7),
    st.integers(0, 9000),
)
def test_nobody_gets_more_than_is_needed_and_all_together_not_more_than_there_is(
    parts: list[tuple[int, int]], budget: int
) -> None:
    needs, shares = [need for need, _ in parts], [share for _, share in parts]
    given_out = allot(needs, shares, budget)
    assert all(0 <= got <= need for got, need in zip(given_out, needs, strict=True))
    assert sum(given_out) == min(budget, sum(needs))
