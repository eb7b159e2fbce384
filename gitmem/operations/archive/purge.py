"""Removing a memory for good: no byte of it stays in the store or in its backups."""

import os
from typing import Annotated

from gitmem.app import App
from gitmem.capture.provenance import refuse_agents
from gitmem.errors import GitmemError
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import DELETE, Arg, Operation
from gitmem.store.file import backup
from gitmem.store.file.opening import open_store
from gitmem.store.memory import memories, memory_writes, short_ids


@dataclass(frozen=True, slots=True)
class Purge:
    """Which memories to remove."""

    id: Annotated[tuple[str, ...], Arg("Ids or unique prefixes", positional=True)]


@dataclass(frozen=True, slots=True)
class Purged:
    """What was removed, which backups were cleaned, and where a copy may still be.

    ``remaining`` are backups that could not be cleaned; ``held`` are logs that another process
    still reads, emptied when it has ended.
    """

    purged: tuple[str, ...]
    backups: tuple[str, ...]
    remaining: tuple[str, ...]
    held: tuple[str, ...]


def purge(app: App, request: Purge) -> Purged:
    """Delete memories permanently.

    Their history and links go too, from the store and from its backups. No byte of the text
    remains; only the id is kept, so that an import does not bring it back. You are asked first;
    --yes skips that, and is needed where there is no terminal. Only a person can do it. Copies you
    made elsewhere (exports, other backups) are yours to delete.
    """
    refuse_agents(app, "delete memories permanently")
    named = [short_ids.find(app.stores(), text) for text in request.id]
    found = list({memory.id: (database, memory) for database, memory in named}.values())
    held: list[str] = []
    for database in {id(database): database for database, _ in found}.values():
        with database.write():
            for holder, memory in found:
                if holder is database:
                    memory_writes.purge(database, memory, at=app.now)
        if not memory_writes.compact(database):
            held.append(database.path + "-wal")
    ids = [memory.id for _, memory in found]
    cleaned: list[str] = []
    remaining: list[str] = []
    for path in {database.path for database, _ in found}:
        for copy in backup.stored(path):
            (cleaned if _clean_backup(copy, ids, app.now) else remaining).append(copy)
    return Purged(tuple(ids), tuple(cleaned), tuple(remaining), tuple(held))


def _clean_backup(path: str, ids: list[str], now: int) -> bool:
    made = os.stat(path)
    try:
        database = open_store(path)
    except GitmemError:
        return False
    try:
        with database.write():
            for id in ids:
                memory = memories.get(database, id)
                if memory is not None:
                    memory_writes.purge(database, memory, at=now)
        memory_writes.compact(database)
    except GitmemError:
        return False
    finally:
        database.close()
        # It still holds the state of that time: the newest backup is found by it.
        os.utime(path, ns=(made.st_atime_ns, made.st_mtime_ns))
    return True


def view(result: Purged) -> str:
    """A line for each memory, then what is known of copies."""
    lines = [f"purged {id}" for id in result.purged]
    if result.backups:
        lines.append(f"also from {len(result.backups)} backups")
    lines += [f"not purged, delete it yourself: {path}" for path in result.remaining]
    lines += [
        f"still in {path} until the other processes that use the store have exited"
        for path in result.held
    ]
    return "\n".join(lines)


PURGE = Operation(
    name="purge",
    request=Purge,
    run=purge,
    view=view,
    effect=DELETE,
    example="gitmem purge 01M6ZK3P",
    confirm="Permanently delete, with history and backups?",
)
