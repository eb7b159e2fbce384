"""One score from words and meaning (CF-33, CE-17, CE-25)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.search import hybrid
from gitmem.search.hybrid import Candidate, Ranked, rank

MODES = ("keyword", "semantic", "hybrid")
FUSIONS = ("score", "rrf")


def one(
    number: int,
    bm25: float = 0.0,
    matched: str = "",
    similarity: float | None = None,
    place: str = "",
    boost: float = 1.0,
) -> Candidate:
    return Candidate(("chunk", number), place, bm25, tuple(matched.split()), similarity, boost)


def order(hits: list[Ranked]) -> list[int]:
    return [hit.candidate.key[1] for hit in hits]


@pytest.mark.parametrize("fusion", FUSIONS)
def test_words_and_meaning_together_beat_either(fusion: str) -> None:
    found = [
        one(1, 0.9, "redis port"),
        one(2, 0.8, "redis port", 0.7),
        one(3, similarity=0.6),
    ]
    assert order(rank(found, 2, 9, mode="hybrid", fusion=fusion))[0] == 2
    assert set(order(rank(found, 2, 9, mode="hybrid", fusion=fusion))) == {1, 2, 3}


@pytest.mark.parametrize("fusion", FUSIONS)
def test_each_mode_looks_at_its_own_leg(fusion: str) -> None:
    found = [one(1, 1.0, "redis"), one(2, similarity=0.9)]
    assert order(rank(found, 1, 9, mode="keyword", fusion=fusion)) == [1]
    assert order(rank(found, 1, 9, mode="semantic", fusion=fusion)) == [2]


def test_more_of_the_question_beats_one_rare_word() -> None:
    found = [one(1, 1.0, "redis"), one(2, 0.6, "redis port cache")]
    assert order(rank(found, 3, 9, mode="keyword")) == [2, 1]


def test_a_faint_likeness_alone_is_nothing() -> None:
    faint = hybrid.LEAST_ALIKE - 0.01
    assert rank([one(1, similarity=faint)], 1, 9, mode="hybrid") == []
    assert rank([one(1, similarity=-0.5)], 1, 9, mode="semantic", fusion="rrf") == []
    assert order(rank([one(1, similarity=hybrid.LEAST_ALIKE)], 1, 9, mode="hybrid")) == [1]


def test_first_in_every_list_is_one() -> None:
    (hit,) = rank([one(1, 1.0, "redis", 1.0)], 1, 9, mode="hybrid", fusion="rrf")
    assert hit.score == 1.0
    (hit,) = rank([one(1, 1.0, "redis", 1.0)], 1, 9, mode="hybrid")
    assert hit.score == 1.0


def test_rank_fusion_uses_the_usual_constant() -> None:
    """Cormack et al. 2009: 1 / (60 + rank)."""
    found = [one(number, 1 / number, "redis") for number in (1, 2, 3)]
    scores = [hit.score for hit in rank(found, 1, 9, mode="keyword", fusion="rrf")]
    assert scores == [1.0, round(61 / 62, 4), round(61 / 63, 4)]


def test_hits_of_one_file_are_spread() -> None:
    found = [one(number, 1 - number / 100, "redis", place="a.py") for number in range(3)]
    found.append(one(9, 0.5, "redis", place="b.py"))
    hits = rank(found, 1, 9, mode="keyword")
    assert order(hits) == [0, 9, 1, 2]
    assert hits[3].score < hits[2].score / 1.9


def test_hits_without_a_place_are_not_spread() -> None:
    found = [one(number, 0.9, "redis") for number in range(3)]
    assert len({hit.score for hit in rank(found, 1, 9, mode="keyword")}) == 1


def test_a_weight_raises_and_lowers() -> None:
    found = [
        one(1, 1.0, "redis"),
        one(2, 1.0, "redis", boost=5 / 3),
        one(3, 1.0, "redis", boost=1 / 3),
    ]
    hits = rank(found, 1, 9, mode="keyword")
    assert order(hits) == [2, 1, 3]
    assert hits[0].why == ("matches redis", "weight x1.67")


def test_every_hit_says_why() -> None:
    (hit,) = rank([one(1, 1.0, "redis port", 0.5)], 2, 9, mode="hybrid")
    assert hit.why == ("matches redis, port", "similar 0.50")


CANDIDATES = st.lists(
    st.builds(
        one,
        st.integers(0, 50),
        st.floats(0, 1),
        st.sampled_from(["", "redis", "redis port"]),
        st.none() | st.floats(-1, 1),
        st.sampled_from(["", "a.py", "b.py"]),
        st.sampled_from([1 / 3, 1.0, 5 / 3]),
    ),
    max_size=30,
    unique_by=lambda candidate: candidate.key,
)


@given(CANDIDATES, st.sampled_from(MODES), st.sampled_from(FUSIONS), st.integers(1, 40))
def test_best_first_once_each_and_no_more_than_asked(
    found: list[Candidate], mode: str, fusion: str, limit: int
) -> None:
    hits = rank(found, 2, limit, mode=mode, fusion=fusion)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert len(hits) <= limit
    assert len({hit.candidate.key for hit in hits}) == len(hits)
    assert order(hits) == order(rank(found[::-1], 2, limit, mode=mode, fusion=fusion)) or (
        fusion == "rrf"  # a tie in a list is broken by its order
    )
