"""BM25F scores of exchanges, by the better of their two sides.

FTS5 knows one length for a row: beside a long answer the question before it would hardly count. As
in ``store.memory.message_scores``, either side is normalised by its own length, and what the other
side says counts a little.
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

# Rows of FTS5's own order that are scored here for each row asked for.
OVERFETCH = 4
# BM25's k1; the power of a side's length; the weight of the other side, and of files and parts of
# names. As for messages (docs/benchmarks.md, "transcripts").
_SATURATION, _LENGTH, _OTHER, _NAMES = 1.2, 0.6, 0.4, 0.5
_COMMON = 2000
_USER, _ASSISTANT = 0, 1
_PHRASE = re.compile(r'"(?:[^"]|"")*"')


def scores(database: Database, expression: str, numbers: Sequence[int]) -> dict[int, float]:
    """The score of each exchange that matches an FTS5 expression, of those with these numbers."""
    phrases = _PHRASE.findall(expression)
    counts = [full_text.frequency(database, "exchange_text", phrase, _COMMON) for phrase in phrases]
    database.connection.register_fts5_function("exchange_score", _scorer(counts))
    marks = ",".join("?" * len(numbers))
    rows = database.rows(
        "SELECT rowid, exchange_score(exchange_text) FROM exchange_text "
        f"WHERE exchange_text MATCH ? AND +rowid IN ({marks})",
        (expression, *numbers),
    )
    return dict(rows)


def _scorer(counts: Sequence[int]) -> Callable[..., float]:
    """The FTS5 function that scores a row; ``counts``: how many rows hold each phrase."""
    means: list[float] = []
    total = 0

    def score(row: FTS5ExtensionApi, *_: object) -> float:
        nonlocal total
        if not means:
            total = max(row.row_count, 1)
            both = sum(map(row.column_total_size, (_USER, _ASSISTANT)))
            means.append(max(both / total / 2, 1))
        lengths = [
            max(row.column_size(side) / means[0], 1 / means[0]) ** _LENGTH
            for side in (_USER, _ASSISTANT)
        ]
        sides = [0.0, 0.0]
        for phrase, count in enumerate(counts):
            often, names = [0.0, 0.0], 0.0
            for column in row.phrase_columns(phrase):
                times = len(row.phrase_column_offsets(phrase, column))
                if column in (_USER, _ASSISTANT):
                    often[column] += times / lengths[column]
                else:
                    names += _NAMES * times
            rarity = log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))
            for side in (_USER, _ASSISTANT):
                weighed = often[side] + _OTHER * often[1 - side] + names / max(lengths)
                sides[side] += rarity * weighed * (_SATURATION + 1) / (weighed + _SATURATION)
        return max(sides)

    return score
