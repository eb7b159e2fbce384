"""Reordering the best hits of a ranking by a cross-encoder's scores."""

from __future__ import annotations

from collections.abc import Sequence

# So many are read, and so many of them may be put in front.
READ, FRONT = 50, 12
# What the reranker counts, the order before it counts the rest.
BLEND = 0.6


def reranked_order(
    scores: Sequence[float],
    reranker_scores: Sequence[float],
    reranker_weight: float = BLEND,
    reranked_count: int = FRONT,
) -> list[int]:
    """The positions (from 0) of all hits in their new order: ``reranked_count`` best ones first.

    The best are chosen from the first hits, which have ``reranker_scores``, by both scores;
    ``scores`` are those of all hits, the best first. Both are stretched to 0 and 1 and mixed:
    ``reranker_weight`` (0 to 1) is the reranker's share.
    """
    old, new = _stretched(scores[: len(reranker_scores)]), _stretched(reranker_scores)
    blended = [
        reranker_weight * score + (1 - reranker_weight) * was
        for score, was in zip(new, old, strict=True)
    ]
    best = sorted(range(len(reranker_scores)), key=lambda at: (-blended[at], at))[:reranked_count]
    chosen = frozenset(best)
    return [*best, *(at for at in range(len(scores)) if at not in chosen)]


def _stretched(scores: Sequence[float]) -> list[float]:
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 0.0 for score in scores]
