"""Moving a memory between the project's store and the user's global store."""

from contextlib import suppress

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.capture.layer_choice import working_memory_ttl_ms
from gitmem.capture.provenance import check_may_be_global, check_may_change
from gitmem.errors import Conflict, GitmemError
from gitmem.memory import lifecycle, provenance_facts
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes, move_memory, near_duplicates

TRIES = 5


def change_layer(app: App, memory: Memory, layer: str) -> Memory:
    """A copy of the memory as it has to be in ``layer`` (working, project, global); not stored.

    If it becomes global, its metadata gets the key of its project.
    """
    project = subprojects.project_key_for_new_memories(app) if layer != "global" else ""
    new = lifecycle.move_to_layer(
        memory, layer, project=project, now_ms=app.now, working_ttl_ms=working_memory_ttl_ms(app)
    )
    if new.scope == memory.scope:
        return new
    return replace(new, metadata=provenance_facts.set_origin_project(new.metadata, memory.project))


def move_between_stores(
    app: App, source: Database, memory: Memory, new_layer: str, action: str
) -> None:
    """Move a memory from ``source`` to the other of two stores: the project's, the user's global.

    It keeps its id. ``action`` is the word for its history. Raises Conflict where an agent may not
    do this, and where the other store has the same text.
    """
    check_may_change(app, memory)
    if new_layer == "global":
        check_may_be_global(app, memory)
    target = app.store_for_scope("global" if new_layer == "global" else "project")
    with app.store.write():
        move_memory.record_memory_move(app.store, memory.id, source.scope)
    try:
        _carry(app, source, target, memory.id, new_layer, action)
    finally:
        # While both stores have it the note stays: `finish_interrupted_moves` ends it.
        if not (memories.get_memory(source, memory.id) and memories.get_memory(target, memory.id)):
            with app.store.write():
                move_memory.clear_memory_move_record(app.store, memory.id)


def _carry(app: App, source: Database, target: Database, id: str, layer: str, action: str) -> None:
    """Copy the memory, then remove it; where it was edited in between, copy again."""
    for _ in range(TRIES):
        old = memories.get_memory(source, id)
        if old is None:
            return
        with target.write():
            _copy(app, source, target, old, layer, action)
        with source.write():
            if memories.get_memory(source, id) == old:
                memory_writes.remove_memory(source, old.id)
                return
    raise Conflict(f"Memory {id} is being edited by another process.", "Run the command again.")


def _copy(
    app: App, source: Database, target: Database, old: Memory, layer: str, action: str
) -> None:
    new = change_layer(app, old, layer)
    there = memories.get_memory(target, old.id)
    if there is not None:
        if there.version > old.version:
            return
        memory_writes.remove_memory(target, there.id)
    else:
        same = near_duplicates.find_identical_memory(
            target, new, subprojects.reusable_memory_sql_conditions(app, target)
        )
        if same is not None:
            raise Conflict(
                f"That layer already has a memory with the same text: {same.id}.",
                f"To archive the one you wanted to move: gitmem forget {old.id[:12]}",
            )
    move_memory.copy_memory_between_stores(
        target, source, old, new, at_ms=app.now, action=action, agent=app.agent
    )


def finish_interrupted_moves(app: App) -> int:
    """Finish interrupted moves between the project's and the global store; returns how many."""
    waiting = move_memory.pending_memory_moves(app.store)
    count = 0
    for id, origin in waiting.items():
        shared = app.global_store()
        if shared is None or app.store.read_only or shared.read_only:
            break
        source, target = (shared, app.store) if origin == "global" else (app.store, shared)
        # One that fails waits for the next time, and does not stop the others.
        with suppress(GitmemError):
            _finish(app, source, target, id)
            count += 1
    return count


def _finish(app: App, source: Database, target: Database, id: str) -> None:
    arrived = memories.get_memory(target, id)
    if arrived is not None:
        layer = arrived.layer or arrived.scope
        _carry(app, source, target, id, layer, "promoted" if layer == "global" else "demoted")
    with app.store.write():
        move_memory.clear_memory_move_record(app.store, id)
