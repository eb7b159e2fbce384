"""One order for hits of any kind, from words and meaning. Pure.

Scores are fused, not ranks: with legs of unequal strength rank fusion falls below the better one on
four of five sets (retrieval notes). RRF can be asked for all the same, and so can the fixed weights
that other systems use (``search.fusion``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gitmem.model.frozen import dataclass, replace

# Weight of the cosine. With the built-in model 0.5 is best or near best on CoSQA, gitlog and LoCoMo
# (python -m tests.bench.embedding_sets).
MEANING = 0.5
# The power that makes of it the weight of the mean of two models' cosines: 0.5 becomes 0.7. NDCG@10
# of LoCoMo (495 questions) is .666 so, .649 with the table alone at 0.5, .634 by words; on
# devmembench .905, .886 and .879 (docs/benchmarks.md).
OF_TWO = 0.5
# What is said is understood with what was said just before and after: weight of the cosine of each
# of these two turns, for a turn of so many letters; for a longer one, which says more, less.
BESIDE, SHORT = 0.4, 140
# A text that shares no word with the question counts from this cosine on.
LEAST_ALIKE = 0.35
RRF_K = 60
# The share of the cosine as it is, where fixed weights are asked for.
WEIGHTED = 0.7
_UNDER = 0.9


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hit before it is ranked; ``key`` names it.

    ``lexical`` says how well its words answer, 0 to 1; ``similarity`` is the cosine or None;
    ``boost`` a factor such as a memory's weight / 3, ``meant`` one for the cosine alone: how likely
    a file of its kind is meant. ``parts`` are what the first is made of,
    ``notes`` reasons to show. ``asked_for`` says that it holds the phrase in quotes, or is the
    file, that the question names: it comes before all that are not. ``doubted``: somebody marked it
    as wrong; whoever asked settles what becomes of it. ``share`` is that of its cosine, where
    it is not the one of all others. ``smoothed`` stands for the similarity in its score, where what
    is beside it counts too; ``judged`` for ``lexical`` where it is asked whether the hit answers at
    all, if something only put hits in order.
    """

    key: tuple[str, int]
    lexical: float
    similarity: float | None
    boost: float = 1.0
    meant: float = 1.0
    parts: tuple[tuple[str, float], ...] = ()
    notes: tuple[str, ...] = ()
    asked_for: bool = False
    doubted: bool = False
    share: float | None = None
    smoothed: float | None = None
    judged: float | None = None
    among: float | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hit with its score (0 to about 1) and the reasons for it that are not words."""

    candidate: Candidate
    score: float
    why: tuple[str, ...]


def of_two(share: float) -> float:
    """The share of the mean of two models' cosines where that of the table's would be ``share``."""
    power: float = share**OF_TWO
    return power


def smoothed(own: float, beside: Sequence[float], length: int) -> float:
    """The cosine of a turn of ``length`` letters together with those of the turns beside it."""
    weight = BESIDE * min(1.0, SHORT / max(length, 1))
    return (own + weight * sum(beside)) / (1 + weight * len(beside))


def rank(
    candidates: Sequence[Candidate],
    limit: int,
    *,
    mode: str,
    fusion: str = "score",
    meaning: float = MEANING,
    rrf_k: int = RRF_K,
) -> list[Ranked]:
    """The best hits first, at most ``limit``.

    ``mode`` is keyword, semantic or hybrid, which gives the cosine a share of ``meaning``;
    ``fusion`` is score; rrf, which counts a hit at place n with 1 / (``rrf_k`` + n); or weighted,
    which gives every cosine, as it is, a share of ``WEIGHTED``.
    """
    if fusion == "weighted":
        candidates = [replace(one, share=WEIGHTED, smoothed=None) for one in candidates]
    if fusion == "rrf":
        scores = _by_rank(candidates, mode, rrf_k)
    else:
        scores = {one.key: joined(one, mode, meaning) for one in candidates}
    boosted = {one.key: scores[one.key] * one.boost for one in candidates}
    below = _below(candidates, boosted)
    ranked = [
        Ranked(one, round(boosted[one.key] * (1.0 if one.asked_for else below), 4), _reasons(one))
        for one in candidates
        if boosted[one.key] > 0
    ]
    ranked.sort(key=lambda hit: (-hit.score, not hit.candidate.asked_for, hit.candidate.key))
    return ranked[:limit]


def _below(candidates: Sequence[Candidate], scores: Mapping[tuple[str, int], float]) -> float:
    """The factor that puts all that is not asked for below all that is."""
    asked_for = [scores[one.key] for one in candidates if one.asked_for]
    lowest = min((score for score in asked_for if score > 0), default=0.0)
    highest = max((scores[one.key] for one in candidates if not one.asked_for), default=0.0)
    return _UNDER * lowest / highest if 0 < lowest <= highest else 1.0


def joined(one: Candidate, mode: str, meaning: float) -> float:
    """Words and meaning as one score, 0 to about 1, before any boost."""
    return _joined(one, mode, meaning, one.lexical, one.meant)


def sure(one: Candidate, mode: str, meaning: float) -> float:
    """The same for whether it answers at all."""
    return _joined(one, mode, meaning, one.lexical if one.judged is None else one.judged, one.meant)


def among_its_kind(one: Candidate, mode: str, meaning: float) -> float:
    """The same beside others of its kind."""
    words, meant = (one.lexical, one.meant) if one.among is None else (one.among, 1.0)
    return _joined(one, mode, meaning, words, meant) * one.boost


def _joined(one: Candidate, mode: str, meaning: float, words: float, meant: float) -> float:
    own = meaning if one.share is None else one.share
    share = {"keyword": 0.0, "semantic": 1.0}.get(mode, own)
    return (1 - share) * words + share * (_alike(one, words) * meant)


def _by_rank(
    candidates: Sequence[Candidate], mode: str, rrf_k: int
) -> dict[tuple[str, int], float]:
    legs: list[Mapping[tuple[str, int], float]] = []
    if mode != "semantic":
        legs.append({one.key: one.lexical for one in candidates})
    if mode != "keyword":
        legs.append({one.key: _alike(one, one.lexical) * one.meant for one in candidates})
    total = dict.fromkeys((one.key for one in candidates), 0.0)
    for leg in legs:
        order = sorted((key for key, score in leg.items() if score > 0), key=lambda key: -leg[key])
        for place, key in enumerate(order, 1):
            # Scaled so that first in every leg is 1.
            total[key] += (rrf_k + 1) / (rrf_k + place) / len(legs)
    return total


def _alike(one: Candidate, words: float) -> float:
    """The cosine as it counts beside words that answer so well."""
    similarity = one.similarity or 0.0
    if not words and similarity < LEAST_ALIKE:
        return 0.0
    return max(similarity if one.smoothed is None else one.smoothed, 0.0)


def _reasons(one: Candidate) -> tuple[str, ...]:
    why = list(one.notes)
    if one.similarity is not None and one.similarity >= LEAST_ALIKE:
        why.append(f"similar {one.similarity:.2f}")
    return tuple(why)
