"""Storing a new version of a memory, and the anchors of what it will cite."""

from gitmem.app import App
from gitmem.memory import draft
from gitmem.memory.edit import Changes
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, memory_writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.freshness.anchoring import Made


def renewed(app: App, database: Database, memory: Memory, changes: Changes) -> "Made | None":
    """The anchors for what a memory will cite; those of places it cites already stay as they are.

    None where its citations do not change. Raises InvalidInput.
    """
    if changes.paths is None:
        return None
    from gitmem.freshness import anchoring  # noqa: PLC0415 - only for new citations

    citing = replace(memory, paths=draft.check_paths(changes.paths))
    kept = anchors.of(database, [memory.id]).get(memory.id, [])
    return anchoring.made(app, citing, kept=kept)


def change(app: App, database: Database, old: Memory, new: Memory, action: str) -> Memory:
    """Store a new version of a memory. In a transaction."""
    return memory_writes.revise(
        database, old, new, draft.digest(new), at=app.now, action=action, agent=app.agent
    )
