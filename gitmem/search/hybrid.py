"""One score from words and meaning, for hits of any kind. Pure.

Scores are fused, not ranks: with legs of unequal strength rank fusion falls below the better one on
four of five sets (retrieval notes). RRF can be asked for all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gitmem.model.value import dataclass
from gitmem.search.rank import lexical

# Weight of the cosine. With the built-in model 0.5 is best or near best on CoSQA, gitlog and LoCoMo
# (python -m tests.embedding.bench_sets).
MEANING = 0.5
# A text that shares no word with the question counts from this cosine on.
LEAST_ALIKE = 0.35
RRF_K = 60


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hit before it is ranked: ``key`` names it, ``place`` the file it is in (empty: none).

    ``bm25`` is a share of the best in its list (0 where no word matched), ``similarity`` the cosine
    or None, ``boost`` a factor such as a memory's weight / 3.
    """

    key: tuple[str, int]
    place: str
    bm25: float
    matched: tuple[str, ...]
    similarity: float | None
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hit with its score (0 to about 1) and the reasons for it."""

    candidate: Candidate
    score: float
    why: tuple[str, ...]


def rank(
    candidates: Sequence[Candidate], terms: int, limit: int, *, mode: str, fusion: str = "score"
) -> list[Ranked]:
    """The best hits first, at most ``limit``.

    ``mode`` is keyword, semantic or hybrid; ``terms`` how many the question has; ``fusion`` score
    or rrf. Each further hit of one file counts half of the one before.
    """
    scores = (
        _by_rank(candidates, terms, mode) if fusion == "rrf" else _by_score(candidates, terms, mode)
    )
    ranked = [
        Ranked(one, round(scores[one.key] * one.boost, 4), _reasons(one))
        for one in candidates
        if scores[one.key] > 0
    ]
    ranked.sort(key=lambda hit: (-hit.score, hit.candidate.key))
    return _spread(ranked)[:limit]


def _by_score(
    candidates: Sequence[Candidate], terms: int, mode: str
) -> dict[tuple[str, int], float]:
    share = {"keyword": 0.0, "semantic": 1.0}.get(mode, MEANING)
    return {one.key: (1 - share) * _lexical(one, terms) + share * _alike(one) for one in candidates}


def _by_rank(
    candidates: Sequence[Candidate], terms: int, mode: str
) -> dict[tuple[str, int], float]:
    legs: list[Mapping[tuple[str, int], float]] = []
    if mode != "semantic":
        legs.append({one.key: _lexical(one, terms) for one in candidates})
    if mode != "keyword":
        legs.append({one.key: _alike(one) for one in candidates})
    total = dict.fromkeys((one.key for one in candidates), 0.0)
    for leg in legs:
        order = sorted((key for key, score in leg.items() if score > 0), key=lambda key: -leg[key])
        for place, key in enumerate(order, 1):
            # Scaled so that first in every leg is 1.
            total[key] += (RRF_K + 1) / (RRF_K + place) / len(legs)
    return total


def _lexical(one: Candidate, terms: int) -> float:
    return lexical(one.matched, terms, one.bm25) if one.matched else 0.0


def _alike(one: Candidate) -> float:
    similarity = one.similarity or 0.0
    if not one.matched and similarity < LEAST_ALIKE:
        return 0.0
    return max(similarity, 0.0)


def _reasons(one: Candidate) -> tuple[str, ...]:
    why = ["matches " + ", ".join(one.matched)] if one.matched else []
    if one.similarity is not None and one.similarity >= LEAST_ALIKE:
        why.append(f"similar {one.similarity:.2f}")
    if one.boost != 1.0:
        why.append(f"weight x{one.boost:.2f}")
    return tuple(why)


def _spread(ranked: list[Ranked]) -> list[Ranked]:
    """Halve each further hit of one file, so that one file does not fill the first page."""
    seen: dict[str, int] = {}
    spread = []
    for hit in ranked:
        place = hit.candidate.place
        times = seen.get(place, 0) if place else 0
        seen[place] = times + 1
        spread.append(Ranked(hit.candidate, round(hit.score / 2**times, 4), hit.why))
    spread.sort(key=lambda hit: (-hit.score, hit.candidate.key))
    return spread
