"""Keyword search over memories, pieces of files and commits."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from gitmem.search import query, rank
from gitmem.search.query import QueryTerm

# From this many rows on a word selects nothing by itself. Scoring a word costs 0.6 ms of CPU for
# each 1,000 rows: 28 ms for the 24 words of the longest question; at 5,000 it would be 70 ms, more
# than the rest of the command (`tests/bench/startup.py`).
COMMON = 2000
# The score of an answer is that of the best covered one of so many hits.
_TOP = 3


def count_rows_per_word(
    words: Iterable[str], count_rows: Callable[[str, int], int]
) -> dict[str, int]:
    """Word -> the number of rows that contain it, at most 2,000.

    ``count_rows(expression, limit)`` counts the rows that match an FTS5 expression.
    """
    return {word: count_rows(query.quote_fts_term(word), COMMON) for word in words}


def score_rows_by_keywords(
    terms: Sequence[QueryTerm],
    count_rows: Callable[[str, int], int],
    match_rows: Callable[[str], list[tuple[int, float]]],
    find_matched_labels: Callable[[Mapping[str, str], Sequence[int]], dict[int, list[str]]],
) -> tuple[dict[int, float], dict[int, list[str]]]:
    """(row -> how well it matches by words, 0 to 1; row -> labels of the terms that it matches).

    Rows are row numbers. The best score is the share of the question that this row matches; others
    are in proportion to their BM25. The functions query the index: ``count_rows(expression,
    limit)`` counts rows, ``match_rows(expression)`` gives (row number, BM25),
    ``find_matched_labels`` takes label -> expression and row numbers and gives the labels by row.
    """
    labels = {term.label: term.expression for term in terms}
    counts = {expression: count_rows(expression, COMMON) for expression in labels.values()}
    expression = query.selective_fts_expression(tuple(terms), counts, COMMON)
    scores = rank.fractions_of_largest(dict(match_rows(expression))) if expression else {}
    if not scores:
        return {}, {}
    held = find_matched_labels(labels, list(scores))
    # The best turn of a conversation may match by its neighbours only.
    most = max(
        len(held[number]) for number in sorted(scores, key=lambda number: -scores[number])[:_TOP]
    )
    quality = rank.memory_word_score(range(most), len(labels), 1.0)
    return {number: quality * share for number, share in scores.items()}, held
