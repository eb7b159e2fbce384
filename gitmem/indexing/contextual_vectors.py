"""Vectors of memories by the contextual model, a slower and better second model.

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
from gitmem.clock import DAY
from gitmem.embedding import base
from gitmem.errors import GitmemError
from gitmem.indexing import text_vectors
from gitmem.model.frozen import dataclass
from gitmem.store.code import memory_vectors
from gitmem.store.db import projects
from gitmem.store.db.connection import Database

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.embedding.base import Embedder

# Memories that a question reads before it is answered: 30 ms each, so as dear as loading the model.
CATCH_UP = 8
# So many are read between two looks at the clock: two seconds.
BATCH = 64
# A server says so often that it asks: the note holds for a month.


@dataclass(frozen=True, slots=True)
class VectorCoverage:
    """How many memories (stored notes) a store has, and how many of them are ``waiting``.

    Those still lack a vector of the contextual model, the slower second embedding model.
    """

    memories: int
    waiting: int


def covers_nearly_all_memories(*, is_model_used: bool, missing_vector_count: int) -> bool:
    """Whether the contextual model (the second embedding model) lacks at most 8 of the memories.

    ``is_model_used``: it has vectors of this store's memories at all, else the result is False;
    ``missing_vector_count`` is the number of memories without one.
    """
    return is_model_used and missing_vector_count <= CATCH_UP


def uses_contextual_model(app: App, database: Database) -> bool:
    """Whether this store's memories get vectors of the contextual model, the second model.

    The setting ``embedding.contextual`` decides: always, never, or if a server (such as `gitmem
    mcp`) has asked for it in the last month.
    """
    return projects.needs_contextual_vectors(
        database, app.settings.contextual_embedding_use, app.now
    )


def is_contextual_model_enabled(app: App) -> bool:
    """Whether this process may answer with the contextual model, the slower second embedding model.

    By the setting ``embedding.contextual``: in any process, in servers only, or in none.
    """
    contextual = app.settings.contextual_embedding_use
    return contextual == "always" or (contextual == "server" and app.resident)


def open_contextual_model() -> Embedder:
    """The contextual model, the slower second embedding model for memories (stored notes).

    It is opened once. Raises Unavailable.
    """
    return text_vectors.open_embedding_model("contextual")


def contextual_model_if_complete(app: App, databases: Collection[Database]) -> Embedder | None:
    """The contextual model (the second embedding model) if it can search these stores, else None.

    It must have a vector of every memory in them; up to 8 missing ones in each store are computed
    first. None, too, if this process may not use it, if no store has memories, and in a server
    until the model is loaded.
    """
    if not is_contextual_model_enabled(app):
        return None
    if app.settings.contextual_embedding_use == "server":
        _ask_for_reading(app, databases)
    with suppress(GitmemError):
        there = [database for database in databases if memory_vectors.has_any_memory(database)]
        if not there or not all(map(_covered, there)):
            return None
        if app.resident and not text_vectors.is_embedder_loaded(open_contextual_model()):
            return None
        if all(_completed(app, database) for database in there):
            return open_contextual_model()
    return None


def _ask_for_reading(app: App, databases: Collection[Database]) -> None:
    """Note in the stores that a server asks, once a day; best effort."""
    for database in databases:
        # A note from the future, of a clock that was wrong, is no reason to stay silent.
        if (
            database.read_only
            or 0 <= app.now - projects.last_contextual_vectors_request_ms(database) < DAY
        ):
            continue
        with suppress(GitmemError), database.lock_timeout(0, sync_commits=False), database.write():
            projects.set_meta(database, projects.CONTEXTUAL_REQUESTED_AT, str(app.now))


def _covered(database: Database) -> bool:
    """Whether the model has read a store, all but a few memories."""
    known = memory_vectors.has_embedded_memories(
        database, base.model_identity(open_contextual_model())
    )
    return covers_nearly_all_memories(
        is_model_used=known, missing_vector_count=count_unembedded_memories(database, CATCH_UP + 1)
    )


def _completed(app: App, database: Database) -> bool:
    """Whether the model has read all memories of a store; reads the last few if need be."""
    new = count_unembedded_memories(database, CATCH_UP + 1)
    if new and not database.read_only:
        # Best effort: a search waits for no writer.
        with suppress(GitmemError), database.lock_timeout(0, sync_commits=False):
            # The table first: it answers whenever this model does not.
            text_vectors.embed_memories(database, text_vectors.configured_embedder(app), CATCH_UP)
            text_vectors.embed_memories(database, open_contextual_model(), CATCH_UP)
            return not count_unembedded_memories(database, 1)
    return not new


def embed_with_contextual_model(
    app: App, database: Database, max_seconds: float = float("inf")
) -> int:
    """Compute the contextual model's missing vectors of memories, newest first; returns how many.

    The contextual model is the slower second embedding model. Stops after about ``max_seconds``; a
    later call, also in another process, goes on. 0 if the settings do not use it or the store is
    read-only. Raises GitmemError.
    """
    if not uses_contextual_model(app, database) or database.read_only:
        return 0
    table = text_vectors.configured_embedder(app)
    while text_vectors.embed_memories(database, table):
        pass  # The table first: it answers until this is done, and whenever it is not.
    name = base.model_identity(open_contextual_model())
    if not count_unembedded_memories(database, 1):
        return 0
    memory_vectors.record_memories_with_vector(database, name)
    total = count_unembedded_memories(database)
    done, end = 0, time.monotonic() + max_seconds
    while time.monotonic() < end:
        if not (some := text_vectors.embed_memories(database, open_contextual_model(), BATCH)):
            break
        done += some
        app.progress("memories", done, max(total, done))
    return done


def count_unembedded_memories(database: Database, max_count: int = -1) -> int:
    """The number of memories without a vector of the contextual model, the second embedding model.

    Counting stops at ``max_count``; -1: never. Raises Unavailable if the model cannot be opened.
    """
    return memory_vectors.count_memories_without_vector(
        database, base.model_identity(open_contextual_model()), max_count
    )


def measure_vector_coverage(app: App, database: Database) -> VectorCoverage | None:
    """How many memories the store has and how many lack a vector of the contextual model.

    The contextual model is the second embedding model; None if it is not used for this store.
    Raises Unavailable if it cannot be opened.
    """
    if not uses_contextual_model(app, database):
        return None
    return VectorCoverage(
        memory_vectors.count_memories(database), count_unembedded_memories(database)
    )


def describe_contextual_model(app: App, database: Database) -> str:
    """What the contextual model does here: ``has read 5 of 7 memories; a server asks it``.

    That is the second embedding model; "reads nothing ..." if it is not used. Raises Unavailable if
    it cannot be opened.
    """
    if app.settings.contextual_embedding_use == "off":
        return "reads nothing: embedding.contextual is off, or another model was chosen"
    found = measure_vector_coverage(app, database)
    if found is None:
        return "reads nothing until a server (`gitmem mcp`) is asked (embedding.contextual: server)"
    read = f"has read {found.memories - found.waiting} of {found.memories} memories"
    asks = (
        "commands ask it too"
        if app.settings.contextual_embedding_use == "always"
        else "a server asks it"
    )
    return f"{read}; {asks}"


def model_identities_in_use(app: App) -> list[str]:
    """The identities of the embedding models in use, as ``provider:model:dimension:checksum``.

    First the model of the settings, then the contextual one (the second model) unless it is off or
    unavailable.
    """
    names = [text_vectors.configured_model_identity(app)]
    if app.settings.contextual_embedding_use != "off":
        with suppress(GitmemError):
            names.append(base.model_identity(open_contextual_model()))
    return names
