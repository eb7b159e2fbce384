"""The best of a ranking in the order of a cross-encoder, blended with the order they had (CE-6)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.embedding.reranking import BLEND, FRONT, reranked_order

SCORES = st.lists(st.floats(-5, 5), max_size=40)


@given(SCORES, SCORES)
def test_every_hit_stays_and_only_the_front_may_change(
    before: list[float], read: list[float]
) -> None:
    before = sorted(before, reverse=True)
    read = read[: len(before)]
    found = reranked_order(before, read)
    assert sorted(found) == list(range(len(before)))
    rest = found[min(FRONT, len(read)) :]
    assert rest == sorted(rest)


def test_both_orders_count_and_any_scale_is_the_same() -> None:
    before = [1.0, 0.9, 0.5, 0.1]
    assert reranked_order(before, []) == [0, 1, 2, 3]
    assert reranked_order(before, [7.0, 7.0, 7.0, 7.0]) == [0, 1, 2, 3]
    assert reranked_order(before, [0.0, 1.0, 0.0, 0.0]) == [1, 0, 2, 3]
    assert reranked_order(before, [-900.0, -100.0, -900.0, -900.0]) == [1, 0, 2, 3]
    # The last by words cannot pass the first by 0.6 alone where that is nearly as good.
    assert reranked_order(before, [0.5, 0.0, 0.0, 1.0]) == [0, 3, 1, 2]
    assert reranked_order(before, [0.0, 0.0, 0.0, 1.0], reranker_weight=1.0) == [3, 0, 1, 2]
    assert BLEND == 0.6


def test_at_most_so_many_are_put_in_front() -> None:
    before = [1 - at / 100 for at in range(30)]
    found = reranked_order(before, [float(at) for at in range(30)], reranker_weight=1.0)
    assert found[:FRONT] == list(range(29, 17, -1))
    assert found[FRONT:] == list(range(18))
