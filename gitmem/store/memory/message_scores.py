"""BM25F over memories of which some are messages of a conversation: each by its own length.

FTS5 knows one length of a row, in which the neighbours of a message count, so that a long reply is
taken for no longer than the short question before it. Here what a message says and what stands
beside it are two fields, each divided by its own length before they are added (Robertson, Zaragoza
and Taylor, "Simple BM25 extension to multiple weighted fields", CIKM 2004).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import log

from gitmem.store.db import full_text
from gitmem.store.db.connection import Database

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from apsw import FTS5ExtensionApi

# How many rows are scored here for each one that is wanted: FTS5's own order brings them.
OVERFETCH = 4
# How soon a word that is repeated adds no more, as in FTS5.
_SATURATION = 1.2
# The power of a message's length, in lengths of the mean, that divides its words; for neighbours
# the share of BM25. Of the powers .5 to .9 and weights .2 to .5 this is where LoCoMo (short turns)
# and BEAM (long replies) lose least (docs/benchmarks.md, "memory").
_LENGTH, _LENGTH_BESIDE = 0.6, 0.75
_BESIDE = 0.4
# Counted no further: such a word tells next to nothing.
_COMMON = 2000
_PHRASE = re.compile(r'"(?:[^"]|"")*"')


def scores(
    database: Database,
    expression: str,
    numbers: Sequence[int],
    own: str,
    weights: Sequence[float],
) -> dict[int, float]:
    """Row number -> score, higher is better, of rows that match an FTS5 expression.

    ``own`` names the columns of ``memory_text`` with what a message says itself as FTS5 filters by
    them, ``weights`` are theirs in the order of the table; one more column holds what is beside it.
    """
    phrases = _PHRASE.findall(expression)
    counts = [
        full_text.frequency(database, "memory_text", f"{own} : {phrase}", _COMMON)
        for phrase in phrases
    ]
    database.connection.register_fts5_function("message_score", _scorer(counts, tuple(weights)))
    marks = ",".join("?" * len(numbers))
    rows = database.rows(
        "SELECT rowid, message_score(memory_text) FROM memory_text "
        f"WHERE memory_text MATCH ? AND +rowid IN ({marks})",
        (expression, *numbers),
    )
    return dict(rows)


def _scorer(counts: Sequence[int], weights: Sequence[float]) -> Callable[..., float]:
    """What scores a row; ``counts`` says how many rows hold each phrase themselves."""
    beside = len(weights)
    total, mean, mean_beside = 0, 0.0, 0.0

    def score(row: FTS5ExtensionApi, *_: object) -> float:
        nonlocal total, mean, mean_beside
        if not total:
            total = max(row.row_count, 1)
            mean = max(sum(map(row.column_total_size, range(beside))) / total, 1)
            mean_beside = max(row.column_total_size(beside) / total, 1)
        length = max(sum(map(row.column_size, range(beside))) / mean, 1 / mean) ** _LENGTH
        length_beside = row.column_size(beside) / mean_beside
        length_beside = 1 - _LENGTH_BESIDE + _LENGTH_BESIDE * length_beside
        result = 0.0
        for phrase, count in enumerate(counts):
            often = 0.0
            for column in row.phrase_columns(phrase):
                times = len(row.phrase_column_offsets(phrase, column))
                if column == beside:
                    often += _BESIDE * times / length_beside
                else:
                    often += weights[column] * times / length
            if often:
                rarity = log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))
                result += rarity * often * (_SATURATION + 1) / (often + _SATURATION)
        return result

    return score
