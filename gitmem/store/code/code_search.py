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


def count_full_text_matches(
    database: Database, source_kind: str, fts_expression: str, max_count: int
) -> int:
    """How many rows match an FTS5 expression, counted up to ``max_count``.

    ``source_kind`` is what is searched: chunk, commit, message (of commits) or exchange.
    """
    return full_text.count_matching_rows(database, _TABLES[source_kind], fts_expression, max_count)


def best_matching_rows(
    database: Database,
    source_kind: str,
    fts_expression: str,
    limit: int,
    candidate_row_numbers: Iterable[int] | None = None,
    column_weights: Sequence[float] = (),
) -> list[tuple[int, float]]:
    """The best matches of an FTS5 expression as (row number, BM25 score), highest score first.

    ``source_kind`` is chunk, commit, message (of commits) or exchange; ``column_weights`` of the
    table's columns replace the usual ones. With ``candidate_row_numbers`` only rows with these
    numbers count.
    """
    values: list[object] = [fts_expression]
    condition = ""
    if candidate_row_numbers is not None:
        condition = "AND +rowid IN (SELECT value FROM json_each(?)) "
        values.append("[" + ",".join(map(str, candidate_row_numbers)) + "]")
    table = _TABLES[source_kind]
    columns = ", ".join(map(str, column_weights or WEIGHTS[source_kind]))
    return database.rows(
        f"SELECT rowid, -bm25({table}, {columns}) AS score FROM {table} WHERE {table} MATCH ? "
        f"{condition}ORDER BY score DESC, rowid LIMIT ?",
        (*values, limit),
    )


def matching_expression_labels_by_row(
    database: Database,
    source_kind: str,
    expressions_by_label: Mapping[str, str],
    row_numbers: Sequence[int],
) -> dict[int, list[str]]:
    """A dict: row number -> labels of the FTS5 expressions that the row matches, maybe none.

    ``source_kind`` is chunk, commit, message or exchange.
    """
    return full_text.matching_expression_labels_by_row(
        database, _TABLES[source_kind], expressions_by_label, row_numbers
    )
