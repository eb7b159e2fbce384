"""Storing new versions of memories: one, one as it is now, or many in short transactions."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext

from gitmem.app import App
from gitmem.capture.provenance import by_agent, refuse_change, refuse_lift
from gitmem.errors import Conflict, NotFound, StoreDamaged
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes
from gitmem.store.memory.memory_rows import leave_out

# Short transactions, so that nobody waits for a sweep.
BATCH = 50
# What is noted of an edit that takes back an earlier one.
UNDONE = "undone"
# How often a memory was handed out, and when last.
Usage = tuple[int, int | None]


def change(
    app: App, database: Database, old: Memory, new: Memory, action: str, *, at: int | None = None
) -> Memory:
    """Store a new version of a memory. In a transaction.

    Raises Conflict where an agent would change what a person said, bring back what a person put
    away, or accept what waits or is foreign: every edit passes here.
    """
    refuse_change(app, old)
    if by_agent(app) and old.archived_at is not None and new.archived_at is None:
        # Raise Conflict where a person put away what an agent would bring back.
        earlier = reversed(memories.history(database, old.id))
        last = next((version for version in earlier if version.memory.archived_at is None), None)
        if last is not None and last.action == "archived" and not last.agent:
            raise Conflict(
                f"A person archived memory {old.id}, and only a person can bring it back.",
                f"Ask the person you work for to run: gitmem restore {old.id[:12]}",
            )
    if action != UNDONE:  # what was in force before is so again
        refuse_lift(app, old, new)
    when = app.now if at is None else at
    return memory_writes.revise(database, old, new, at=when, action=action, agent=app.agent)


def edit(
    app: App, database: Database, memory: Memory, make: Callable[[Memory], Memory], action: str
) -> tuple[Memory, Memory]:
    """A memory as it is now before and after an edit, stored where it differs. In a transaction.

    Raises NotFound where it was purged meanwhile.
    """
    current = memories.get(database, memory.id)
    if current is None:
        raise NotFound(f"Memory {memory.id} was removed a moment ago.", "Run `gitmem list`.")
    new = make(current)
    return current, current if new == current else change(app, database, current, new, action)


@dataclass(frozen=True, slots=True)
class Sweep:
    """The memories that an edit of many changed, as they were, and how many could not be read."""

    changed: tuple[Memory, ...]
    failed: int


def edit_all(
    app: App,
    database: Database,
    ids: Sequence[str],
    make: Callable[[Memory, Usage], Memory],
    action: str,
    *,
    dry_run: bool = False,
) -> Sweep:
    """Edit those that are in use as they are now; a damaged one does not stop the others.

    What a rule of time settles holds for whatever memory: who happens to be asking is nobody's.
    """
    changed: list[Memory] = []
    failed = 0
    for start in range(0, len(ids), BATCH):
        with nullcontext() if dry_run else database.write():
            for id in ids[start : start + BATCH]:
                try:
                    memory = memories.get(database, id)
                except StoreDamaged as error:
                    leave_out(database, id, getattr(error, "reason", "damaged"))
                    failed += 1
                    continue
                if memory is None or memory.archived_at is not None:
                    continue
                new = make(memory, memories.usage(database, id))
                if new != memory:
                    changed.append(memory)
                    if not dry_run:
                        memory_writes.revise(
                            database, memory, new, at=app.now, action=action, agent=app.agent
                        )
    return Sweep(tuple(changed), failed)
