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


def supersede(
    app: App, database: Database, old: Memory, by: str, *, strength: float = 1.0, context: str = ""
) -> None:
    """Mark ``old`` as superseded by the memory with the id ``by``, and link both.

    Runs in the caller's transaction. ``strength`` (0 to 1) and ``context`` describe the link.
    Raises Conflict where a third memory supersedes it already, or where it supersedes the other one
    itself.
    """
    refuse_loop(database, by, old.id)
    edit_memory(app, database, old, lambda now: mark_superseded(now, by, app.now), "superseded")
    tie = Link(app.new_id(), by, old.id, "SUPERSEDES", strength, context, app.now)
    memory_writes.add_link(database, tie)


def link_contradiction(app: App, database: Database, other: Memory, by: str) -> None:
    """Link the memory with the id ``by`` to ``other``, which it contradicts.

    Call it in a transaction.

    Both memories stay as they are.
    """
    tie = Link(app.new_id(), by, other.id, "CONTRADICTS", 1.0, "", app.now)
    memory_writes.add_link(database, tie)


def refuse_loop(database: Database, newer: str, older: str) -> None:
    """Raise Conflict where ``older`` supersedes ``newer``, directly or through others.

    Two memories that supersede each other would both be hidden.
    """
    if would_loop(newer, older, partial(link_graph.replacing_memory_ids, database)):
        raise Conflict(
            f"Memory {newer} cannot supersede {older}: it was itself superseded by it.",
            "Record what holds now in a new memory that supersedes it.",
        )


def would_loop(newer: str, older: str, replacing: Callable[[Collection[str]], set[str]]) -> bool:
    """Whether ``older`` supersedes ``newer`` already, directly or through others.

    ``replacing`` gives the ids of the memories that supersede any of the given ones.
    """
    known, front = {newer}, {newer}
    while front and older not in known:
        front = replacing(front) - known
        known |= front
    return older in known
