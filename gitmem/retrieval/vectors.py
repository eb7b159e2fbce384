"""Searching by meaning: the question as a vector, and the rows near it.

Import it late: it loads the model and its arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from functools import cache

from gitmem.app import App
from gitmem.embedding import base
from gitmem.errors import GitmemError
from gitmem.indexing import contextual_vectors, text_vectors
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval.memory_candidates import MemoryCosines, Similar
from gitmem.retrieval.request_filters import FiltersByStore
from gitmem.search import fusion
from gitmem.store.db.connection import Database
from gitmem.store.memory import conversation, memory_search

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from concurrent.futures import Executor

    from gitmem.embedding.base import Embedder

# From this cosine on a memory answers that shares no word with the question. Of 80 commit subjects
# of flask asked of 600 sentences from pytest's manual, one in ten found something as alike.
LEAST_ALIKE = 0.42


@dataclass(frozen=True, slots=True)
class QueryVector:
    """A question as a vector of a model, with methods that find texts near in meaning.

    ``vector`` may be a function that waits for another thread. ``beside`` is the vector of a second
    model, if any: the similarity then is the mean of both cosines. If the repository has a tuned
    model, files are compared with ``tuned``, and their cosines multiplied by ``stretch``.
    """

    embedder: Embedder
    vector: bytes | Callable[[], bytes]
    beside: QueryVector | None = None
    tuned: bytes = b""
    stretch: float = 1.0

    @property
    def cache_key(self) -> str:
        """A text that identifies the model and its tuning, for cache keys."""
        return base.model_identity(self.embedder) + self.tuned.hex()

    def nearest_rows(
        self,
        database: Database,
        text_source: str,
        limit: int,
        *,
        worktree: str = "",
        row_numbers: Collection[int] | None = None,
    ) -> dict[int, float]:
        """Row number -> similarity of the ``limit`` rows most similar to the question, best first.

        ``text_source`` is ``chunk`` (pieces of the files of ``worktree``), ``memory``, ``commit``
        or ``exchange``. ``row_numbers`` are the rows to choose from; None: all.
        """
        asking, stretch = self._vector_for(text_source)
        near = text_vectors.most_similar_rows(
            database, self.embedder, asking, text_source, worktree, limit, row_numbers
        )
        near = near if stretch == 1 else _stretch(near, stretch)
        if self.beside is None:
            return near
        also = self.beside.nearest_rows(
            database, text_source, limit, worktree=worktree, row_numbers=row_numbers
        )
        found = self.similarities_of_rows(database, text_source, {**near, **also}, ())
        return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:limit])

    def similarities_of_rows(
        self,
        database: Database,
        text_source: str,
        row_numbers: Iterable[int],
        excluded_rows: Collection[int],
    ) -> dict[int, float]:
        """Row number -> similarity to the question, for ``row_numbers`` less ``excluded_rows``.

        ``text_source`` is ``chunk``, ``memory``, ``commit`` or ``exchange``; rows without a vector
        are left out.
        """
        rest = [number for number in row_numbers if number not in excluded_rows]
        asking, stretch = self._vector_for(text_source)
        own = text_vectors.cosines_of_rows(database, self.embedder, asking, text_source, rest)
        own = own if stretch == 1 else _stretch(own, stretch)
        if self.beside is None:
            return own
        other = self.beside.similarities_of_rows(database, text_source, rest, ())
        return {key: (own[key] + other[key]) / 2 for key in own if key in other}

    def _vector_for(self, source: str) -> tuple[bytes, float]:
        if self.tuned and source == "chunk":
            return self.tuned, self.stretch
        return self.question_vector, 1.0

    @property
    def question_vector(self) -> bytes:
        """The question's vector as signed bytes; waits if another thread is still computing it."""
        return self.vector if isinstance(self.vector, bytes) else self.vector()


def _stretch(cosines: dict[int, float], stretch: float) -> dict[int, float]:
    return {key: min(stretch * cosine, 1.0) for key, cosine in cosines.items()}


def embed_question(app: App, text: str, *, semantic_only: bool) -> QueryVector:
    """A question as a QueryVector of the model that the settings name.

    ``semantic_only``: words do not count in this search; then the map that `gitmem model tune`
    made, if any, changes the vector. Raises Unavailable or InvalidInput if there is no model.
    """
    question = _embed(text_vectors.configured_embedder(app), text, app.store)
    if not semantic_only or not app.settings.number("embedding.tuned"):
        return question
    from gitmem.indexing import question_maps  # noqa: PLC0415 - few repositories have one

    with suppress(GitmemError):  # a file that is gone or damaged: the model as it came answers
        tuned = question_maps.load_question_map(app, base.model_identity(question.embedder))
        if tuned is not None:
            mapped = tuned.map_vector(question.question_vector)
            return replace(question, tuned=mapped, stretch=tuned.stretch)
    return question


def embed_question_for_memories(
    app: App, text: str, databases: Collection[Database], question_vector: QueryVector | None = None
) -> QueryVector:
    """A question as a QueryVector of one model or of two, whichever these stores' memories have.

    New memories get their vectors first. ``question_vector`` is the result of ``embed_question``,
    if known. Raises Unavailable or InvalidInput if there is no model.
    """
    table = text_vectors.configured_embedder(app)
    contextual = contextual_vectors.contextual_model_if_complete(app, databases)
    if contextual is None:
        for database in databases:
            text_vectors.embed_recent_memories(database, table)
    first = next(iter(databases), None)
    question = question_vector or _embed(table, text, first)
    if contextual is not None:
        with suppress(GitmemError):  # a file that is damaged: the table still answers
            beside = _embed(contextual, text, first, meanwhile=app.resident)
            return replace(question, beside=beside)
    return question


def semantic_similarity_weight(app: App, question: QueryVector) -> float:
    """The weight (0 to 1) of similarity beside words: ``search.meaning``, more with two models."""
    setting = app.settings.float_number("search.meaning")
    return setting if question.beside is None else fusion.cosine_weight_for_two_models(setting)


def _embed(
    embedder: Embedder, text: str, database: Database | None, *, meanwhile: bool = False
) -> QueryVector:
    """The question by a model; ``meanwhile``: in a thread, which takes as long as to find files."""

    def made() -> bytes:
        return embedder.embed([text], is_query=True)[0]

    def begun() -> bytes | Callable[[], bytes]:
        return _reader().submit(made).result if meanwhile else made()

    if database is None or database.caches is None:
        return QueryVector(embedder, begun())
    key = (base.model_identity(embedder), text, meanwhile)
    return QueryVector(embedder, database.caches.embeddings.get_or_compute(key, begun))


@cache
def _reader() -> Executor:
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - for servers

    return ThreadPoolExecutor(1, "gitmem-question")


def make_similar_memory_finder(
    question: QueryVector, filters_by_store: FiltersByStore, limit: int
) -> Similar:
    """A function (store, row numbers) that returns the cosines of memories with the question.

    They are those of the ``limit`` most similar memories that pass the store's filter in
    ``filters_by_store``, and of the rows given, which were found by words.
    """

    def similar(database: Database, numbers: list[int]) -> MemoryCosines:
        filter = filters_by_store[database]
        within = (
            None
            if filter.has_only_default_conditions
            else memory_search.filter_row_numbers(database, filter)
        )
        # Among the nearest of a broad question some are archived: so more are taken.
        some = limit if within is not None else max(limit, text_vectors.MOST_RESCORED // 2)
        near = question.nearest_rows(database, "memory", some, row_numbers=within)
        good = [number for number, cosine in near.items() if cosine >= LEAST_ALIKE]
        if within is None:
            passing = memory_search.filter_row_numbers(database, filter, good)
            good = [number for number in good if number in passing]
        known = {**near, **question.similarities_of_rows(database, "memory", numbers, near)}
        cosines = {key: known[key] for key in [*good[:limit], *numbers] if key in known}
        return MemoryCosines(cosines, _smoothed(question, database, cosines, known))

    return similar


def _smoothed(
    question: QueryVector,
    database: Database,
    cosines: Mapping[int, float],
    known: Mapping[int, float],
) -> dict[int, float]:
    """Of those that are turns of a conversation the cosine together with those beside each."""
    beside = conversation.turn_lengths_and_neighbours(database, list(cosines))
    if not beside:
        return {}
    others = {number for _, some in beside.values() for number in some}
    all_cosines = {**known, **question.similarities_of_rows(database, "memory", others, known)}
    return {
        key: fusion.smooth_conversation_cosine(
            cosines[key], [all_cosines[number] for number in some if number in all_cosines], length
        )
        for key, (length, some) in beside.items()
    }
