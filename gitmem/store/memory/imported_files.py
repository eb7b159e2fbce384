"""Finding the memories that were imported from files, by their metadata."""

from __future__ import annotations

import json

from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory.memory_rows import read_memories

# Key in the metadata, of {"file": path, "blob": id, "part": heading, ...}.
KEY = "from"


def memories_imported_from(database: Database, file_path: str) -> list[Memory]:
    """The memories imported from a file (CLAUDE.md ...), archived ones too, oldest first."""
    return read_memories(
        database,
        "WHERE instr(m.metadata, ?2) AND json_extract(m.metadata, '$.from.file') = ?1 "
        "ORDER BY m.seq",
        (file_path, f'"{KEY}"'),
    )


def imported_ids_by_file(database: Database) -> dict[str, list[str]]:
    """A dict: path of an imported file -> ids of the memories made from it, oldest first."""
    ids: dict[str, list[str]] = {}
    for file, id in database.rows(
        "SELECT json_extract(metadata, '$.from.file') AS file, id FROM memories "
        "WHERE instr(metadata, ?) AND file IS NOT NULL ORDER BY seq",
        (f'"{KEY}"',),
    ):
        ids.setdefault(str(file), []).append(str(id))
    return ids


def imported_file_metadata(memory: Memory) -> dict[str, object]:
    """What a memory's metadata say of the file it was imported from; empty if it was not.

    Its keys are file (path), blob (content's id), part (heading) and more.
    """
    if f'"{KEY}"' not in memory.metadata:
        return {}
    file_facts = json.loads(memory.metadata).get(KEY)
    return file_facts if isinstance(file_facts, dict) else {}
