"""The expiry of memories as SQL: which are in use, which have expired, which stay for good.

The rules of ``memory.lifecycle`` over rows. A use does not rewrite the memory: its effective end is
the one in its row plus a share of its time to live for each use (half, as the settings have it).
"""

from __future__ import annotations

from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database

# Functions of the connection, which ``Database.set_expiry_extension_by_use`` defines by the
# settings.
PROMOTED_AT, EXTENDED_BY = "promoted_at()", "extended_by()"
_STRETCHES = "m.ttl_ms IS NOT NULL"
_MOVED = (
    f"({_STRETCHES} AND EXISTS (SELECT 1 FROM usage AS u WHERE u.memory = m.id AND "
    f"(u.count >= {PROMOTED_AT} OR "
    f"m.expires_at + CAST(m.ttl_ms * {EXTENDED_BY} AS INTEGER) * u.count > ?)))"
)
# As ``Memory.is_unaccepted_proposal`` has it. It does not expire before somebody has reviewed it.
UNACCEPTED = "(m.status = 'proposed' AND m.source = 'system_auto')"
_LASTS = f"(m.expires_at IS NULL OR m.expires_at > ? OR m.pinned = 1 OR {UNACCEPTED} OR {_MOVED})"
# Reads the index of memories with an end. Archived ones have none (``archived_copy_of_memory``).
_OVER = (
    "SELECT m.id FROM memories AS m WHERE m.expires_at <= ? AND m.archived_at IS NULL "
    f"AND m.pinned = 0 AND NOT {UNACCEPTED} AND NOT {_MOVED}"
)
_EARNED = (
    f"SELECT m.id FROM memories AS m JOIN usage AS u ON u.memory = m.id WHERE {_STRETCHES} "
    f"AND m.expires_at IS NOT NULL AND m.archived_at IS NULL AND u.count >= {PROMOTED_AT}"
)


def unexpired_sql_condition(now_ms: int) -> tuple[str, list[object]]:
    """(SQL condition over ``memories AS m`` that a memory has not expired, list of its values).

    ``now_ms`` is in milliseconds since 1970.
    """
    return _LASTS, [now_ms, now_ms]


def has_expired_memory(database: Database, now_ms: int) -> bool:
    """Whether any memory in use has expired at ``now_ms`` (milliseconds)."""
    return database.value(f"{_OVER} LIMIT 1", (now_ms, now_ms)) is not None


def expired_memory_ids(database: Database, now_ms: int) -> list[str]:
    """The ids of memories in use that have expired at ``now_ms``, the earliest expired first."""
    return database.column(f"{_OVER} ORDER BY m.expires_at, m.seq", (now_ms, now_ms))


def has_memory_unedited_since(database: Database, before_ms: int) -> bool:
    """Whether any memory was last edited before ``before_ms`` (milliseconds since 1970)."""
    unedited = database.value("SELECT 1 FROM memories WHERE updated_at < ? LIMIT 1", (before_ms,))
    return unedited is not None


def never_expiring_memory_ids(database: Database) -> list[str]:
    """The ids of memories with an expiry that were used often enough to stay for good."""
    return database.column(f"{_EARNED} ORDER BY m.seq")


def archived_copy_of_memory(memory: Memory, now_ms: int) -> Memory:
    """The memory as it is to be stored when archived: without an expiry, not a working memory.

    ``now_ms`` is when it is archived. If restored, it stays for good.
    """
    return replace(memory, archived_at=now_ms, layer="", ttl_ms=None, expires_at=None)
