"""Full-text search over chunks, commits and exchanges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gitmem.store.db import full_text
from gitmem.store.db.connection import Database

# Column weights for BM25. For commits subject, body, paths, parts; for chunks the path and the
# symbols say more than the text; columns of messages are equal. Checked by the retrieval benchmark.
WEIGHTS = {
    "chunk": (3.0, 1.0, 0.5, 1.0, 0.5),
    "commit": (2.0, 1.0, 0.3, 0.5),
    "message": (1.0, 1.0, 1.0),
    # What was asked, answered, the files, parts of names.
    "exchange": (1.0, 1.0, 0.5, 0.5),
}
_TABLES = {
    "chunk": "chunk_text",
    "commit": "commit_text",
    "message": "commit_message",
    "exchange": "exchange_text",
}


def count_matches(database: Database, source: str, expression: str, max_count: int) -> int:
    """How many rows of a source (chunk, commit, exchange) match, counted up to ``max_count``."""
    return full_text.count_matching_rows(database, _TABLES[source], expression, max_count)


def best_matching_rows(
    database: Database,
    source: str,
    expression: str,
    limit: int,
    only_rows: Iterable[int] | None = None,
    weights: Sequence[float] = (),
) -> list[tuple[int, float]]:
    """The best matches of an expression as (row number, BM25 score, higher is better).

    ``weights`` replace the column weights of the source.
    """
    values: list[object] = [expression]
    narrowed = ""
    if only_rows is not None:
        narrowed = "AND +rowid IN (SELECT value FROM json_each(?)) "
        values.append("[" + ",".join(map(str, only_rows)) + "]")
    table = _TABLES[source]
    columns = ", ".join(map(str, weights or WEIGHTS[source]))
    return database.rows(
        f"SELECT rowid, -bm25({table}, {columns}) AS score FROM {table} WHERE {table} MATCH ? "
        f"{narrowed}ORDER BY score DESC, rowid LIMIT ?",
        (*values, limit),
    )


def labels_by_row(
    database: Database, source: str, terms: Mapping[str, str], row_numbers: Sequence[int]
) -> dict[int, list[str]]:
    """For each row number, the labels of the terms that occur in the row.

    ``terms`` maps a label to an FTS5 expression.
    """
    return full_text.labels_by_matching_row(database, _TABLES[source], terms, row_numbers)
