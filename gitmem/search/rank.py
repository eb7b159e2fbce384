"""The order of keyword hits: how much of the question they hold, how well, and their weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gitmem.model.memory import Memory
from gitmem.model.value import dataclass

# Shares of coverage and of BM25 in the score. BM25 alone cannot compare two stores, since a word's
# rarity differs between them; the share of the question that a hit holds can.
COVERAGE = 0.5


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers, with a score from 0 to 1 before weight, and the reasons.

    ``similarity`` is the cosine of its vector and the question's, None where it was not computed.
    """

    memory: Memory
    score: float
    why: tuple[str, ...]
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory, its BM25 as a share of the best in its store, and the labels it matched."""

    memory: Memory
    bm25: float
    matched: tuple[str, ...]
    similarity: float | None = None


def order(candidates: Sequence[Candidate], terms: int, limit: int) -> list[Hit]:
    """The best hits first, at most ``limit``. ``terms`` is how many the question has.

    The score is multiplied by weight / 3 (CF-15). Equal scores: the newer memory first.
    """
    hits = [_hit(candidate, terms) for candidate in candidates]
    hits.sort(key=lambda hit: (-hit.score, -hit.memory.updated_at, hit.memory.id))
    return hits[:limit]


def shares(scores: Mapping[int, float]) -> dict[int, float]:
    """Scores as shares of the largest."""
    top = max(scores.values(), default=0.0)
    return {key: (score / top if top > 0 else 0.0) for key, score in scores.items()}


def lexical(matched: Sequence[str], terms: int, bm25: float) -> float:
    """How well words answer, 0 to 1: the share of the question held, and BM25 as a share."""
    return COVERAGE * len(matched) / max(terms, 1) + (1 - COVERAGE) * bm25


def _hit(candidate: Candidate, terms: int) -> Hit:
    memory = candidate.memory
    score = lexical(candidate.matched, terms, candidate.bm25)
    why = ["matches " + ", ".join(candidate.matched)] if candidate.matched else []
    if memory.weight != 3:
        why.append(f"weight {memory.weight}")
    return Hit(memory, round(score * memory.weight / 3, 4), tuple(why))
