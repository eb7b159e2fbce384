"""Finding memories by the beginning of their id, and shortening ids."""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.errors import AmbiguousReference, NotFound
from gitmem.model import ids
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory.memories import get_memory


def memory_ids_with_prefix(database: Database, id_prefix: str, limit: int = 6) -> list[str]:
    """Ids of memories (at most ``limit``) that start with ``id_prefix`` (upper case), sorted."""
    return database.column(
        "SELECT id FROM memories WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?",
        (id_prefix, ids.largest_id_with_prefix(id_prefix), limit),
    )


def shortest_unique_prefix(database: Database, memory_id: str, min_length: int = 8) -> str:
    """The shortest beginning of an id, of at least ``min_length`` characters, that no other has."""
    neighbours = database.row(
        "SELECT (SELECT max(id) FROM memories WHERE id < ?1), "
        "(SELECT min(id) FROM memories WHERE id > ?1)",
        (memory_id,),
    )
    assert neighbours is not None
    shared = max((_common(memory_id, other) for other in neighbours if other), default=0)
    return memory_id[: max(min_length, shared + 1)]


def _common(first: str, second: str) -> int:
    for position, (left, right) in enumerate(zip(first, second, strict=False)):
        if left != right:
            return position
    return min(len(first), len(second))


def newest_memory_ids(database: Database, limit: int) -> list[str]:
    """The ids of the newest memories, the newest first."""
    return database.column("SELECT id FROM memories ORDER BY id DESC LIMIT ?", (limit,))


def find_memory(databases: Sequence[Database], id_or_prefix: str) -> tuple[Database, Memory]:
    """(store, memory) with this id, or the only one whose id begins so, in any of the stores.

    Raises NotFound, AmbiguousReference or MemoryDamaged.
    """
    database, id = find_memory_id(databases, id_or_prefix)
    memory = get_memory(database, id)
    if memory is None:
        raise NotFound(
            f"Memory {id} was removed a moment ago.", "`gitmem list` shows the memories that exist."
        )
    return database, memory


def find_memory_id(databases: Sequence[Database], id_or_prefix: str) -> tuple[Database, str]:
    """(store, full id) of the memory with this id, or the only one whose id begins so.

    Raises NotFound or AmbiguousReference.
    """
    prefix = ids.normalise_id_prefix(id_or_prefix)
    matches = [
        (database, id)
        for database in databases
        for id in (memory_ids_with_prefix(database, prefix) if prefix else ())
    ]
    if not matches:
        raise NotFound(
            f"No memory has an id that starts with {id_or_prefix[:40]!r}.",
            "Run `gitmem list` to see ids; a unique prefix is enough.",
        )
    if len(matches) > 1:
        names = ", ".join(id for _, id in matches[:5])
        raise AmbiguousReference(
            f"{id_or_prefix!r} matches more than one memory: {names}.", "Give more characters."
        )
    return matches[0]
