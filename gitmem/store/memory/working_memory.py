"""Limiting the working memories of a session: the least recently used are archived.

``gitmem restore`` brings an archived one back.
"""

from __future__ import annotations

from gitmem.store.db.connection import Database
from gitmem.store.memory import expiry, memories, memory_writes

_ALL = "SELECT count(*) FROM memories WHERE layer = 'working' AND session = ?"


def archive_least_used(
    database: Database, session: str, most: int, *, now: int, agent: str = ""
) -> list[str]:
    """Archive a session's least recently used working memories, so that another one fits.

    Returns the ids of the archived memories. In a transaction. Afterwards the session has at most
    ``most - 1`` working memories that can be archived. Pinned memories, and those used often enough
    to be kept for good, do not count.
    """
    # From the index alone; archived ones have left the layer, so the limit is seldom exceeded.
    if int(database.value(_ALL, (session,))) < most:
        return []
    known = _by_use(database, session, now)
    gone = known[: max(0, len(known) - most + 1)]
    for id in gone:
        memory = memories.get_if_undamaged(database, id)
        if memory is None:
            # Damaged: it is never shown, and must not take the place of another.
            memory_writes.archive_unread(database, id, at=now)
            continue
        away = expiry.archived_form(memory, now)
        memory_writes.revise(database, memory, away, at=now, action="evicted", agent=agent)
    return gone


def _by_use(database: Database, session: str, now: int) -> list[str]:
    """Ids of those in use that can be evicted, the least recently used first."""
    lasts, values = expiry.lasting_condition(now)
    return database.column(
        "SELECT m.id FROM memories AS m LEFT JOIN usage AS u ON u.memory = m.id "
        "WHERE m.layer = 'working' AND m.session = ? AND m.archived_at IS NULL AND m.pinned = 0 "
        f"AND coalesce(u.count, 0) < {expiry.PROMOTED_AT} AND {lasts} "
        "ORDER BY max(m.updated_at, coalesce(u.last_at, 0)), m.seq",
        (session, *values),
    )
