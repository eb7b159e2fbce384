"""Suggestions that wait for consent: each thing is suggested once, and what was rejected stays so.

Functions that write run inside a transaction of the caller (``Database.write``).
"""

from __future__ import annotations

from gitmem.model.frozen import replace
from gitmem.model.suggestion import PENDING, Suggestion
from gitmem.store.db.columns import insert
from gitmem.store.db.connection import Database
from gitmem.store.db.redaction_gate import clean

_COLUMNS = Suggestion.__slots__
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM suggestions"
_INSERT = insert("suggestions", _COLUMNS, verb="INSERT OR IGNORE")


def add(database: Database, suggestion: Suggestion) -> bool:
    """Keep a suggestion; False where its key was suggested before, whatever became of it."""
    kept = replace(suggestion, reason=clean(suggestion.reason))
    database.connection.execute(_INSERT, tuple(getattr(kept, name) for name in _COLUMNS))
    return database.connection.changes() == 1


def get(database: Database, id: str) -> Suggestion | None:
    """The suggestion of an id."""
    row = database.row(f"{_SELECT} WHERE id = ?", (id,))
    return Suggestion(*row) if row else None


def with_key(database: Database, key: str) -> Suggestion | None:
    """The suggestion about this thing, pending or resolved."""
    row = database.row(f"{_SELECT} WHERE key = ?", (key,))
    return Suggestion(*row) if row else None


def pending(database: Database, most: int, offset: int = 0) -> list[Suggestion]:
    """Those that wait, the oldest first."""
    rows = database.rows(
        f"{_SELECT} WHERE state = ? ORDER BY created_at, id LIMIT ? OFFSET ?",
        (PENDING, most, offset),
    )
    return [Suggestion(*row) for row in rows]


def count_pending(database: Database) -> int:
    """How many wait."""
    return int(database.value("SELECT count(*) FROM suggestions WHERE state = 'pending'") or 0)


def resolved(database: Database, most: int) -> list[Suggestion]:
    """Those that were accepted or rejected, the latest first."""
    rows = database.rows(
        f"{_SELECT} WHERE state <> ? ORDER BY resolved_at DESC, id DESC LIMIT ?", (PENDING, most)
    )
    return [Suggestion(*row) for row in rows]


def resolve(database: Database, id: str, state: str, *, at: int, agent: str) -> bool:
    """Accept or reject what waits; False where it does not wait any more."""
    database.run(
        "UPDATE suggestions SET state = ?, resolved_at = ?, resolved_by = ? "
        "WHERE id = ? AND state = ?",
        (state, at, agent, id, PENDING),
    )
    return database.connection.changes() == 1


def reopen(database: Database, id: str) -> bool:
    """Let what was resolved wait again; False where it waits already or is not there."""
    database.run(
        "UPDATE suggestions SET state = ?, resolved_at = NULL, resolved_by = '' "
        "WHERE id = ? AND state <> ?",
        (PENDING, id, PENDING),
    )
    return database.connection.changes() == 1
