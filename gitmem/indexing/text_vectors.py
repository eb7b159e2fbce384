"""The embedding model in use: making vectors of texts and comparing them.

A comparison looks at the sign bits of all vectors first, and computes the cosine of the nearest.
Both are done by sqlite-vec inside SQLite. A resident server that was asked of many vectors uses
numpy over what the call before left in memory; where sqlite-vec cannot be loaded, Python does it.
The same answers three times, to the last bit (``store.accelerator`` has the numbers).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType

from gitmem import setting_table, settings
from gitmem.app import App
from gitmem.embedding import base
from gitmem.embedding.registry import is_remote_model, open_embedder
from gitmem.errors import GitmemError, NotARepository, Unavailable
from gitmem.store.code import memory_vectors, vectors
from gitmem.store.db import vec_extension
from gitmem.store.db.connection import Database

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from threading import Thread

    from gitmem.embedding.base import Embedder
    from gitmem.embedding.contextual import ContextualEmbedder
    from gitmem.indexing.vectors_in_memory import LoadedVectors

# Texts whose vectors are stored at once; of those that a server makes, fewer are lost if it stops.
BATCH, SERVED_BATCH = 1024, 128
# Cosine from which two vectors of a text are by one model, whatever machine computes them.
SAME_MODEL = 0.95
# Memories that a question embeds before it is answered: 1.5 ms each without numpy.
CATCH_UP = 20
# Candidates rescored exactly for each hit; see ``embedding.base.OVERSAMPLE``.
MOST_RESCORED = 400
# For each so many vectors 400 more are rescored, up to four times as many.
PER_RESCORED, MOST_TIMES = 250_000, 4
# From so many vectors on the candidates are chosen by ``weighted_bits`` from eight times as many.
# Found of the true ten nearest: of 104,600 pieces of code .97 with 400 rescored (.86 without), of
# a million made from them .955 with 1,600 (.84), for 0.5 and 10 ms (docs/benchmarks.md).
WEIGHED, CANDIDATES_PER_RESULT, MOST_CANDIDATES = 25_000, 8, 12_800
# Up to so many rows it is cheaper to compute every cosine than to look at the sign bits of all.
FEW = 4000
# From so many vectors on numpy is worth its 100 ms and 25 MB to a process that stays: of 100,000
# the nearest are found in 3 ms instead of 13, and what they are is told without reading them.
MANY = 4_000
# Vectors that are looked up at once, best first: of most questions no others are needed.
_AT_ONCE = 128
# Loading sqlite-vec takes 1.5 to 2 ms of CPU, a cosine in Python 0.025: a process that ends after
# one question about fewer vectors does without.
WORTH_LOADING = 60

Progress = Callable[[str, int, int], None]


_open: dict[tuple[str, str | None, str], Embedder] = {}
_has_compared_many = False
# The model that a question would have used, had it been loaded, and its loading thread.
_awaited: ContextualEmbedder | None = None
_loading: Thread | None = None


def configured_embedder(app: App, *, allow_long_wait: bool = False) -> Embedder:
    """The embedding model that the settings name; it is opened once.

    With ``allow_long_wait`` (an index run) it waits for a server or for loading as long as it
    takes, else only as long as a question may. Raises Unavailable or InvalidInput.
    """
    name, cache = app.settings.text("model"), app.settings.model_folder or None
    if is_remote_model(name):
        from gitmem.indexing import endpoint_model  # noqa: PLC0415 - few use one

        return endpoint_model.cached_endpoint_model(app, name, allow_long_wait=allow_long_wait)
    if not name.startswith("fastembed:"):
        return open_embedding_model(name, cache)
    cuda = app.settings.text("embedding.device") == "cuda"
    seconds = float(app.settings.number("embedding.timeout"))
    embedder = open_embedding_model(name, cache, use_cuda=cuda, timeout_seconds=seconds)
    if allow_long_wait:
        from gitmem.embedding.fastembed import FastembedEmbedder  # noqa: PLC0415 - of such models alone

        if isinstance(embedder, FastembedEmbedder):
            embedder.load_and_wait()
    return embedder


def open_embedding_model(
    name: str,
    cache_folder: str | None = None,
    *,
    use_cuda: bool = False,
    timeout_seconds: float | None = None,
) -> Embedder:
    """The embedding model of that name, opened once for each set of arguments.

    ``cache_folder`` is the folder of downloaded models, ``use_cuda`` uses the GPU,
    ``timeout_seconds`` is the most that a question may wait for a fastembed model (None: no limit).
    Raises Unavailable or InvalidInput.
    """
    key = (name, cache_folder, f"{_stamp(name)}{use_cuda}{timeout_seconds}")
    if key not in _open:
        _open[key] = open_embedder(
            name, cache_folder=cache_folder, use_cuda=use_cuda, timeout_seconds=timeout_seconds
        )
    return _open[key]


def _stamp(model_name: str) -> str:
    """Changes with the files of a model in a folder; "" for other models."""
    folder = model_name.partition(":")[2]
    if not os.path.isabs(folder):
        return ""
    files = []
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found = os.stat(os.path.join(place, name))
                files.append(f"{name} {found.st_mtime_ns} {found.st_size}")
    return "\n".join(sorted(files))


def configured_model_identity(app: App, *, allow_long_wait: bool = False) -> str:
    """The identity of the configured embedding model: ``provider:model:dimension:checksum``.

    Vectors are stored under it. With ``allow_long_wait`` a server that runs the model may take as
    long as in an index run. Raises Unavailable or InvalidInput.
    """
    return base.model_identity(configured_embedder(app, allow_long_wait=allow_long_wait))


def embed_missing_texts(
    app: App,
    database: Database,
    progress: Progress,
    last_embedded_row_by_source: Mapping[str, int] = MappingProxyType({}),
    *,
    allow_long_wait: bool = True,
) -> int:
    """Compute and store the missing vectors of all texts in a store; returns how many.

    Texts are of the sources ``memory``, ``chunk`` (pieces of files) and ``commit``;
    ``last_embedded_row_by_source`` maps a source to the row number up to which all have vectors.
    ``progress(phase, done, total)`` is called on the way. With ``allow_long_wait`` a server that
    runs the model may answer slowly, as in an index run. Raises Unavailable or InvalidInput.
    """
    embedder = configured_embedder(app, allow_long_wait=allow_long_wait)
    name = base.model_identity(embedder)
    most = SERVED_BATCH if is_remote_model(embedder.provider) else BATCH
    total = vectors.count_texts_without_vector(
        database, name, after_row_numbers_by_source=last_embedded_row_by_source
    )
    if total:
        _refuse_exchanged(database, embedder)
    done = 0
    for source in vectors.SOURCES if total else ():
        last, after = b"", last_embedded_row_by_source.get(source, 0)
        while batch := vectors.texts_without_vector(database, name, source, most, last, after):
            _embed(database, embedder, source, batch)
            last = batch[-1].hash
            done += len(batch)
            progress("vectors", done, total)
    return done


def _refuse_exchanged(database: Database, embedder: Embedder) -> None:
    """Raise Unavailable where a server has another model under a name, seen by one known text."""
    known = is_remote_model(embedder.provider) and vectors.sample_text_and_vector(
        database, base.model_identity(embedder)
    )
    if not known or base.cosine(known[1], embedder.embed([known[0]])[0]) >= SAME_MODEL:
        return
    raise Unavailable(
        f"The server now has another model under the name {embedder.model}: its vectors differ.",
        "To make all vectors again: gitmem model use builtin, then choose the model again",
    )


def embed_files(app: App, paths: Sequence[str], *, allow_long_wait: bool = True) -> int:
    """Compute and store the missing vectors of some files of this worktree; returns how many.

    With ``allow_long_wait`` a server that runs the model may answer slowly, as in an index run.
    Raises Unavailable or InvalidInput.
    """
    from gitmem.store.code.indexed_files import encode_path_for_database  # noqa: PLC0415 - recall does without

    embedder, stored = (
        configured_embedder(app, allow_long_wait=allow_long_wait),
        [encode_path_for_database(path) for path in paths],
    )
    waiting = vectors.texts_without_vector_in_paths(
        app.store, base.model_identity(embedder), app.worktree, stored
    )
    if waiting:
        _refuse_exchanged(app.store, embedder)
    for start in range(0, len(waiting), BATCH):
        _embed(app.store, embedder, "chunk", waiting[start : start + BATCH])
    return len(waiting)


def embed_exchanges(app: App, database: Database, progress: Progress) -> int:
    """Compute the missing vectors of exchanges (prompts and answers of sessions); returns how many.

    Raises Unavailable or InvalidInput.
    """
    embedder = configured_embedder(app)
    name, last, done = base.model_identity(embedder), b"", 0
    while batch := vectors.texts_without_vector(database, name, "exchange", BATCH, last):
        _embed(database, embedder, "exchange", batch)
        last, done = batch[-1].hash, done + len(batch)
        progress("vectors", done, 0)
    return done


def embed_memories(database: Database, embedder: Embedder, max_memories: int = BATCH) -> int:
    """Compute the vectors of at most ``max_memories`` memories that have none; returns how many.

    The newest come first. Raises Unavailable.
    """
    name = base.model_identity(embedder)
    waiting = memory_vectors.memories_without_vector(database, name, max_memories, _later(embedder))
    if waiting:
        _embed(database, embedder, "memory", waiting)
    return len(waiting)


def _later(embedder: Embedder) -> str:
    """The identity of the model that reads memories after this one has."""
    if embedder.provider == "builtin":
        with suppress(GitmemError):
            return base.model_identity(open_embedding_model("contextual"))
    return ""


def _embed(
    database: Database, embedder: Embedder, source: str, batch: Sequence[vectors.TextToEmbed]
) -> None:
    made = embedder.embed([text.text for text in batch])
    rows = [(text.hash, q8, base.sign_bits(q8)) for text, q8 in zip(batch, made, strict=True)]
    # Embedding happens before the lock is taken: nobody waits for it.
    with database.write():
        vectors.add_vectors(database, base.model_identity(embedder), source, rows)


def embed_recent_memories(database: Database, embedder: Embedder) -> None:
    """Compute the vectors of up to 20 memories stored since the last index run; returns nothing.

    Errors are ignored: a search must not wait for another writer, nor fail on a read-only store.
    """
    if not database.read_only:
        with suppress(GitmemError), database.lock_timeout(0, sync_commits=False):
            embed_memories(database, embedder, CATCH_UP)


def most_similar_rows(
    database: Database,
    embedder: Embedder,
    question_vector: bytes,
    text_source: str,
    worktree: str,
    limit: int,
    row_numbers: Collection[int] | None = None,
) -> dict[int, float]:
    """The texts most similar to a question: row number -> cosine, at most ``limit``, best first.

    ``text_source`` is ``chunk`` (pieces of the files of ``worktree``), ``memory``, ``commit`` or
    ``exchange``; ``question_vector`` is the question's vector by ``embedder``. With ``row_numbers``
    only these rows count.
    """
    if row_numbers is not None and len(row_numbers) <= FEW:
        found = cosines_of_rows(database, embedder, question_vector, text_source, row_numbers)
        return dict(_best(found, limit))
    part = vectors.find_vector_set(database, base.model_identity(embedder), text_source)
    if part is None:
        return {}
    times = min(max(part.size // PER_RESCORED, 1), MOST_TIMES)
    count = min(max(base.OVERSAMPLE * limit, 100), MOST_RESCORED) * times
    enough = max(limit, 100)
    while True:
        scored = _scored(database, part, question_vector, count)
        found = _standing_for(database, text_source, scored, worktree, limit, enough, row_numbers)
        # Of the nearest, some may be of other worktrees, gone, or not requested.
        if len(found) >= enough or part.size < count:
            return dict(_best(found, limit))
        count *= min(2 * enough // max(len(found), 1) + 2, 64)


def _standing_for(
    database: Database,
    source: str,
    scored: Sequence[tuple[int, float]],
    tree: str,
    limit: int,
    enough: int,
    within: Collection[int] | None,
) -> dict[int, float]:
    """Row number -> cosine of what vectors stand for, the best of them; ``scored`` best first.

    What is left out comes after the ``limit`` best, and there are ``enough`` without it.
    """
    found: dict[int, float] = {}
    for start in range(0, len(scored), _AT_ONCE):
        some = dict(scored[start : start + _AT_ONCE])
        for number, key in vectors.source_rows_of_vectors(database, source, list(some), tree):
            if within is None or key in within:
                found[key] = some[number]
        following = scored[start + _AT_ONCE : start + _AT_ONCE + 1]
        # A row as alike as the last result may come before it, by its number.
        if len(found) >= enough and following and _beyond(found, limit, following[0][1]):
            break
    return found


def _beyond(found: dict[int, float], limit: int, cosine: float) -> bool:
    return limit > 0 and cosine < sorted(found.values(), reverse=True)[limit - 1]


def cosines_of_rows(
    database: Database,
    embedder: Embedder,
    question_vector: bytes,
    text_source: str,
    row_numbers: Collection[int],
) -> dict[int, float]:
    """Row number -> cosine with a question, for those of ``row_numbers`` that have a vector.

    ``text_source`` is ``chunk`` (pieces of files), ``memory``, ``commit`` or ``exchange``;
    ``question_vector`` is the question's vector by ``embedder``.
    """
    if not row_numbers:
        return {}
    model_name = base.model_identity(embedder)
    if _in_sqlite(database, len(row_numbers)):
        return dict(
            vectors.vectors_or_cosines_of_rows(
                database, model_name, text_source, row_numbers, question_vector
            )
        )
    rows = vectors.vectors_or_cosines_of_rows(database, model_name, text_source, row_numbers)
    return dict(base.rank_by_cosine(question_vector, rows, len(rows)))


def load_contextual_model_in_background() -> None:
    """Load the contextual model in a thread of its own, if a server's last answer lacked it.

    That is the slower second embedding model.
    """
    global _awaited, _loading
    waits, _awaited = _awaited, None
    if waits is not None and not waits.is_loaded and (_loading is None or not _loading.is_alive()):
        from threading import Thread  # noqa: PLC0415 - a server has it

        # Not in the thread that answers: the next question does not wait for it either.
        _loading = Thread(target=_load, args=(waits,), name="gitmem-model", daemon=True)
        _loading.start()
    elif waits is None and _has_compared_many and base.numpy_if_loaded() is None:
        base.load_numpy()


def is_embedder_loaded(embedder: Embedder) -> bool:
    """Whether a model is loaded; if not, ``load_contextual_model_in_background`` will load it.

    Only the contextual model may be not loaded; other models load when first used.
    """
    from gitmem.embedding.contextual import ContextualEmbedder  # noqa: PLC0415 - for servers

    global _awaited
    if not isinstance(embedder, ContextualEmbedder) or embedder.is_loaded:
        return True
    _awaited = embedder
    return False


def _load(contextual: ContextualEmbedder) -> None:
    with suppress(Exception):  # the table goes on answering, and the next question tries again
        contextual.load()


def unload_contextual_model() -> None:
    """Free the memory of the contextual model in an idle server."""
    from gitmem.embedding.contextual import ContextualEmbedder  # noqa: PLC0415 - for servers

    for embedder in _open.values():
        if isinstance(embedder, ContextualEmbedder):
            embedder.unload()


def _best(found: dict[int, float], limit: int) -> list[tuple[int, float]]:
    return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]


def _in_sqlite(database: Database, count: int) -> bool:
    """Whether sqlite-vec compares that many vectors; loads it where it is worth that."""
    if base.numpy_if_loaded() is not None or (count < WORTH_LOADING and not database.accelerated):
        return False
    return vec_extension.has_vector_functions(database)


def _in_memory(database: Database, part: vectors.VectorSet, width: int) -> LoadedVectors | None:
    """The part as loaded in this process; None where SQLite compares."""
    global _has_compared_many
    _has_compared_many = _has_compared_many or part.size >= MANY
    if _in_sqlite(database, part.size):
        return None
    from gitmem.indexing import vectors_in_memory  # noqa: PLC0415 - not where SQLite compares

    return vectors_in_memory.load_vectors(database, part, width)


def _scored(
    database: Database, part: vectors.VectorSet, question: bytes, count: int
) -> list[tuple[int, float]]:
    """Number and cosine of the vectors whose sign bits are nearest, the most alike first."""
    candidates = (
        max(count, min(CANDIDATES_PER_RESULT * count, MOST_CANDIDATES))
        if part.size >= WEIGHED
        else count
    )
    rows = _in_memory(database, part, len(question) // 8)
    if rows is None:
        near = vectors.nearest_vectors(database, part.id, base.sign_bits(question), candidates)
        if candidates > count:
            from gitmem.embedding import weighted_bits  # noqa: PLC0415 - of many vectors alone

            joined = b"".join([bits for _, bits in near])
            near = [
                near[at] for at in weighted_bits.nearest_by_weighted_bits(question, joined, count)
            ]
        compared = vectors.cosines_with_question(database, [number for number, _ in near], question)
        return sorted(compared, key=lambda pair: -pair[1])
    from gitmem.indexing import vectors_in_memory  # noqa: PLC0415 - not where SQLite compares

    return vectors_in_memory.nearest_rows_with_cosine(database, rows, question, count, candidates)


SETTING = setting_table.BY_KEY["model"]


def embedding_model_setting(app: App) -> settings.SettingValue:
    """The setting ``model`` (an embedding model's name) that counts here, with its source file."""
    with suppress(NotARepository):
        app.layout  # noqa: B018 - its settings files are read on the way
    return next(value for value in app.settings.all_values() if value.setting.key == SETTING.key)
