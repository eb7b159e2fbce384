"""The order of hits: coverage, BM25, weight, and then the newest."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.model.memory import Memory
from gitmem.search.rank import Candidate, order, shares


def memory(id: str, weight: int = 3, updated: int = 0) -> Memory:
    return Memory(
        id, "project", "p", "note", "", id, (), (), weight, 0.5, 0.8, False, "user_explicit", "",
        "", "", "", "", "", "{}", None, None, None, "", 0, updated, 1,
    )  # fmt: skip


def ranked(*candidates: Candidate, terms: int = 2, limit: int = 10) -> list[str]:
    return [hit.memory.id for hit in order(candidates, terms, limit)]


def test_the_one_that_holds_more_of_the_question_comes_first() -> None:
    part, whole = Candidate(memory("a"), 0.9, ("x",)), Candidate(memory("b"), 0.8, ("x", "y"))
    assert ranked(part, whole) == ["b", "a"]


def test_weight_multiplies() -> None:
    """CF-15."""
    heavy, light = Candidate(memory("a", 5), 0.5, ("x",)), Candidate(memory("b", 1), 1.0, ("x",))
    assert ranked(light, heavy) == ["a", "b"]
    hits = order([heavy, Candidate(memory("c"), 0.5, ("x",))], 2, 10)
    assert abs(hits[0].score - hits[1].score * 5 / 3) < 0.001
    assert hits[0].why == ("matches x", "weight 5")
    assert hits[1].why == ("matches x",)


def test_equal_scores_show_the_newer_first_and_then_have_one_order() -> None:
    old, new = (
        Candidate(memory("a", updated=1), 1, ("x",)),
        Candidate(memory("b", updated=2), 1, ("x",)),
    )
    twin = Candidate(memory("c", updated=2), 1, ("x",))
    assert ranked(old, twin, new) == ranked(new, old, twin) == ["b", "c", "a"]


def test_a_limit_keeps_the_best() -> None:
    found = [Candidate(memory(str(n)), n / 10, ("x",)) for n in range(10)]
    assert ranked(*found, limit=3) == ["9", "8", "7"]


@given(st.dictionaries(st.integers(0, 50), st.floats(0.001, 1e6), min_size=1))
def test_shares_are_of_the_largest(scores: dict[int, float]) -> None:
    found = shares(scores)
    assert max(found.values()) == 1.0
    assert all(0 < share <= 1 for share in found.values())
    assert sorted(scores, key=scores.__getitem__)[-1] in [k for k, v in found.items() if v == 1.0]


def test_no_scores_and_scores_of_nothing_are_no_division() -> None:
    assert shares({}) == {}
    assert shares({1: 0.0}) == {1: 0.0}
    assert order([], 0, 5) == []
