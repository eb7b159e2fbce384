"""Counts over a whole store."""

from __future__ import annotations

from gitmem.store.db.connection import Database
from gitmem.store.memory import expiry
from gitmem.store.memory.filters import STATE_SQL

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

MOST_TAGS = 20


def count_store_rows(database: Database, now_ms: int) -> dict[str, Any]:
    """A dict: ``total`` (memories), pinned, versions, links, sessions, notes, accesses -> number.

    ``by_state``, ``by_kind``, ``by_agent`` and ``by_tag`` (top twenty) are dicts of numbers of
    memories. One that has expired at ``now_ms`` (milliseconds) counts as archived.
    """
    by_state = memory_counts_by_state(database, now_ms)
    return {
        "total": database.value("SELECT count(*) FROM memories"),
        "by_state": {state: number for state, number in by_state.items() if number},
        "by_kind": _grouped(database, "kind"),
        "by_agent": _grouped(database, "agent"),
        "by_tag": dict(
            database.rows(
                "SELECT tag, count(*) AS n FROM memory_tags GROUP BY tag ORDER BY n DESC, tag "
                "LIMIT ?",
                (MOST_TAGS,),
            )
        ),
        "pinned": database.value("SELECT count(*) FROM memories WHERE pinned = 1"),
        "versions": database.value("SELECT count(*) FROM versions"),
        "links": database.value("SELECT count(*) FROM links"),
        "sessions": database.value("SELECT count(*) FROM sessions"),
        "notes": database.value("SELECT count(*) FROM events WHERE type = 'note'"),
        "accesses": database.value("SELECT coalesce(sum(count), 0) FROM usage"),
    }


def memory_counts_by_state(database: Database, now_ms: int) -> dict[str, int]:
    """A dict: state (active ...) -> number of memories; those expired at ``now_ms`` as archived."""
    lasts, values = expiry.unexpired_sql_condition(now_ms)
    # One scan for all: in a large store each would cost a fifth of a page.
    tests = ", ".join(f"count(*) FILTER (WHERE {test})" for test in STATE_SQL.values())
    counted = database.row(
        f"SELECT {tests} FROM memories AS m WHERE m.archived_at IS NOT NULL OR {lasts}",
        (*values,),
    )
    counts = dict(zip(STATE_SQL, counted or (), strict=True))
    # That it has an end at all is said for the index.
    expired = f"m.archived_at IS NULL AND m.expires_at IS NOT NULL AND NOT {lasts}"
    counts["archived"] += database.value(
        f"SELECT count(*) FROM memories AS m WHERE {expired}", (*values,)
    )
    return counts


def _grouped(database: Database, column: str) -> dict[str, int]:
    return dict(
        database.rows(
            f"SELECT {column}, count(*) AS n FROM memories GROUP BY {column} "
            f"ORDER BY n DESC, {column}"
        )
    )


def tags_with_prefix(database: Database, tag_prefix: str, limit: int) -> list[str]:
    """The tags that start with ``tag_prefix``, the most used first."""
    return database.column(
        "SELECT tag, count(*) AS n FROM memory_tags WHERE substr(tag, 1, ?) = ? "
        "GROUP BY tag ORDER BY n DESC, tag LIMIT ?",
        (len(tag_prefix), tag_prefix, limit),
    )
