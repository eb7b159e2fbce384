"""Answering a question from memories and decisions, by words and by meaning."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.maintenance import usage
from gitmem.model.anchor import Freshness
from gitmem.model.frozen import dataclass, replace
from gitmem.operations.registry import READ, Arg, Operation
from gitmem.retrieval import annotate, memory_view, request_filters
from gitmem.retrieval.keyword import look_up
from gitmem.retrieval.request_filters import scoped
from gitmem.search import query, rank
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_search
from gitmem.store.memory.filters import Filter

# How many are fetched for each one shown, since weight can move a hit up (CF-9).
OVERFETCH = 4
# From this cosine on a memory answers that shares no word with the question. Of 80 commit subjects
# of flask asked of 600 sentences from pytest's manual, one in ten found something as alike.
LEAST_ALIKE = 0.42

# Each store with what is wanted of it.
Views = Mapping[Database, Filter]
# Row number -> cosine: of these rows, and of those most like the question.
Alike = Callable[[Database, list[int]], Mapping[int, float]]


@dataclass(frozen=True, slots=True)
class Recall:
    """A question to the memories."""

    query: Annotated[
        str,
        Arg(
            'What to look for; "..." finds a phrase, * lists everything',
            positional=True,
            words=True,
        ),
    ]
    kind: Annotated[tuple[str, ...], Arg("Only this kind; may be repeated", short="-k")] = ()
    tag: Annotated[tuple[str, ...], Arg("Only with this tag; may be repeated (any of them)")] = ()
    agent: Annotated[str, Arg("Only what this agent wrote")] = ""
    path: Annotated[str, Arg("Only about this file or folder")] = ""
    state: Annotated[
        tuple[str, ...],
        Arg("active, proposed (default: both), superseded, archived or any"),
    ] = ()
    mode: Annotated[
        str, Arg("Match words, meaning, or both", choices=("hybrid", "keyword", "semantic"))
    ] = "hybrid"
    scope: Annotated[str, Arg("Which memories to search", choices=("all", "project", "global"))] = (
        "all"
    )
    since: Annotated[str, Arg("Only newer than this: 7d, yesterday, v1.2")] = ""
    until: Annotated[str, Arg("Only older than this")] = ""
    as_of: Annotated[str, Arg("As things stood at a date, commit or tag", mcp=False)] = ""
    all_branches: Annotated[bool, Arg("Also memories from unmerged branches", mcp=False)] = False
    limit: Annotated[
        int | None, Arg("At most this many (default: 10)", short="-n", least=1, most=100)
    ] = None


@dataclass(frozen=True, slots=True)
class Recalled:
    """The memories that answer, the best first. None of them is a possible answer.

    ``archived`` counts those that would answer and were put away, where nothing else does.
    """

    memories: tuple[memory_view.MemoryItem, ...]
    archived: int = 0


def recall(app: App, request: Recall) -> Recalled:
    """Find memories and decisions by words and by meaning.

    Searches this project and the global memories. Each result says why it matched. A word
    that occurs in very many memories counts only together with others. Archived and superseded
    memories are left out unless --state asks for them, and those recorded on a branch that is not
    merged here unless --all-branches does. What no longer matches the code is listed last,
    marked "check first".
    """
    wanted = request_filters.chosen(
        app,
        kind=request.kind,
        tag=request.tag,
        agent=request.agent,
        path=request.path,
        state=request.state,
        since=request.since,
        until=request.until,
        as_of=request.as_of,
    )
    # The stores first: only when the repository is found are its settings read.
    stores = {
        database: request_filters.here(app, database, wanted, all_branches=request.all_branches)
        for database in scoped(app, request.scope)
    }
    limit = request.limit or app.settings.number("recall.limit")
    standing: dict[str, Freshness] | None = None
    if request.query.strip() == "*":
        hits = _newest(stores, limit)
    else:
        standing = {}
        hits = _found(app, request, stores, limit, standing)
        usage.asked(app, "recall", found=bool(hits))
    for database in stores:
        annotate.count(
            app, database, [hit.memory.id for hit in hits if hit.memory.scope == database.scope]
        )
    home = {database.scope: database for database in stores}
    pairs = [(hit.memory, home[hit.memory.scope]) for hit in hits]
    # Looked at once: what was found out for the order is shown too.
    told = annotate.items_of(app, pairs, as_of=wanted.as_of, standing=standing)
    return Recalled(
        tuple(
            replace(item, score=hit.score, why=hit.why, similarity=hit.similarity)
            for item, hit in zip(told, hits, strict=True)
        ),
        0 if hits or request.state else _put_away(app, request, stores, limit),
    )


def _put_away(app: App, request: Recall, stores: Views, limit: int) -> int:
    """How many archived memories answer by words: what has faded is not lost."""
    if request.query.strip() == "*" or request.as_of:
        return 0
    archived = {
        database: replace(wanted, states=("archived",), now=None)
        for database, wanted in stores.items()
    }
    return len(_found(app, replace(request, mode="keyword"), archived, limit))


def _newest(stores: Views, limit: int) -> list[rank.Hit]:
    found = [
        one
        for database, wanted in stores.items()
        for one in memories.select(database, wanted, limit=limit)
    ]
    found.sort(key=lambda memory: (memory.created_at, memory.id), reverse=True)
    return [rank.Hit(memory, 0.0, ()) for memory in found[:limit]]


def _found(
    app: App,
    request: Recall,
    stores: Views,
    limit: int,
    standing: dict[str, Freshness] | None = None,
) -> list[rank.Hit]:
    """The hits; ``standing`` takes in whether they are fresh, None: nobody will see them."""
    terms = query.parse(request.query)
    wide = limit * OVERFETCH
    alike = _alike(app, request, stores, wide)
    candidates = [
        candidate
        for database, wanted in stores.items()
        for candidate in _candidates(
            app,
            database,
            () if request.mode == "semantic" else terms,
            wanted,
            wide,
            alike,
            standing,
        )
    ]
    if alike is None:
        return rank.order(candidates, limit)
    return _order(candidates, limit, request.mode)


def _candidates(
    app: App,
    database: Database,
    terms: tuple[query.Term, ...],
    wanted: Filter,
    limit: int,
    alike: Alike | None,
    standing: dict[str, Freshness] | None,
) -> list[rank.Candidate]:
    scores, matched = look_up(
        terms,
        partial(memory_search.frequency, database),
        lambda expression: memory_search.match(database, expression, wanted, limit),
        partial(memory_search.matched, database),
    )
    cosines = alike(database, list(scores)) if alike else {}
    if not scores and not cosines:
        return []
    found = memories.by_seq(database, [*{**scores, **cosines}], wanted)
    fresh: dict[str, Freshness] = {}
    if standing is not None:
        # The likeliest hits first: time may run out.
        found.sort(key=lambda one: -scores.get(one.seq, 0.0) - cosines.get(one.seq, 0.0))
        fresh = annotate.freshness(app, database, found)
        standing |= fresh
    strengths = annotate.strengths(app, database, found, fresh)
    return [
        rank.Candidate(
            memory,
            scores.get(memory.seq, 0.0),
            tuple(matched.get(memory.seq, ())),
            cosines.get(memory.seq),
            *strengths[memory.id],
        )
        for memory in found
    ]


def _alike(app: App, request: Recall, stores: Views, limit: int) -> Alike | None:
    """How alike memories are to the question; None where only words count.

    A model that is not there is no reason to answer nothing: then words alone count, unless only
    the meaning was asked for.
    """
    if request.mode == "keyword":
        return None
    # Imported here: the model and its arithmetic are not for those who ask by words only.
    from gitmem.indexing import text_vectors  # noqa: PLC0415

    try:
        embedder = text_vectors.model(app)
        asked = embedder.embed([request.query], query=True)[0]
    except GitmemError:
        if request.mode == "semantic":
            raise
        return None
    for database in stores:
        text_vectors.catch_up(database, embedder)

    def alike(database: Database, keys: list[int]) -> Mapping[int, float]:
        wanted = stores[database]
        within = None if wanted.broad else memory_search.passing(database, wanted)
        # Among the nearest of a broad question some are archived: so more are taken.
        some = limit if within is not None else max(limit, text_vectors.MOST_RESCORED // 2)
        near = text_vectors.alike(database, embedder, asked, "memory", "", some, within)
        good = [key for key, cosine in near.items() if cosine >= LEAST_ALIKE]
        if within is None:
            passing = memory_search.passing(database, wanted, good)
            good = [key for key in good if key in passing]
        rest = [key for key in keys if key not in near]
        known = {**near, **text_vectors.similarity(database, embedder, asked, "memory", rest)}
        return {key: known[key] for key in [*good[:limit], *keys] if key in known}

    return alike


def _order(candidates: list[rank.Candidate], limit: int, mode: str) -> list[rank.Hit]:
    """The best by words and meaning first; of equals the newer."""
    from gitmem.search import fusion  # noqa: PLC0415 - not for those who ask by words only

    candidates.sort(key=lambda one: (-one.memory.updated_at, one.memory.id))
    ranked = fusion.rank(
        [
            fusion.Candidate(
                key=("memory", number),
                lexical=one.lexical,
                similarity=one.similarity,
                boost=one.boost,
                notes=tuple(rank.reasons(one)),
            )
            for number, one in enumerate(candidates)
        ],
        limit,
        mode=mode,
    )
    hits = []
    for found in ranked:
        memory = candidates[found.candidate.key[1]].memory
        why = [*found.why]
        if memory.weight != 3:
            why.append(f"weight {memory.weight}")
        similarity = found.candidate.similarity
        hits.append(
            rank.Hit(
                memory,
                found.score,
                tuple(why),
                None if similarity is None else round(similarity, 4),
            )
        )
    return hits


def view(result: Recalled) -> str:
    """A short paragraph for each memory."""
    if not result.memories:
        if not result.archived:
            return "No relevant memories."
        many = f"{result.archived} archived memor{'y' if result.archived == 1 else 'ies'}"
        return f"No relevant memories in use; {many} may match: add --state archived"
    return "\n".join(map(memory_view.paragraph, result.memories))


RECALL = Operation(
    name="recall",
    request=Recall,
    run=recall,
    view=view,
    effect=READ,
    example='gitmem recall "which port does redis use"',
    tool="recall",
)
