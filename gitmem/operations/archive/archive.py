"""Archiving memories and restoring archived and superseded ones: nothing is deleted."""

from functools import partial

from gitmem.app import App
from gitmem.capture import consolidate
from gitmem.capture.edit_each import MemoryEditOutcomes, edit_memories_by_prefix
from gitmem.memory import edit
from gitmem.model.memory import Memory
from gitmem.operations.outcomes import MemoryIdsRequest, view
from gitmem.operations.registry import DELETE, WRITE, Operation
from gitmem.store.db.connection import Database
from gitmem.store.memory import memory_writes


def archive_memories(app: App, request: MemoryIdsRequest) -> MemoryEditOutcomes:
    """Archive memories; `gitmem restore` brings them back.

    To delete one permanently, with its history, use `gitmem purge`. The result says what was done
    with each memory, and how many failed.
    """

    def archive_unreadable_by_id(database: Database, memory_id: str) -> None:
        memory_writes.archive_unreadable_memory(database, memory_id, at_ms=app.now)

    archived = partial(edit.archive_memory, now_ms=app.now)
    return edit_memories_by_prefix(app, request.id, "archived", archived, archive_unreadable_by_id)


def restore_memories(app: App, request: MemoryIdsRequest) -> MemoryEditOutcomes:
    """Restore archived and superseded memories.

    A superseded memory is in force again as before, and so is the one that replaced it. The result
    says what was done with each memory, and how many failed.
    """

    def restore_if_superseded(database: Database, memory: Memory) -> bool:
        if memory.archived_at is not None or not memory.superseded_by:
            return False
        consolidate.restore_memory_unless_merged(app, database, memory)
        return True

    return edit_memories_by_prefix(
        app, request.id, "restored", edit.restore_memory, try_special_edit=restore_if_superseded
    )


FORGET = Operation("forget", archive_memories, view, DELETE, "01M6ZK3P", tool="forget")

RESTORE = Operation("restore", restore_memories, view, WRITE, "01M6ZK3P", tool="restore")
