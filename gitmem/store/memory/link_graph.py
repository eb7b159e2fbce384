"""Reading the links of many memories at once, for a step of a walk along links."""

from __future__ import annotations

from collections.abc import Collection

from gitmem.model.memory import Link, Memory
from gitmem.store.db.columns import json_array
from gitmem.store.db.connection import Database
from gitmem.store.db.sealed_rows import rows_with_valid_seal, sealed_columns
from gitmem.store.memory.memory_rows import read_memories

_LINK = f"SELECT {sealed_columns('links')} FROM links"
_AMONG = "IN (SELECT value FROM json_each(?1))"


def links_of_memories(database: Database, memory_ids: Collection[str]) -> list[Link]:
    """The links from or to any of these memories or commits (``commit:...``), by the link's id."""
    # Two queries, so that each uses its own index.
    rows = database.rows(
        f"{_LINK} WHERE source {_AMONG} UNION {_LINK} WHERE target {_AMONG} ORDER BY id",
        (json_array(sorted(memory_ids)),),
    )
    return [Link(*row) for row in rows_with_valid_seal(database, "links", rows)]


def has_link(database: Database, source: str, target: str, relation: str) -> bool:
    """Whether there is a link of this relation between the memories ``source`` and ``target``."""
    query = "SELECT 1 FROM links WHERE source = ? AND target = ? AND relation = ?"
    return database.value(query, (source, target, relation)) is not None


def memories_by_id(database: Database, memory_ids: Collection[str]) -> dict[str, Memory]:
    """A dict: id -> memory; damaged ones are left out and noted in ``database.left_out``."""
    memories = read_memories(database, f"WHERE id {_AMONG}", (json_array(sorted(memory_ids)),))
    return {memory.id: memory for memory in memories}


def replacing_memory_ids(database: Database, memory_ids: Collection[str]) -> set[str]:
    """The ids of the memories that replaced any of these, as recorded in them or by a link."""
    return set(
        database.column(
            f"SELECT superseded_by FROM memories WHERE id {_AMONG} AND superseded_by <> '' UNION "
            f"SELECT source FROM links WHERE target {_AMONG} AND relation = 'SUPERSEDES'",
            (json_array(sorted(memory_ids)),),
        )
    )


def replacement_pairs(database: Database) -> list[tuple[str, str]]:
    """Every pair of ids (newer, older) of memories of which the newer replaced the older."""
    return database.rows(
        "SELECT superseded_by, id FROM memories WHERE superseded_by <> '' UNION "
        "SELECT source, target FROM links WHERE relation = 'SUPERSEDES'"
    )
