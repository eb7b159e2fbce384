"""Maximal marginal relevance: hits that repeat better ones give way to others. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

# How much relevance counts; the rest is how different a hit is from those before it. The usual
# value of the method (Carbonell and Goldstein 1998), as in Context Engine: not tuned here.
RELEVANCE = 0.7


def diverse_order(scores: Sequence[float], texts: Sequence[str]) -> list[int]:
    """The order of hits, as indices, so that like ones are apart (maximal marginal relevance).

    The first stays first. ``scores`` are in descending order and count relative to the first;
    likeness is the share of words that two ``texts`` have in common.
    """
    words = [frozenset(re.findall(r"\w{2,}", text.lower())) for text in texts]
    best = max([*scores, 1e-9])
    likeness = [0.0] * len(scores)
    left = list(range(len(scores)))
    order: list[int] = []
    while left:
        chosen = max(
            left, key=lambda at: RELEVANCE * scores[at] / best - (1 - RELEVANCE) * likeness[at]
        )
        order.append(chosen)
        left.remove(chosen)
        for at in left:
            likeness[at] = max(likeness[at], _likeness(words[chosen], words[at]))
    return order


def _likeness(some: frozenset[str], others: frozenset[str]) -> float:
    common = len(some & others)
    return common / (len(some) + len(others) - common) if common else 0.0
