"""Suggestions that wait for consent: each thing is suggested once, and what was rejected stays so.

Functions that write run inside a transaction of the caller (``Database.write``).
"""

from __future__ import annotations

from gitmem.model.frozen import replace
from gitmem.model.ids import normalise, upper_bound
from gitmem.model.memory import Memory
from gitmem.model.suggestion import PENDING, Suggestion
from gitmem.store.db.columns import insert
from gitmem.store.db.connection import Database
from gitmem.store.db.redaction_gate import clean
from gitmem.store.memory.filters import STATE_SQL
from gitmem.store.memory.memory_rows import digest

_COLUMNS = Suggestion.__slots__
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM suggestions"
_INSERT = insert("suggestions", _COLUMNS, verb="INSERT OR IGNORE")
# Rejected by nobody: there was no room.
_QUEUED = "state = 'rejected' AND resolved_at IS NULL"


def add(database: Database, suggestion: Suggestion) -> bool:
    """Keep a suggestion; False where its key was suggested before, whatever became of it."""
    cleaned = replace(suggestion, reason=clean(suggestion.reason))
    database.connection.execute(_INSERT, tuple(getattr(cleaned, name) for name in _COLUMNS))
    return database.connection.changes() == 1


def get(database: Database, id: str) -> Suggestion | None:
    """The suggestion of an id."""
    row = database.row(f"{_SELECT} WHERE id = ?", (id,))
    return Suggestion(*row) if row else None


def with_key(database: Database, key: str) -> Suggestion | None:
    """The suggestion about this thing, pending or resolved."""
    row = database.row(f"{_SELECT} WHERE key = ?", (key,))
    return Suggestion(*row) if row else None


def named(database: Database, prefix: str) -> list[Suggestion]:
    """Those whose id, or the id of whose memory, begins so; no more than six."""
    rows = database.rows(
        f"{_SELECT} WHERE id BETWEEN ?1 AND ?2 OR memory BETWEEN ?1 AND ?2 ORDER BY id LIMIT 6",
        (prefix, upper_bound(prefix)),
    )
    return [Suggestion(*row) for row in rows]


def said_before(database: Database, memory: Memory, *, by_title: bool = True) -> bool:
    """Whether a memory in whatever state says the same.

    ``by_title``: or, of a decision, has the same title.
    """
    known = database.value(
        "SELECT EXISTS (SELECT 1 FROM memories WHERE digest = ?1) "
        "OR EXISTS (SELECT 1 FROM memories WHERE ?2 = 'decision' "
        "AND kind = 'decision' AND lower(title) = lower(?3))",
        (digest(memory), memory.kind if by_title else "", memory.title),
    )
    return bool(known)


def decision_in_force(database: Database, named: str) -> str:
    """The id of the active decision with this title or unique beginning of an id; else empty."""
    rows = database.rows(
        f"SELECT m.id FROM memories AS m WHERE {STATE_SQL['active']} AND m.kind = 'decision' "
        "AND (lower(m.title) = lower(?1) OR (?2 <> '' AND m.id BETWEEN ?2 AND ?3)) LIMIT 2",
        (named, prefix := normalise(named) or "", upper_bound(prefix)),
    )
    return str(rows[0][0]) if len(rows) == 1 else ""


def pending(database: Database, most: int, offset: int = 0) -> list[Suggestion]:
    """Those that wait, the oldest first."""
    rows = database.rows(
        f"{_SELECT} WHERE state = ? ORDER BY created_at, id LIMIT ? OFFSET ?",
        (PENDING, most, offset),
    )
    return [Suggestion(*row) for row in rows]


def count_pending(database: Database, kind: str = "") -> int:
    """How many wait, of a kind or in all."""
    counted = database.value(
        "SELECT count(*) FROM suggestions WHERE state = 'pending' AND ?1 IN ('', kind)", (kind,)
    )
    return int(counted or 0)


def least_sure(database: Database, added: Suggestion) -> Suggestion | None:
    """The least sure of those of a kind that wait, of equals the newest; ``added`` came last."""
    row = database.row(
        f"{_SELECT} WHERE state = 'pending' AND kind = ? "
        "ORDER BY similarity, created_at DESC, id = ? DESC, id DESC LIMIT 1",
        (added.kind, added.id),
    )
    return Suggestion(*row) if row else None


def queue(database: Database, id: str) -> None:
    """Let one that waits step back behind a full inbox."""
    database.run(
        "UPDATE suggestions SET state = 'rejected' WHERE id = ? AND state = 'pending'", (id,)
    )


def next_queued(database: Database) -> Suggestion | None:
    """The surest that waits behind a full inbox, of equals the oldest."""
    row = database.row(
        f"{_SELECT} WHERE {_QUEUED} AND memory <> '' "
        "ORDER BY similarity DESC, created_at, id LIMIT 1"
    )
    return Suggestion(*row) if row else None


def count_queued(database: Database) -> int:
    """How many wait behind a full inbox."""
    return int(
        database.value(f"SELECT count(*) FROM suggestions WHERE {_QUEUED} AND memory <> ''") or 0
    )


def decided(database: Database, kinds: tuple[str, ...], since: int) -> tuple[int, int]:
    """How many of these kinds were accepted and how many rejected after a moment (ms)."""
    marks = ",".join("?" * len(kinds))
    accepted, rejected = database.rows(
        "SELECT count(*) FILTER (WHERE state = 'accepted'), "
        "count(*) FILTER (WHERE state = 'rejected') FROM suggestions "
        f"WHERE kind IN ({marks}) AND resolved_at > ?",
        (*kinds, since),
    )[0]
    return accepted, rejected


def resolved(database: Database, most: int) -> list[Suggestion]:
    """Those that were accepted or rejected, the latest first."""
    rows = database.rows(
        f"{_SELECT} WHERE state <> ? AND resolved_at IS NOT NULL "
        "ORDER BY resolved_at DESC, id DESC LIMIT ?",
        (PENDING, most),
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
