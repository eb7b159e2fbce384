"""What keeps a store healthy without a daemon: done now and then, beside the user's work.

``schedule`` says when it is due and starts it, detached and at the lowest priority.
"""

import os

from gitmem.app import App
from gitmem.memory import edit
from gitmem.model.value import dataclass
from gitmem.operations.backup import automatic
from gitmem.operations.registry import WRITE, Operation
from gitmem.operations.revise import change
from gitmem.store import memories
from gitmem.store.connection import Database

LOWEST = 19
BATCH = 200


@dataclass(frozen=True, slots=True)
class Upkeep:
    """Nothing needs to be said."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What was done: the backup made, or empty, and how many memories had come to their end."""

    backup: str
    expired: int


def upkeep(app: App, request: Upkeep) -> Kept:
    """Do what is due.

    Archives memories whose time to live has run out, makes the daily backup, and merges the
    write-ahead log into the store.
    """
    del request
    if hasattr(os, "nice"):
        os.nice(LOWEST)
    stores = app.stores()
    expired = sum(_expire(app, store) for store in stores)
    made = automatic(app)
    app.store.rows("PRAGMA wal_checkpoint(PASSIVE)")
    return Kept(made, expired)


def _expire(app: App, store: Database) -> int:
    """Archive what has come to its end; nothing is deleted."""
    done = 0
    while found := memories.expiring(store, app.now, BATCH):
        with store.write():
            for memory in found:
                change(app, store, memory, edit.expired(memory, app.now), "expired")
        done += len(found)
    return done


def view(result: Kept) -> str:
    """A line for each thing done, or nothing."""
    lines = [f"archived {result.expired} expired memories"] if result.expired else []
    lines += [f"backed up to {result.backup}"] if result.backup else []
    return "\n".join(lines)


UPKEEP = Operation(
    name="upkeep",
    request=Upkeep,
    run=upkeep,
    view=view,
    effect=WRITE,
    example="gitmem upkeep",
)
