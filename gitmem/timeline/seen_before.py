"""Which of what was asked, solved and mended before is worth being told of again. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.clock import DAY
from gitmem.model.frozen import dataclass

DAYS, MOST = 90, 3
# From these cosines on; of an error less of the words stays the same.
LEAST, LEAST_OF_ERROR = 0.7, 0.56
LEAST_USEFUL = 0.3
_OF_LIKENESS, _OF_RECENCY = 0.7, 0.3
QUERY, SOLUTION, FIX = "query", "solution", "fix"


@dataclass(frozen=True, slots=True)
class Past:
    """Something of before: ``type`` is query, solution or fix; ``at`` milliseconds.

    ``similarity`` and ``usefulness`` are between 0 and 1; ``id`` and ``commit`` may be empty.
    ``sure``: the commit is the one that did it, not the one that was checked out then.
    """

    type: str
    text: str
    at: int
    similarity: float
    usefulness: float
    id: str = ""
    commit: str = ""
    sure: bool = False


def score(past: Past, now: int) -> float:
    """``0.7 similarity + 0.3 recency``; recency falls from 1 now to 0 in ninety days."""
    age = max(now - past.at, 0) / (DAYS * DAY)
    return _OF_LIKENESS * past.similarity + _OF_RECENCY * max(1 - age, 0)


def choose(found: Iterable[Past], now: int, *, of_error: bool) -> list[tuple[float, Past]]:
    """The best with their scores: alike, useful, and no older than ninety days; each text once."""
    least = LEAST_OF_ERROR if of_error else LEAST
    good = [
        (score(one, now), one)
        for one in found
        if one.similarity >= least and one.usefulness >= LEAST_USEFUL and now - one.at <= DAYS * DAY
    ]
    good.sort(key=lambda pair: (-pair[0], pair[1].type, pair[1].id, pair[1].text))
    once = {(one.type, one.text): (worth, one) for worth, one in reversed(good)}
    return sorted(once.values(), key=good.index)[:MOST]
