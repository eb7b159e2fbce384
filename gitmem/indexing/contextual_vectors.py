"""Memories by the contextual model: read in the background, asked once all of them are read.

The model takes 30 ms of CPU for a memory, so nobody who writes waits for it: memories are read by
the upkeep that follows commands and hooks, and by `gitmem index`, the newest first. Until then, and
wherever a store holds more unread memories than a question reads by itself, the table answers alone
(``text_vectors``); afterwards both do. Within one list all similarities are made in the same way.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from contextlib import suppress

from gitmem.app import App
from gitmem.embedding import base
from gitmem.errors import GitmemError
from gitmem.indexing import text_vectors
from gitmem.model.frozen import dataclass
from gitmem.store.code import memory_vectors
from gitmem.store.db.connection import Database

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.embedding.base import Embedder

# Memories that a question reads before it is answered: 30 ms each, so as dear as loading the model.
CATCH_UP = 8
# So many are read between two looks at the clock: two seconds.
BATCH = 64
_SWITCH = "embedding.contextual"


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many memories of a store there are, and how many wait for the contextual model."""

    memories: int
    waiting: int


def complete(*, known: bool, waiting: int) -> bool:
    """Whether the contextual model is asked: it has read a store, all but a few memories."""
    return known and waiting <= CATCH_UP


def wanted(app: App) -> bool:
    """Whether memories are to be read: it is not switched off, and no other model was chosen."""
    return app.settings.text(_SWITCH) != "off" and app.settings.text("model") == "builtin"


def asked(app: App) -> bool:
    """Whether this process asks the model: loading it takes as long as ten answers by the table."""
    return app.resident or app.settings.text(_SWITCH) == "always"


def model() -> Embedder:
    """The contextual model, opened once; it is loaded at its first text. Raises Unavailable."""
    return text_vectors.opened("contextual")


def chosen(app: App, databases: Collection[Database]) -> Embedder | None:
    """The model if it has read all these stores; the few memories that it lacks are read first.

    None where the table has to answer alone: for a store without memories there is nothing to load.
    """
    if not (wanted(app) and asked(app)):
        return None
    with suppress(GitmemError):
        there = [one for one in databases if memory_vectors.any_there(one)]
        if there and all(_completed(app, one) for one in there):
            return model()
    return None


def _completed(app: App, database: Database) -> bool:
    """Whether the model has read all memories of a store, if need be by now."""
    name = base.identity(model())
    new = waiting(database, CATCH_UP + 1)
    if not complete(known=memory_vectors.known(database, name), waiting=new):
        return False
    if new and not database.read_only:
        # Best effort: a search waits for no writer.
        with suppress(GitmemError), database.patience(0, durable=False):
            # The table first: it answers whenever this model does not.
            text_vectors.embed_memories(database, text_vectors.model(app), CATCH_UP)
            text_vectors.embed_memories(database, model(), CATCH_UP)
            return not waiting(database, 1)
    return not new


def read(app: App, database: Database, seconds: float = float("inf")) -> int:
    """Let the model read the memories that it lacks, the newest first; how many it read.

    Stops after so many seconds, and goes on anywhere. Raises GitmemError.
    """
    if not wanted(app) or database.read_only:
        return 0
    table = text_vectors.model(app)
    while text_vectors.embed_memories(database, table):
        pass  # The table first: it answers until this is done, and whenever it is not.
    name = base.identity(model())
    if not waiting(database, 1):
        return 0
    memory_vectors.recognise(database, name)
    total = waiting(database)
    done, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        if not (some := text_vectors.embed_memories(database, model(), BATCH)):
            break
        done += some
        app.progress("memories", done, max(total, done))
    return done


def waiting(database: Database, most: int = -1) -> int:
    """How many memories the model has not read; counting stops at ``most``. Raises Unavailable."""
    return memory_vectors.count_without(database, base.identity(model()), most)


def coverage(app: App, database: Database) -> Coverage | None:
    """How far the model has read a store; None where it is not to read. Raises Unavailable."""
    if not wanted(app):
        return None
    return Coverage(memory_vectors.count(database), waiting(database))


def kept(app: App) -> list[str]:
    """The identities of the models whose vectors are of use: that of the settings, and this one."""
    names = [text_vectors.name(app)]
    if wanted(app):
        with suppress(GitmemError):
            names.append(base.identity(model()))
    return names
