"""The log of merged memories, from which a merge can be undone.

Functions that write run inside a transaction of the caller (``Database.write``).
"""

from __future__ import annotations

from gitmem.model.ids import largest_id_with_prefix
from gitmem.model.suggestion import MergeRecord
from gitmem.store.db.columns import insert_statement
from gitmem.store.db.connection import Database

_COLUMNS = MergeRecord.__slots__
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM consolidations"
_INSERT = insert_statement("consolidations", _COLUMNS)


def add_merge_record(database: Database, merge_record: MergeRecord) -> None:
    """Store the record of a merge of one memory into another, by which it can be undone."""
    values = tuple(getattr(merge_record, name) for name in _COLUMNS)
    database.connection.execute(_INSERT, values)


def get_merge_record(database: Database, merge_id: str) -> MergeRecord | None:
    """The record of the merge with this id; None if there is none."""
    row = database.row(f"{_SELECT} WHERE id = ?", (merge_id,))
    return MergeRecord(*row) if row else None


def latest_memory_merges(database: Database, limit: int) -> list[MergeRecord]:
    """The records of the latest merges of memories, also undone ones, the newest first."""
    rows = database.rows(f"{_SELECT} ORDER BY at DESC, id DESC LIMIT ?", (limit,))
    return [MergeRecord(*row) for row in rows]


def find_memory_merges_by_prefix(database: Database, id_prefix: str) -> list[MergeRecord]:
    """At most six merges not undone whose id, or a merged memory's, starts with ``id_prefix``.

    The newest comes first.
    """
    rows = database.rows(
        f"{_SELECT} WHERE undone_at IS NULL AND (id BETWEEN ?1 AND ?2 OR target BETWEEN ?1 AND ?2 "
        "OR source BETWEEN ?1 AND ?2) ORDER BY at DESC, id DESC LIMIT 6",
        (id_prefix, largest_id_with_prefix(id_prefix)),
    )
    return [MergeRecord(*row) for row in rows]


def mark_memory_merge_undone(database: Database, merge_id: str, undone_ms: int) -> bool:
    """Record that a merge was undone at ``undone_ms`` (milliseconds since 1970).

    False if it was undone before or does not exist.
    """
    database.run(
        "UPDATE consolidations SET undone_at = ? WHERE id = ? AND undone_at IS NULL",
        (undone_ms, merge_id),
    )
    return database.connection.changes() == 1
