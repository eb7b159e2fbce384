"""BM25F scores for messages of a conversation, and for what stands beside each.

FTS5 knows one length for a row, and the neighbours of a message count in it, so that a long reply
seems no longer than the short question before it. Here the message and its neighbours are two
fields, each normalised by its own length before they are added (Robertson, Zaragoza and Taylor,
"Simple BM25 extension to multiple weighted fields", CIKM 2004).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import log

from apsw import pyobject

from gitmem.store.db import full_text
from gitmem.store.db.connection import Database

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

    from apsw import FTS5ExtensionApi

# How many rows of FTS5's own order are scored here for each row asked for.
OVERFETCH = 4
# BM25's k1, as in FTS5: how soon repetitions of a word stop adding.
_SATURATION = 1.2
# Counts in a message are divided by (its length / the mean length) ** _LENGTH; for neighbours it is
# BM25's b. Of powers .5 to .9 and weights .2 to .5 these lose least on LoCoMo (short turns) and
# BEAM (long replies) together (docs/benchmarks.md, "memory").
_LENGTH, _LENGTH_BESIDE = 0.6, 0.75
_BESIDE = 0.4
# Rows counted for a word at most: one more common than this says next to nothing.
_COMMON = 2000
_PHRASE = re.compile(r'"(?:[^"]|"")*"')


def score_messages(
    database: Database,
    fts_table: str,
    fts_expression: str,
    row_numbers: Sequence[int],
    message_column_weights: Mapping[str, float],
    neighbour_column: str,
) -> dict[int, float]:
    """A dict: row number -> BM25F score (higher is better) of rows that match an FTS5 expression.

    Only rows in ``row_numbers``. Columns of the full-text ``fts_table`` are
    ``message_column_weights`` (column -> weight) with the message itself, and ``neighbour_column``
    with messages beside it.
    """
    phrases = _PHRASE.findall(fts_expression)
    filter = f"{{{' '.join(message_column_weights)}}}"
    counts = [
        full_text.count_matching_rows(database, fts_table, f"{filter} : {phrase}", _COMMON)
        for phrase in phrases
    ]
    names = database.column("SELECT name FROM pragma_table_info(?) ORDER BY cid", (fts_table,))
    weights = {names.index(name): weight for name, weight in message_column_weights.items()}
    # A statement that SQLite reuses calls the function of its first run: the scorer, which differs
    # with each question, is an argument.
    database.connection.register_fts5_function("message_score", _call)
    scorer = pyobject(_scorer(counts, weights, names.index(neighbour_column)))
    marks = ",".join("?" * len(row_numbers))
    rows = database.rows(
        f"SELECT rowid, message_score({fts_table}, ?) FROM {fts_table} "
        f"WHERE {fts_table} MATCH ? AND +rowid IN ({marks})",
        (scorer, fts_expression, *row_numbers),
    )
    return dict(rows)


def _call(row: FTS5ExtensionApi, *arguments: Any) -> float:
    """The score of a row by the scorer that the statement was given."""
    score: float = arguments[0](row)
    return score


def _scorer(
    counts: Sequence[int], weights: Mapping[int, float], beside: int
) -> Callable[..., float]:
    """The FTS5 function that scores a row; ``counts``: how many rows hold each phrase."""
    total, mean, mean_beside = 0, 0.0, 0.0

    def score(row: FTS5ExtensionApi) -> float:
        nonlocal total, mean, mean_beside
        if not total:
            total = max(row.row_count, 1)
            mean = max(sum(map(row.column_total_size, weights)) / total, 1)
            mean_beside = max(row.column_total_size(beside) / total, 1)
        length = max(sum(map(row.column_size, weights)) / mean, 1 / mean) ** _LENGTH
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
