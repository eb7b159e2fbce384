"""Reordering the best hits of a ranking by a cross-encoder's scores."""

from __future__ import annotations

from collections.abc import Sequence

# So many are read, and so many of them may be put in front.
READ, FRONT = 50, 12
# What the reranker counts, the order before it counts the rest.
BLEND = 0.6


def reranked_order(
    before: Sequence[float], read: Sequence[float], blend: float = BLEND, front: int = FRONT
) -> list[int]:
    """The positions of the hits in their new order: the ``front`` best by both scores first.

    ``before`` are the scores of all hits, the best first, ``read`` the reranker's scores of the
    first hits. Both are stretched to 0 and 1, as a cross-encoder's scores are of any scale, and
    then mixed: ``blend`` is the reranker's share.
    """
    old, new = _stretched(before[: len(read)]), _stretched(read)
    blended = [blend * score + (1 - blend) * was for score, was in zip(new, old, strict=True)]
    best = sorted(range(len(read)), key=lambda at: (-blended[at], at))[:front]
    chosen = frozenset(best)
    return [*best, *(at for at in range(len(before)) if at not in chosen)]


def _stretched(scores: Sequence[float]) -> list[float]:
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 0.0 for score in scores]
