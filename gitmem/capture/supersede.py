"""One memory takes the place of another: marked, dated and linked in one transaction."""

from collections.abc import Callable, Collection
from functools import partial

from gitmem.app import App
from gitmem.capture.change import edit
from gitmem.errors import Conflict
from gitmem.memory.edit import superseded
from gitmem.model.memory import Link, Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import link_graph, memory_writes


def supersede(
    app: App, database: Database, old: Memory, by: str, *, strength: float = 1.0, context: str = ""
) -> None:
    """Mark a memory as replaced by another from now on, and link the two. In a transaction.

    Raises Conflict where another memory replaced it, or where it replaced the other one itself.
    """
    refuse_loop(database, by, old.id)
    edit(app, database, old, lambda now: superseded(now, by, app.now), "superseded")
    tie = Link(app.new_id(), by, old.id, "SUPERSEDES", strength, context, app.now)
    memory_writes.add_link(database, tie)


def contradict(app: App, database: Database, other: Memory, by: str) -> None:
    """Link a memory to one that it goes against; both stay as they are. In a transaction."""
    tie = Link(app.new_id(), by, other.id, "CONTRADICTS", 1.0, "", app.now)
    memory_writes.add_link(database, tie)


def refuse_loop(database: Database, newer: str, older: str) -> None:
    """Raise Conflict where ``newer`` was itself replaced by ``older``, directly or through others.

    Two memories that replace each other would both be hidden, and neither would be in force.
    """
    if would_loop(newer, older, partial(link_graph.replacing, database)):
        raise Conflict(
            f"Memory {newer} cannot supersede {older}: it was itself superseded by it.",
            "Record what holds now in a new memory that supersedes it.",
        )


def would_loop(newer: str, older: str, replacing: Callable[[Collection[str]], set[str]]) -> bool:
    """Whether ``newer`` cannot replace ``older``, since it was itself replaced by it.

    Directly or through others; ``replacing`` gives the ids of what replaced any of some memories.
    """
    known, front = {newer}, {newer}
    while front and older not in known:
        front = replacing(front) - known
        known |= front
    return older in known
