"""Answering a question from memories and decisions."""

from contextlib import suppress
from functools import partial
from typing import Annotated

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.model.value import dataclass
from gitmem.operations import items, narrow
from gitmem.operations.by_words import look_up
from gitmem.operations.listing import scoped
from gitmem.operations.registry import READ, Arg, Operation
from gitmem.search import query, rank
from gitmem.store import memories, revisions, text_index
from gitmem.store.connection import Database
from gitmem.store.filters import Filter

# How many are fetched for each one shown, since weight can move a hit up (CF-9).
OVERFETCH = 4


@dataclass(frozen=True, slots=True)
class Recall:
    """A question to the memories."""

    query: Annotated[
        str, Arg('What to look for; "..." finds a phrase, * lists.', positional=True, words=True)
    ]
    kind: Annotated[tuple[str, ...], Arg("Only this kind; may be repeated.", short="-k")] = ()
    tag: Annotated[tuple[str, ...], Arg("Only with this tag; may be repeated (any of them).")] = ()
    agent: Annotated[str, Arg("Only what this agent wrote.")] = ""
    path: Annotated[str, Arg("Only about this file or folder.")] = ""
    state: Annotated[
        tuple[str, ...],
        Arg("active, proposed, superseded, archived or any (active and proposed if not given)."),
    ] = ()
    scope: Annotated[str, Arg("Where to look.", choices=("all", "project", "global"))] = "all"
    since: Annotated[str, Arg("Not older than this: 7d, yesterday, 2026-01-31, v1.2.")] = ""
    until: Annotated[str, Arg("Older than this.")] = ""
    limit: Annotated[
        int | None, Arg("At most this many (10 if not given).", short="-n", least=1, most=100)
    ] = None


@dataclass(frozen=True, slots=True)
class Recalled:
    """The memories that answer, the best first. None of them is a possible answer."""

    memories: tuple[items.MemoryItem, ...]


def recall(app: App, request: Recall) -> Recalled:
    """Find memories and decisions by words.

    Looks in this project and among the global memories. Each result says why it is there. A word
    that occurs in very many memories only counts together with the others. Archived and superseded
    memories are left out unless --state asks for them.
    """
    wanted = narrow.chosen(
        app,
        kind=request.kind,
        tag=request.tag,
        agent=request.agent,
        path=request.path,
        state=request.state,
        since=request.since,
        until=request.until,
    )
    # The stores first: only when the repository is found are its settings read.
    stores = scoped(app, request.scope)
    limit = request.limit or app.settings.number("recall.limit")
    if request.query.strip() == "*":
        hits = _newest(stores, wanted, limit)
    else:
        terms = query.parse(request.query)
        candidates = [
            candidate
            for database in stores
            for candidate in _candidates(database, terms, wanted, limit * OVERFETCH)
        ]
        hits = rank.order(candidates, len(terms), limit)
    for database in stores:
        _count(
            database, [hit.memory.id for hit in hits if hit.memory.scope == database.scope], app.now
        )
    home = {database.scope: database for database in stores}
    return Recalled(
        tuple(
            items.item(home[hit.memory.scope], hit.memory, score=hit.score, why=hit.why)
            for hit in hits
        )
    )


def _newest(stores: list[Database], wanted: Filter, limit: int) -> list[rank.Hit]:
    found = [one for database in stores for one in memories.select(database, wanted, limit=limit)]
    found.sort(key=lambda memory: (memory.created_at, memory.id), reverse=True)
    return [rank.Hit(memory, 0.0, ()) for memory in found[:limit]]


def _candidates(
    database: Database, terms: tuple[query.Term, ...], wanted: Filter, limit: int
) -> list[rank.Candidate]:
    scores, matched = look_up(
        terms,
        partial(text_index.frequency, database),
        lambda expression: text_index.match(database, expression, wanted, limit),
        partial(text_index.matched, database),
    )
    if not scores:
        return []
    return [
        rank.Candidate(memory, scores[memory.seq], tuple(matched[memory.seq]))
        for memory in memories.by_seq(database, list(scores), wanted)
    ]


def _count(database: Database, ids: list[str], now: int) -> None:
    # Best effort: counting an access must never make a read wait or fail.
    if ids and not database.read_only:
        with suppress(GitmemError), database.patience(0, durable=False), database.write():
            revisions.count_access(database, ids, now)


def view(result: Recalled) -> str:
    """A short paragraph for each memory."""
    if not result.memories:
        return "Nothing relevant is remembered."
    return "\n".join(map(items.paragraph, result.memories))


RECALL = Operation(
    name="recall",
    request=Recall,
    run=recall,
    view=view,
    effect=READ,
    example='gitmem recall "which port does redis use"',
    tool="recall",
)
