"""Finding the memories that were imported from files, by their metadata."""

from __future__ import annotations

import json

from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory.memory_rows import read_memories

# Key in the metadata, of {"file": path, "blob": id, "part": heading, ...}.
KEY = "from"


def memories_imported_from(database: Database, file: str) -> list[Memory]:
    """The memories imported from a file such as CLAUDE.md, also archived ones, oldest first."""
    return read_memories(
        database,
        "WHERE instr(m.metadata, ?2) AND json_extract(m.metadata, '$.from.file') = ?1 "
        "ORDER BY m.seq",
        (file, f'"{KEY}"'),
    )


def imported_ids_by_file(database: Database) -> dict[str, list[str]]:
    """The ids of the memories imported from each file, oldest first, in one query."""
    ids: dict[str, list[str]] = {}
    for file, id in database.rows(
        "SELECT json_extract(metadata, '$.from.file') AS file, id FROM memories "
        "WHERE instr(metadata, ?) AND file IS NOT NULL ORDER BY seq",
        (f'"{KEY}"',),
    ):
        ids.setdefault(str(file), []).append(str(id))
    return ids


def import_origin(memory: Memory) -> dict[str, object]:
    """The metadata of a memory about the file it was imported from; empty for others."""
    if f'"{KEY}"' not in memory.metadata:
        return {}
    origin = json.loads(memory.metadata).get(KEY)
    return origin if isinstance(origin, dict) else {}
