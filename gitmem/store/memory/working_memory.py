"""Limiting the working memories of a session: the least recently used are archived.

``gitmem restore`` brings an archived one back.
"""

from __future__ import annotations

from gitmem.store.db.connection import Database
from gitmem.store.memory import expiry, memories, memory_writes

_ALL = "SELECT count(*) FROM memories WHERE layer = 'working' AND session = ?"


def archive_least_used_working_memories(
    database: Database, session: str, capacity: int, *, now_ms: int, agent: str = ""
) -> list[str]:
    """Archive a session's working memories, the least recently used, so that one more fits.

    Working memories are short-lived notes of a session; at most ``capacity - 1`` stay. Pinned ones
    and those used often enough to stay for good do not count. Returns the archived ids. ``now_ms``
    is milliseconds, ``agent`` who does it. In a transaction of the caller.
    """
    # From the index alone; archived ones have left the layer, so the limit is seldom exceeded.
    if int(database.value(_ALL, (session,))) < capacity:
        return []
    by_use = _by_use(database, session, now_ms)
    excess = by_use[: max(0, len(by_use) - capacity + 1)]
    for id in excess:
        memory = memories.get_undamaged_memory(database, id)
        if memory is None:
            # Damaged: it is never shown, and must not take the place of another.
            memory_writes.archive_unreadable_memory(database, id, at_ms=now_ms)
            continue
        away = expiry.archived_copy_of_memory(memory, now_ms)
        memory_writes.revise_memory(
            database, memory, away, at_ms=now_ms, action="evicted", agent=agent
        )
    return excess


def _by_use(database: Database, session: str, now_ms: int) -> list[str]:
    """Ids of those in use that can be evicted, the least recently used first."""
    lasts, values = expiry.unexpired_sql_condition(now_ms)
    return database.column(
        "SELECT m.id FROM memories AS m LEFT JOIN usage AS u ON u.memory = m.id "
        "WHERE m.layer = 'working' AND m.session = ? AND m.archived_at IS NULL AND m.pinned = 0 "
        f"AND coalesce(u.count, 0) < {expiry.PROMOTED_AT} AND {lasts} "
        "ORDER BY max(m.updated_at, coalesce(u.last_at, 0)), m.seq",
        (session, *values),
    )
