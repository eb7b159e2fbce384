"""Supersede one memory by another: mark and link both in one transaction."""

from collections.abc import Callable, Collection
from functools import partial

from gitmem.app import App
from gitmem.capture.change import edit_memory
from gitmem.errors import Conflict
from gitmem.memory.edit import mark_superseded
from gitmem.model.memory import Link, Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import link_graph, memory_writes


def supersede_memory(
    app: App,
    database: Database,
    old: Memory,
    superseding_id: str,
    *,
    link_strength: float = 1.0,
    link_context: str = "",
) -> None:
    """Mark ``old`` as replaced by the memory with the id ``superseding_id``, and link the two.

    Call it in a transaction. ``link_strength`` (0 to 1) and ``link_context`` (words) describe the
    link. Raises Conflict if a third memory replaced it, or it replaced the other one itself.
    """
    check_no_supersession_loop(database, superseding_id, old.id)
    edit_memory(
        app, database, old, lambda now: mark_superseded(now, superseding_id, app.now), "superseded"
    )
    tie = Link(
        app.new_id(), superseding_id, old.id, "SUPERSEDES", link_strength, link_context, app.now
    )
    memory_writes.add_link(database, tie)


def link_contradiction(
    app: App, database: Database, contradicted: Memory, contradicting_id: str
) -> None:
    """Link a memory, by id, as CONTRADICTS to ``contradicted``; neither is changed otherwise.

    Call it in a transaction.
    """
    tie = Link(app.new_id(), contradicting_id, contradicted.id, "CONTRADICTS", 1.0, "", app.now)
    memory_writes.add_link(database, tie)


def check_no_supersession_loop(database: Database, newer_id: str, older_id: str) -> None:
    """Raise Conflict if ``older_id`` replaced ``newer_id`` already, directly or through others."""
    if would_make_supersession_loop(
        newer_id, older_id, partial(link_graph.replacing_memory_ids, database)
    ):
        raise Conflict(
            f"Memory {newer_id} cannot supersede {older_id}, which supersedes it already.",
            f"Record what holds now in a new memory that supersedes {older_id}.",
        )


def would_make_supersession_loop(
    newer_id: str, older_id: str, superseding_ids: Callable[[Collection[str]], set[str]]
) -> bool:
    """Whether the memory ``older_id`` replaced ``newer_id`` already, directly or through others.

    ``superseding_ids`` returns the ids of the memories that replaced any of the given ones.
    """
    reached, front = {newer_id}, {newer_id}
    while front and older_id not in reached:
        front = superseding_ids(front) - reached
        reached |= front
    return older_id in reached
