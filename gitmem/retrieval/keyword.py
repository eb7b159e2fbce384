"""The leg of a search that goes by words: the same for memories, pieces of files and commits."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from gitmem.search import query, rank
from gitmem.search.query import Term

# From how many rows on a word selects nothing by itself. Scoring a word costs 0.6 ms of CPU for
# each 1,000 rows: at this cap 1.2 ms, and 28 ms for the 24 words of the longest question; at
# 5,000 it would be 3 and 70 ms, more than the rest of the command (`tests/bench/startup.py`).
COMMON = 2000
# Of how many of the best the one that holds most tells how good the answer is.
_TOP = 3


def counts(words: Iterable[str], count: Callable[[str, int], int]) -> dict[str, int]:
    """In how many rows each word stands, counted no further than ``COMMON``."""
    return {word: count(query.quoted(word), COMMON) for word in words}


def look_up(
    terms: Sequence[Term],
    count: Callable[[str, int], int],
    match: Callable[[str], list[tuple[int, float]]],
    matched: Callable[[Mapping[str, str], Sequence[int]], dict[int, list[str]]],
) -> tuple[dict[int, float], dict[int, list[str]]]:
    """Row number -> how well words answer (0 to 1), and -> the labels of the terms it holds.

    The best has the share of the question that it holds as its score (``rank.lexical``), the others
    as much less as their BM25 is less.
    ``count(expression, cap)``, ``match(expression)`` and ``matched(terms, numbers)`` ask the index
    that is searched.
    """
    labels = {term.label: term.expression for term in terms}
    counts = {expression: count(expression, COMMON) for expression in labels.values()}
    expression = query.select(tuple(terms), counts, COMMON)
    scores = rank.shares(dict(match(expression))) if expression else {}
    if not scores:
        return {}, {}
    held = matched(labels, list(scores))
    # A turn of a conversation may be best by what its neighbours hold: then the best that hold
    # something themselves tell how good the answer is.
    most = max(
        len(held[number]) for number in sorted(scores, key=lambda number: -scores[number])[:_TOP]
    )
    quality = rank.lexical(range(most), len(labels), 1.0)
    return {number: quality * share for number, share in scores.items()}, held
