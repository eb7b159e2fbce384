"""Full-text search over memories.

The table is contentless: it holds tokens and no text, so snippets come from the memory itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gitmem.store.db import full_text
from gitmem.store.db.connection import Database
from gitmem.store.memory import conversation
from gitmem.store.memory.filters import MemoryFilter

# Of the columns title, body, tags, parts, near: a word in the title says more than one in the text,
# parts of identifiers say least. Set by judgement, checked by the retrieval benchmark. The
# neighbours of a conversation's turn (near) add 0.09 to NDCG@10 on LoCoMo at 0.3, and 0.08 to 0.09
# anywhere from 0.2 to 0.5.
WEIGHTS = (3.0, 1.0, 2.0, 0.5, 0.3)
_COLUMNS = ("title", "body", "tags", "parts")
_OWN = f"{{{' '.join(_COLUMNS)}}}"
_SCORE = f"-bm25(memory_text, {', '.join(map(str, WEIGHTS))})"


def best_matching_memories(
    database: Database, fts_expression: str, filter: MemoryFilter, limit: int
) -> list[tuple[int, float]]:
    """(row number, BM25 score) of the memories that match best and pass the filter, best first.

    ``fts_expression`` is in FTS5's syntax; a higher score is better.
    """
    best = _by_fts5(database, fts_expression, filter, limit)
    if not best or not conversation.has_conversation_turn(database, [number for number, _ in best]):
        return best
    from gitmem.store.memory import message_scores  # noqa: PLC0415 - most stores hold none

    more = _by_fts5(database, fts_expression, filter, message_scores.OVERFETCH * limit)
    numbers = [number for number, _ in more]
    own_weights = dict(zip(_COLUMNS, WEIGHTS, strict=False))
    scored = message_scores.score_messages(
        database, "memory_text", fts_expression, numbers, own_weights, "near"
    )
    return sorted(scored.items(), key=lambda pair: (-pair[1], -pair[0]))[:limit]


def _by_fts5(
    database: Database, expression: str, filter: MemoryFilter, limit: int
) -> list[tuple[int, float]]:
    if filter.has_only_default_conditions:
        # Looking up the row of every match costs more than scoring it (30,000 matches: 31 ms with,
        # 17 ms without). So the best are found first and filtered then.
        room = 2 * limit
        best = database.rows(
            f"SELECT rowid, {_SCORE} AS score FROM memory_text "
            "WHERE memory_text MATCH ? ORDER BY score DESC, rowid DESC LIMIT ?",
            (expression, room),
        )
        passed = filter_row_numbers(database, filter, [row[0] for row in best])
        matches = [(row[0], row[1]) for row in best if row[0] in passed]
        if len(matches) >= limit or len(best) < room:
            return matches[:limit]
    clause, values = filter.sql_condition()
    return database.rows(
        f"SELECT m.seq, {_SCORE} AS score FROM memory_text "
        f"JOIN memories AS m ON m.seq = memory_text.rowid "
        f"WHERE memory_text MATCH ? AND {clause} ORDER BY score DESC, m.seq DESC LIMIT ?",
        (expression, *values, limit),
    )


def filter_row_numbers(
    database: Database, filter: MemoryFilter, row_numbers: Sequence[int] | None = None
) -> set[int]:
    """The row numbers of memories that pass the filter; only of ``row_numbers``, if given."""
    clause, values = filter.sql_condition()
    among = ""
    if row_numbers is not None:
        among = f"m.seq IN ({','.join('?' * len(row_numbers))}) AND "
    return set(
        database.column(
            f"SELECT m.seq FROM memories AS m WHERE {among}{clause}",
            (*(row_numbers or ()), *values),
        )
    )


def row_numbers_containing(
    database: Database, substring: str, filter: MemoryFilter, limit: int
) -> list[int]:
    """The row numbers of the newest memories that contain ``substring``, also inside a word.

    The case of ASCII letters is ignored. Slow, since it reads every text.
    """
    escaped = substring.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    clause, values = filter.sql_condition()
    # Texts are read in the order of the file, and matches filtered afterwards: in the order of the
    # index every page is read many times (50,000 memories: 120 ms instead of 19).
    return database.column(
        "WITH held AS MATERIALIZED (SELECT seq FROM memories NOT INDEXED "
        "WHERE title || ' ' || content || ' ' || tags LIKE ? ESCAPE '!') "
        f"SELECT m.seq FROM held CROSS JOIN memories AS m ON m.seq = held.seq WHERE {clause} "
        "ORDER BY m.created_at DESC, m.seq DESC LIMIT ?",
        (f"%{escaped}%", *values, limit),
    )


def matching_expression_labels_by_memory(
    database: Database, expressions_by_label: Mapping[str, str], row_numbers: Sequence[int]
) -> dict[int, list[str]]:
    """A dict: row number -> labels of the FTS5 expressions that the memory matches, maybe none.

    ``expressions_by_label`` maps a label to an expression. Words of neighbouring messages in a
    conversation do not count.
    """
    # Restricting the columns costs more: 2.2 ms instead of 1.6 for a word in 30,000 rows.
    if conversation.has_conversation_turn(database, row_numbers):
        expressions_by_label = {
            label: f"{_OWN} : ({expression})" for label, expression in expressions_by_label.items()
        }
    return full_text.matching_expression_labels_by_row(
        database, "memory_text", expressions_by_label, row_numbers
    )
