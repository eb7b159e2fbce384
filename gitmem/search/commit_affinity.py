"""Scoring files by past commits with a similar message. Pure.

Worth 0.03 to 0.04 of NDCG@10 on commit subjects (docs/benchmarks.md). A commit counts half after
two years, and less the more files it changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt

from gitmem.clock import DAY

HALF_LIFE_MS = 2 * 365 * DAY
MOST_PATHS = 30
POWER = 2


def files(commits: Iterable[tuple[float, int, Sequence[str]]], newest: int) -> dict[str, float]:
    """The score of each path, 0 to 1.

    A commit is (BM25 score, milliseconds, paths).
    """
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
