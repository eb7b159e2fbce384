"""Storing new versions of memories, one by one or many in short transactions."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext

from gitmem.app import App
from gitmem.capture.provenance import check_may_change, check_may_change_trust, is_agent
from gitmem.errors import Conflict, NotFound, StoreDamaged
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes
from gitmem.store.memory.memory_rows import record_unreadable_memory

# Memories of a transaction; short ones, so that other writers do not wait.
BATCH = 50
# The action of an edit that takes back an earlier one.
UNDONE = "undone"
# How often a memory was read, and when last (milliseconds).
Usage = tuple[int, int | None]


def store_memory_version(
    app: App,
    database: Database,
    old_version: Memory,
    new_version: Memory,
    action: str,
    *,
    edited_at_ms: int | None = None,
) -> Memory:
    """Store ``new_version`` as the next version of ``old_version``; returns it as stored.

    Call it in a transaction. ``action`` is the word for the memory's history, such as ``merged``;
    ``edited_at_ms`` is the time of the edit, by default now. Raises Conflict where an agent would
    change a person's memory, restore what a person archived, or accept a proposal or a foreign
    (imported) memory.
    """
    check_may_change(app, old_version)
    if is_agent(app) and old_version.archived_at is not None and new_version.archived_at is None:
        earlier = reversed(memories.earlier_versions(database, old_version.id))
        last = next((version for version in earlier if version.memory.archived_at is None), None)
        if last is not None and last.action == "archived" and not last.agent:
            raise Conflict(
                f"A person archived memory {old_version.id}, and only a person can bring it back.",
                f"Ask the person you work for to run: gitmem restore {old_version.id[:12]}",
            )
    if action != UNDONE:  # undoing puts back into force what was before
        check_may_change_trust(app, old_version, new_version)
    when = app.now if edited_at_ms is None else edited_at_ms
    return memory_writes.revise_memory(
        database, old_version, new_version, at_ms=when, action=action, agent=app.agent
    )


def edit_memory(
    app: App, database: Database, memory: Memory, make_edit: Callable[[Memory], Memory], action: str
) -> tuple[Memory, Memory]:
    """Store what ``make_edit`` returns for the current version of a memory; (before, after).

    Call it in a transaction. ``action`` is the word for the memory's history. Raises NotFound if
    the memory was purged meanwhile, and Conflict as ``store_memory_version`` does.
    """
    current = memories.get_memory(database, memory.id)
    if current is None:
        raise NotFound(
            f"Memory {memory.id} was removed a moment ago.",
            "`gitmem list` shows the memories that exist.",
        )
    new = make_edit(current)
    return current, current if new == current else store_memory_version(
        app, database, current, new, action
    )


@dataclass(frozen=True, slots=True)
class EditedMemories:
    """The memories that an edit changed, as they were before, and how many could not be read."""

    changed: tuple[Memory, ...]
    failed: int


def edit_memories(
    app: App,
    database: Database,
    ids: Sequence[str],
    make_edit: Callable[[Memory, Usage], Memory],
    action: str,
    *,
    dry_run: bool = False,
) -> EditedMemories:
    """Store what ``make_edit`` returns for each of many memories; returns the EditedMemories.

    ``make_edit`` gets the memory and (number of readings, time of the last in ms or None). Archived
    memories are left out. Permissions are not checked. ``action`` is the word for their histories.
    """
    changed: list[Memory] = []
    failed = 0
    for start in range(0, len(ids), BATCH):
        with nullcontext() if dry_run else database.write():
            for id in ids[start : start + BATCH]:
                try:
                    memory = memories.get_memory(database, id)
                except StoreDamaged as error:
                    record_unreadable_memory(database, id, getattr(error, "reason", "damaged"))
                    failed += 1
                    continue
                if memory is None or memory.archived_at is not None:
                    continue
                new = make_edit(memory, memories.access_count_and_time(database, id))
                if new != memory:
                    changed.append(memory)
                    if not dry_run:
                        memory_writes.revise_memory(
                            database, memory, new, at_ms=app.now, action=action, agent=app.agent
                        )
    return EditedMemories(tuple(changed), failed)
