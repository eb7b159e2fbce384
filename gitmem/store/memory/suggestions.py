"""Suggestions that wait for consent: each is made once, and a rejected one stays rejected.

Functions that write run inside a transaction of the caller (``Database.write``).
"""

from __future__ import annotations

from gitmem.model.frozen import replace
from gitmem.model.ids import largest_id_with_prefix, normalise_id_prefix
from gitmem.model.memory import Memory
from gitmem.model.suggestion import PENDING, Suggestion
from gitmem.store.db.columns import insert_statement
from gitmem.store.db.connection import Database
from gitmem.store.db.redaction_gate import redact_text
from gitmem.store.memory.filters import STATE_SQL
from gitmem.store.memory.memory_rows import duplicate_detection_hash

_COLUMNS = Suggestion.__slots__
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM suggestions"
_INSERT = insert_statement("suggestions", _COLUMNS, verb="INSERT OR IGNORE")
# Queued for lack of room in the inbox: "rejected", but by nobody.
_QUEUED = "state = 'rejected' AND resolved_at IS NULL"
# About a pair or a stale memory only while each of them is in force: what was merged, replaced or
# archived in another way leaves nothing to decide, until it is restored.
_PENDING = (
    "state = 'pending' AND (kind = 'memory' OR 1 + (other <> '') = (SELECT count(*) "
    "FROM memories AS m WHERE m.id IN (suggestions.memory, suggestions.other) "
    f"AND NOT {STATE_SQL['superseded']} AND NOT ({STATE_SQL['archived']})))"
)


def add_suggestion(database: Database, suggestion: Suggestion) -> bool:
    """Store a suggestion; False if one with its key was made before, whatever became of it."""
    cleaned = replace(suggestion, reason=redact_text(suggestion.reason))
    database.connection.execute(_INSERT, tuple(getattr(cleaned, name) for name in _COLUMNS))
    return database.connection.changes() == 1


def get_suggestion(database: Database, suggestion_id: str) -> Suggestion | None:
    """The suggestion with this id; None if there is none."""
    return _first(database, "WHERE id = ?", (suggestion_id,))


def find_suggestion_by_key(database: Database, subject_key: str) -> Suggestion | None:
    """The suggestion with this key (hash of what it is about) in any state; None if none has it."""
    return _first(database, "WHERE key = ?", (subject_key,))


def _select(database: Database, rest: str, values: tuple[object, ...] = ()) -> list[Suggestion]:
    return [Suggestion(*row) for row in database.rows(f"{_SELECT} {rest}", values)]


def _first(database: Database, rest: str, values: tuple[object, ...] = ()) -> Suggestion | None:
    return next(iter(_select(database, rest, values)), None)


def find_suggestions_by_prefix(database: Database, id_prefix: str) -> list[Suggestion]:
    """At most six suggestions whose id, or whose memory's id, starts with ``id_prefix``."""
    return _select(
        database,
        "WHERE id BETWEEN ?1 AND ?2 OR memory BETWEEN ?1 AND ?2 "
        "ORDER BY memory NOT BETWEEN ?1 AND ?2, id LIMIT 6",
        (id_prefix, largest_id_with_prefix(id_prefix)),
    )


def is_memory_text_stored(
    database: Database, memory: Memory, *, match_decision_title: bool = True
) -> bool:
    """Whether any stored memory, in whatever state, has the same text, kind and scope.

    With ``match_decision_title`` also, for a decision, whether one has the same title.
    """
    is_stored = database.value(
        "SELECT EXISTS (SELECT 1 FROM memories WHERE digest = ?1) "
        "OR EXISTS (SELECT 1 FROM memories WHERE ?2 = 'decision' "
        "AND kind = 'decision' AND lower(title) = lower(?3))",
        (
            duplicate_detection_hash(memory),
            memory.kind if match_decision_title else "",
            memory.title,
        ),
    )
    return bool(is_stored)


def find_active_decision(database: Database, title_or_id: str) -> str:
    """The id of the only active decision with this title or beginning of an id; else empty."""
    rows = database.rows(
        f"SELECT m.id FROM memories AS m WHERE {STATE_SQL['active']} AND m.kind = 'decision' "
        "AND (lower(m.title) = lower(?1) OR (?2 <> '' AND m.id BETWEEN ?2 AND ?3)) LIMIT 2",
        (
            title_or_id,
            prefix := normalise_id_prefix(title_or_id) or "",
            largest_id_with_prefix(prefix),
        ),
    )
    return str(rows[0][0]) if len(rows) == 1 else ""


def pending_suggestions(database: Database, limit: int, offset: int = 0) -> list[Suggestion]:
    """The suggestions that wait for a person, the most confident first, of equals the oldest."""
    return _select(
        database,
        f"WHERE {_PENDING} ORDER BY similarity DESC, created_at, id LIMIT ? OFFSET ?",
        (limit, offset),
    )


def count_pending_suggestions(database: Database, kind: str = "") -> int:
    """How many suggestions of a ``kind`` (memory, merge ...; empty: any) wait for a person."""
    counted = database.value(
        f"SELECT count(*) FROM suggestions WHERE {_PENDING} AND ?1 IN ('', kind)", (kind,)
    )
    return int(counted or 0)


def least_confident_pending_suggestion(
    database: Database, same_kind_as: Suggestion
) -> Suggestion | None:
    """The least confident waiting suggestion of the new one's kind, of equals the newest.

    None if there is none.
    """
    return _first(
        database,
        "WHERE state = 'pending' AND kind = ? "
        "ORDER BY similarity, created_at DESC, id = ? DESC, id DESC LIMIT 1",
        (same_kind_as.kind, same_kind_as.id),
    )


def queue_suggestion_for_inbox(database: Database, suggestion_id: str) -> None:
    """Take a waiting suggestion out of the inbox, which is full, until there is room for it."""
    database.run(
        "UPDATE suggestions SET state = 'rejected' WHERE id = ? AND state = 'pending'",
        (suggestion_id,),
    )


def next_suggestion_queued_for_inbox(database: Database) -> Suggestion | None:
    """The most confident suggestion that waits for room in the inbox, or None; oldest of equals."""
    order = "ORDER BY similarity DESC, created_at, id LIMIT 1"
    return _first(database, f"WHERE {_QUEUED} AND memory <> '' {order}")


def count_suggestions_queued_for_inbox(database: Database) -> int:
    """How many suggestions wait for room in the inbox, where a person would see them."""
    return int(
        database.value(f"SELECT count(*) FROM suggestions WHERE {_QUEUED} AND memory <> ''") or 0
    )


def count_accepted_and_rejected(
    database: Database, kinds: tuple[str, ...], since_ms: int
) -> tuple[int, int]:
    """(how many suggestions of these kinds were accepted, how many rejected) after a time (ms)."""
    marks = ",".join("?" * len(kinds))
    accepted, rejected = database.rows(
        "SELECT count(*) FILTER (WHERE state = 'accepted'), "
        "count(*) FILTER (WHERE state = 'rejected') FROM suggestions "
        f"WHERE kind IN ({marks}) AND resolved_at > ?",
        (*kinds, since_ms),
    )[0]
    return accepted, rejected


def resolved_suggestions(database: Database, limit: int) -> list[Suggestion]:
    """At most ``limit`` accepted or rejected suggestions, the latest decided first."""
    return _select(
        database,
        "WHERE state <> ? AND resolved_at IS NOT NULL ORDER BY resolved_at DESC, id DESC LIMIT ?",
        (PENDING, limit),
    )


def resolve_suggestion(
    database: Database, suggestion_id: str, state: str, *, at_ms: int, agent: str
) -> bool:
    """Record that a waiting suggestion was accepted or rejected (``state``); else False.

    ``at_ms`` is when (milliseconds), ``agent`` by whom, empty for a person.
    """
    database.run(
        "UPDATE suggestions SET state = ?, resolved_at = ?, resolved_by = ? "
        "WHERE id = ? AND state = ?",
        (state, at_ms, agent, suggestion_id, PENDING),
    )
    return database.connection.changes() == 1


def reopen_suggestion(database: Database, suggestion_id: str) -> bool:
    """Let a decided suggestion wait for a person again; False if it waits or does not exist."""
    database.run(
        "UPDATE suggestions SET state = ?, resolved_at = NULL, resolved_by = '' "
        "WHERE id = ? AND state <> ?",
        (PENDING, suggestion_id, PENDING),
    )
    return database.connection.changes() == 1
