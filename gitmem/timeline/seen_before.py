"""Choosing past questions, solutions and fixes that are similar enough to show. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.clock import DAY
from gitmem.model.frozen import dataclass

MAX_AGE_DAYS, MAX_ITEMS = 90, 3
# The least cosines; the second is for errors, whose words change more.
MIN_SIMILARITY, MIN_ERROR_SIMILARITY = 0.7, 0.56
LEAST_USEFUL = 0.3
_OF_LIKENESS, _OF_RECENCY = 0.7, 0.3
QUERY, SOLUTION, FIX = "query", "solution", "fix"


@dataclass(frozen=True, slots=True)
class SimilarPastItem:
    """An earlier query, solution or fix (``type``) that resembles a question; ``at`` in ms.

    ``similarity`` is a cosine, ``usefulness`` 0 to 1; ``id`` and ``commit`` may be empty. ``sure``:
    the commit is the fix itself, not just the one checked out at the time.
    """

    type: str
    text: str
    at: int
    similarity: float
    usefulness: float
    id: str = ""
    commit: str = ""
    sure: bool = False


def score_past_item(item: SimilarPastItem, now_ms: int) -> float:
    """A score, 0 to 1: 0.7 similarity plus up to 0.3, which falls to 0 in ninety days of age."""
    age = max(now_ms - item.at, 0) / (MAX_AGE_DAYS * DAY)
    return _OF_LIKENESS * item.similarity + _OF_RECENCY * max(1 - age, 0)


def choose_past_items(
    candidates: Iterable[SimilarPastItem], now_ms: int, *, is_about_error: bool
) -> list[tuple[float, SimilarPastItem]]:
    """The three best candidates as (score, item), the best first; each text once.

    They are similar, useful and at most ninety days old at ``now_ms`` (ms since 1970).
    ``is_about_error``: the question is about an error, for which less similarity is enough.
    """
    least = MIN_ERROR_SIMILARITY if is_about_error else MIN_SIMILARITY
    good = [
        (score_past_item(past, now_ms), past)
        for past in candidates
        if past.similarity >= least
        and past.usefulness >= LEAST_USEFUL
        and now_ms - past.at <= MAX_AGE_DAYS * DAY
    ]
    good.sort(key=lambda pair: (-pair[0], pair[1].type, pair[1].id, pair[1].text))
    once = {(past.type, past.text): (worth, past) for worth, past in reversed(good)}
    return sorted(once.values(), key=good.index)[:MAX_ITEMS]
