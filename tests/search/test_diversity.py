"""CE-3: what repeats better hits gives way, and nothing is lost or made up."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.search.diversity import diverse_order

SCORES = st.lists(st.floats(0, 3), max_size=12).map(lambda some: sorted(some, reverse=True))


def test_a_copy_of_the_first_goes_behind_what_is_new() -> None:
    texts = ["open the cart", "open the cart", "open the cart now", "close the till", "pay by card"]
    assert diverse_order([1.0, 0.95, 0.9, 0.8, 0.7], texts) == [0, 3, 4, 2, 1]


def test_what_hardly_answers_is_not_raised_for_being_new() -> None:
    assert diverse_order([1.0, 0.9, 0.1], ["open the cart", "open the till", "x y z"]) == [0, 1, 2]


def test_without_likeness_the_order_stays() -> None:
    assert diverse_order([0.9, 0.5, 0.5, 0.1], ["aa", "bb", "cc", "dd"]) == [0, 1, 2, 3]
    assert diverse_order([], []) == [] and diverse_order([0.0], [""]) == [0]


@given(SCORES, st.data())
def test_each_hit_stays_once_and_the_best_is_first(
    scores: list[float], data: st.DataObject
) -> None:
    words = st.lists(st.sampled_from(["aa", "bb", "cc"]), max_size=3).map(" ".join)
    texts = data.draw(st.lists(words, min_size=len(scores), max_size=len(scores)))
    order = diverse_order(scores, texts)
    assert sorted(order) == list(range(len(scores)))
    assert order[:1] == ([0] if scores else [])
