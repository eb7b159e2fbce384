"""Links of many memories at once, for one step of a walk along them."""

from __future__ import annotations

from collections.abc import Collection

from gitmem.model.memory import Link, Memory
from gitmem.store.db.columns import json_array
from gitmem.store.db.connection import Database
from gitmem.store.db.sealed_rows import own_rows, sealed_columns
from gitmem.store.memory.memory_rows import whole

_LINK = f"SELECT {sealed_columns('links')} FROM links"
_AMONG = "IN (SELECT value FROM json_each(?1))"


def links_of(database: Database, ids: Collection[str]) -> list[Link]:
    """The links that touch any of these memories or commits, in order of id."""
    # Two queries, so that each uses its own index.
    rows = database.rows(
        f"{_LINK} WHERE source {_AMONG} UNION {_LINK} WHERE target {_AMONG} ORDER BY id",
        (json_array(sorted(ids)),),
    )
    return [Link(*row) for row in own_rows(database, "links", rows)]


def link_between(database: Database, source: str, target: str, relation: str) -> bool:
    """Whether exactly this link is stored."""
    query = "SELECT 1 FROM links WHERE source = ? AND target = ? AND relation = ?"
    return database.value(query, (source, target, relation)) is not None


def memories_of(database: Database, ids: Collection[str]) -> dict[str, Memory]:
    """Those of these ids that are memories here; damaged ones are left out and noted."""
    memories = whole(database, f"WHERE id {_AMONG}", (json_array(sorted(ids)),))
    return {memory.id: memory for memory in memories}


def replacing(database: Database, ids: Collection[str]) -> set[str]:
    """The ids of what replaced any of these memories, by ``superseded_by`` or by a link."""
    return set(
        database.column(
            f"SELECT superseded_by FROM memories WHERE id {_AMONG} AND superseded_by <> '' UNION "
            f"SELECT source FROM links WHERE target {_AMONG} AND relation = 'SUPERSEDES'",
            (json_array(sorted(ids)),),
        )
    )


def replaced(database: Database) -> list[tuple[str, str]]:
    """Every pair (newer, older) of which the first replaced the second; reads all memories."""
    return database.rows(
        "SELECT superseded_by, id FROM memories WHERE superseded_by <> '' UNION "
        "SELECT source, target FROM links WHERE relation = 'SUPERSEDES'"
    )
