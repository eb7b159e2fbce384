"""The leg of a search that goes by words: the same for memories, pieces of files and commits."""

from collections.abc import Callable, Mapping, Sequence

from gitmem.search import query, rank
from gitmem.search.query import Term

# From how many rows on a word selects nothing by itself. Scoring a word costs 0.6 ms of CPU for
# each 1,000 rows: at this cap 1.2 ms, and 14 ms for the twelve words of the longest question; at
# 5,000 it would be 3 and 35 ms, as much as the rest of the command (`tests/bench/startup.py`).
COMMON = 2000


def look_up(
    terms: Sequence[Term],
    count: Callable[[str, int], int],
    match: Callable[[str], list[tuple[int, float]]],
    matched: Callable[[Mapping[str, str], Sequence[int]], dict[int, list[str]]],
) -> tuple[dict[int, float], dict[int, list[str]]]:
    """Row number -> share of the best BM25, and -> the labels of the terms it holds.

    ``count(expression, cap)``, ``match(expression)`` and ``matched(terms, numbers)`` ask the index
    that is searched.
    """
    labels = {term.label: term.expression for term in terms}
    counts = {expression: count(expression, COMMON) for expression in labels.values()}
    expression = query.select(tuple(terms), counts, COMMON)
    scores = rank.shares(dict(match(expression))) if expression else {}
    return scores, matched(labels, list(scores)) if scores else {}
