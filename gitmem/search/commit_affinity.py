"""Which files past commits speak for: those that were changed by commits with a like message. Pure.

On commit subjects asked before the commit was made this is worth 0.03 to 0.04 of NDCG@10
(docs/benchmarks.md). Old commits count less: half after two years. One that touches many files says
little of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt

from gitmem.clock import DAY

HALF_LIFE_MS = 2 * 365 * DAY
MOST_PATHS = 30
POWER = 2


def files(commits: Iterable[tuple[float, int, Sequence[str]]], newest: int) -> dict[str, float]:
    """Path -> share of the largest sum. A commit is (BM25 score, milliseconds, paths)."""
    total: dict[str, float] = {}
    for score, at, paths in commits:
        if not 0 < len(paths) <= MOST_PATHS:
            continue
        age = max(newest - at, 0)
        amount = 0.5 ** (age / HALF_LIFE_MS) * score**POWER / sqrt(len(paths))
        for path in paths:
            total[path] = total.get(path, 0.0) + amount
    top = max(total.values(), default=0.0)
    return {path: value / top for path, value in total.items()} if top > 0 else {}
