"""The embedding model in use, and vectors by it: made in batches, compared one at a time."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from gitmem.app import App
from gitmem.embedding import base
from gitmem.embedding.registry import open_embedder
from gitmem.errors import GitmemError
from gitmem.store import vectors
from gitmem.store.connection import Database

if TYPE_CHECKING:
    from gitmem.embedding.base import Embedder

BATCH = 1024
CATCH_UP = 100
# Candidates rescored exactly for each hit wanted; see ``embedding.base.OVERSAMPLE``.
MOST_RESCORED = 400

Progress = Callable[[str, int, int], None]


def model(app: App) -> Embedder:
    """The model that the settings name. Raises Unavailable or InvalidInput."""
    return open_embedder(app.settings.text("model"), cache=app.settings.model_folder or None)


def name(app: App) -> str:
    """The identity under which the model's vectors are kept."""
    return base.identity(model(app))


def embed_missing(
    app: App,
    database: Database,
    progress: Progress,
    wanted: Sequence[str] = vectors.SOURCES,
) -> int:
    """Give every text its vector; how many were made. Stops and goes on anywhere."""
    embedder = model(app)
    model_name = base.identity(embedder)
    total = vectors.count_missing(database, model_name, wanted)
    done = 0
    for source in wanted:
        while batch := vectors.missing(database, model_name, source, BATCH):
            made = embedder.embed([one.text for one in batch])
            rows = [
                (one.hash, vector, base.bits(vector))
                for one, vector in zip(batch, made, strict=True)
            ]
            # Embedding happens before the lock is taken: nobody waits for it.
            with database.write():
                vectors.add(database, model_name, rows)
            done += len(rows)
            progress("vectors", done, total)
    return done


def catch_up(database: Database, embedder: Embedder) -> None:
    """Give memories that were kept since the last index run their vectors, if there are few.

    Best effort: a search must not wait for a writer, nor fail on a read-only store.
    """
    model_name = base.identity(embedder)
    if database.read_only or not (
        waiting := vectors.missing(database, model_name, "memory", CATCH_UP)
    ):
        return
    made = embedder.embed([one.text for one in waiting])
    rows = [(one.hash, q8, base.bits(q8)) for one, q8 in zip(waiting, made, strict=True)]
    with suppress(GitmemError), database.patience(0, durable=False), database.write():
        vectors.add(database, model_name, rows)


def alike(
    database: Database,
    embedder: Embedder,
    question: bytes,
    source: str,
    tree: str,
    limit: int,
    within: Container[int] | None = None,
) -> dict[int, float]:
    """Row number -> cosine of the rows of a source, or some of them, most like the question."""
    model_name = base.identity(embedder)
    known = vectors.bits(database, model_name, source, tree)
    if within is not None:
        known = [row for row in known if row[0] in within]
    packed = b"".join([row_bits for _, row_bits in known])
    count = min(max(base.OVERSAMPLE * limit, 100), MOST_RESCORED)
    chosen = [known[at][0] for at in base.prefilter(base.bits(question), packed, count)]
    if not chosen:
        return {}
    return dict(base.rescore(question, vectors.exact(database, model_name, source, chosen), limit))


def similarity(
    database: Database, embedder: Embedder, question: bytes, source: str, keys: list[int]
) -> dict[int, float]:
    """Row number -> cosine of certain rows; rows without a vector are left out."""
    if not keys:
        return {}
    rows = vectors.exact(database, base.identity(embedder), source, keys)
    return dict(base.rescore(question, rows, len(rows)))
