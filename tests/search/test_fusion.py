"""One score from words and meaning (CF-33, CE-17, CE-25)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem import setting_table
from gitmem.model.frozen import replace
from gitmem.search import fusion as hybrid
from gitmem.search.fusion import FusionCandidate, RankedHit, rank_hits

MODES = ("keyword", "semantic", "hybrid")
FUSIONS = setting_table.CHOICES["search.fusion"]


def one(
    number: int,
    lexical: float = 0.0,
    similarity: float | None = None,
    boost: float = 1.0,
    notes: str = "",
    explicit: bool = False,
) -> FusionCandidate:
    output = tuple(part for part in notes.split(",") if part)
    return FusionCandidate(
        ("chunk", number), lexical, similarity, boost, notes=output, explicit=explicit
    )


def order(hits: list[RankedHit]) -> list[int]:
    return [hit.candidate.key[1] for hit in hits]


@pytest.mark.parametrize("fusion", FUSIONS)
def test_words_and_meaning_together_beat_either(fusion: str) -> None:
    found = [one(1, 0.9), one(2, 0.8, 0.7), one(3, similarity=0.6)]
    assert order(rank_hits(found, 9, mode="hybrid", fusion=fusion))[0] == 2
    assert set(order(rank_hits(found, 9, mode="hybrid", fusion=fusion))) == {1, 2, 3}


@pytest.mark.parametrize("fusion", FUSIONS)
def test_each_mode_looks_at_its_own_leg(fusion: str) -> None:
    found = [one(1, 1.0), one(2, similarity=0.9)]
    assert order(rank_hits(found, 9, mode="keyword", fusion=fusion)) == [1]
    assert order(rank_hits(found, 9, mode="semantic", fusion=fusion)) == [2]


def test_a_faint_likeness_alone_is_nothing() -> None:
    faint = hybrid.LEAST_ALIKE - 0.01
    assert rank_hits([one(1, similarity=faint)], 9, mode="hybrid") == []
    assert rank_hits([one(1, similarity=-0.5)], 9, mode="semantic", fusion="rrf") == []
    assert order(rank_hits([one(1, similarity=hybrid.LEAST_ALIKE)], 9, mode="hybrid")) == [1]


def test_first_in_every_list_is_one() -> None:
    (hit,) = rank_hits([one(1, 1.0, 1.0)], 9, mode="hybrid", fusion="rrf")
    assert hit.score == 1.0
    (hit,) = rank_hits([one(1, 1.0, 1.0)], 9, mode="hybrid")
    assert hit.score == 1.0


def test_the_share_of_meaning_and_the_constant_can_be_given() -> None:
    words, alike = one(1, 0.9, 0.1), one(2, 0.1, 0.9)
    assert order(rank_hits([words, alike], 9, mode="hybrid", cosine_weight=0.2)) == [1, 2]
    assert order(rank_hits([words, alike], 9, mode="hybrid", cosine_weight=0.8)) == [2, 1]
    first, last = rank_hits([one(1, 0.9), one(2, 0.8)], 9, mode="keyword", fusion="rrf", rrf_k=1)
    assert last.score / first.score == pytest.approx(2 / 3, abs=1e-4)


def test_rank_fusion_uses_the_usual_constant() -> None:
    """Cormack et al. 2009: 1 / (60 + rank)."""
    found = [one(number, 1 / number) for number in (1, 2, 3)]
    scores = [hit.score for hit in rank_hits(found, 9, mode="keyword", fusion="rrf")]
    assert scores == [1.0, round(61 / 62, 4), round(61 / 63, 4)]


def test_a_boost_raises_and_lowers() -> None:
    found = [one(1, 1.0), one(2, 1.0, boost=5 / 3), one(3, 1.0, boost=1 / 3)]
    assert order(rank_hits(found, 9, mode="keyword")) == [2, 1, 3]


def test_every_hit_says_why() -> None:
    (hit,) = rank_hits([one(1, 1.0, 0.5, notes="defines it,weight x1.67")], 9, mode="hybrid")
    assert hit.why == ("defines it", "weight x1.67", "similar 0.50")


def test_what_was_asked_for_comes_before_all_else() -> None:
    """A phrase in quotes, a path in the question: better words or meaning do not outdo it."""
    found = [one(1, 1.0, 0.9), one(2, 0.1, 0.0, explicit=True), one(3, 0.9), one(4, 0.05)]
    for mode in ("keyword", "hybrid"):
        assert order(rank_hits(found, 9, mode=mode)) == [2, 1, 3, 4]


def test_what_was_asked_for_and_does_not_answer_changes_nothing() -> None:
    found = [one(1, 1.0), one(2, 0.5)]
    with_one = [*found, one(3, 0.0, explicit=True)]
    assert [hit.score for hit in rank_hits(with_one, 9, mode="keyword")] == [
        hit.score for hit in rank_hits(found, 9, mode="keyword")
    ]


CANDIDATES = st.lists(
    st.builds(
        one,
        st.integers(0, 50),
        st.floats(0, 1),
        st.none() | st.floats(-1, 1),
        st.sampled_from([1 / 3, 1.0, 5 / 3]),
        st.just(""),
        st.booleans(),
    ),
    max_size=30,
    unique_by=lambda candidate: candidate.key,
)


@given(CANDIDATES, st.sampled_from(MODES), st.sampled_from(FUSIONS), st.integers(1, 40))
def test_best_first_once_each_and_no_more_than_asked(
    found: list[FusionCandidate], mode: str, fusion: str, limit: int
) -> None:
    hits = rank_hits(found, limit, mode=mode, fusion=fusion)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert len(hits) <= limit
    assert len({hit.candidate.key for hit in hits}) == len(hits)
    assert order(hits) == order(rank_hits(found[::-1], limit, mode=mode, fusion=fusion)) or (
        fusion == "rrf"  # a tie in a list is broken by its order
    )


@given(CANDIDATES, st.sampled_from(MODES), st.sampled_from(FUSIONS))
def test_nothing_that_was_not_asked_for_stands_above_what_was(
    found: list[FusionCandidate], mode: str, fusion: str
) -> None:
    hits = rank_hits(found, 100, mode=mode, fusion=fusion)
    explicit = [hit.candidate.explicit for hit in hits]
    assert explicit == sorted(explicit, reverse=True)


def test_what_is_beside_a_turn_counts_less_the_more_it_says_itself() -> None:
    short, long = hybrid.SHORT, 10 * hybrid.SHORT
    weight = hybrid.BESIDE
    for beside, length, expected in (
        ((), short, 0.2),
        ((0.6,), short, (0.2 + weight * 0.6) / (1 + weight)),
        ((0.6, 0.8), short, (0.2 + weight * 1.4) / (1 + 2 * weight)),
        ((0.6,), 1, (0.2 + weight * 0.6) / (1 + weight)),
        ((0.6,), long, (0.2 + weight / 10 * 0.6) / (1 + weight / 10)),
        ((0.6,), 0, (0.2 + weight * 0.6) / (1 + weight)),
    ):
        assert hybrid.smooth_conversation_cosine(0.2, beside, length) == pytest.approx(expected), (
            beside,
            length,
        )


def test_the_smoothed_similarity_orders_and_the_own_one_admits() -> None:
    faint = hybrid.LEAST_ALIKE - 0.01
    below = replace(one(1, similarity=faint), smoothed=0.9)
    first = replace(one(2, similarity=0.5), smoothed=0.8)
    found = rank_hits([below, one(3, similarity=0.7), first], 9, mode="hybrid")
    assert order(found) == [2, 3]
    assert found[0].why == ("similar 0.50",)


def test_fixed_weights_take_every_cosine_as_it_is() -> None:
    """CT-4: 0.7 of the cosine and 0.3 of the words, whatever the source and what is beside it."""
    found = [
        replace(one(1, 0.5, 0.6), cosine_weight=0.1, smoothed=0.9),
        one(2, 0.9, 0.4),
        one(3, 0.2),
    ]
    hits = rank_hits(found, 9, mode="hybrid", fusion="weighted", cosine_weight=0.2)
    assert [(hit.candidate.key[1], hit.score) for hit in hits] == [(1, 0.57), (2, 0.55), (3, 0.06)]
