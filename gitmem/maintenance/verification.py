"""Checking whether memories still match the code, and resolving those that do not."""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from gitmem.app import App
from gitmem.branches import visible_here
from gitmem.capture import resolve
from gitmem.capture.resolve import StaleMemoryResolution
from gitmem.errors import GitmemError, NotFound
from gitmem.freshness import anchor_verdict
from gitmem.memory.visibility import HERE
from gitmem.model.anchor import STALE, CitedCodeVerdict, Freshness
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.retrieval import annotate, memory_view
from gitmem.store.db.connection import Database
from gitmem.store.memory import cited_by, memories, short_ids

BATCH = 500
# Finding the commit that changed a place takes 0.1 s, so it is done for the first ones only.
MAX_EXPLAINED = 20


@dataclass(frozen=True, slots=True)
class VerifiedMemory:
    """A memory, whether the code that it cites is unchanged, and what was done with it.

    ``freshness`` is fresh, moved, unknown, changed, gone or none; ``action`` is empty if nothing
    was done.
    """

    id: str
    handle: str
    title: str
    kind: str
    freshness: str
    anchors: tuple[CitedCodeVerdict, ...]
    action: str
    error: str


@dataclass(frozen=True, slots=True)
class MemoryToCheck:
    """A memory to compare with the code it cites, and its store; ``error`` if it was not found."""

    id: str
    database: Database | None
    memory: Memory | None = None
    error: str = ""


def find_memories_to_check(app: App, id_prefixes: Sequence[str]) -> list[MemoryToCheck]:
    """Return the memories with these ids or beginnings of ids, with an error if not found.

    If only one is given, its error is raised.
    """
    return [_find(app, text, alone=len(id_prefixes) == 1) for text in id_prefixes]


def _find(app: App, text: str, *, alone: bool) -> MemoryToCheck:
    try:
        database, memory = short_ids.find_memory(app.stores(), text)
    except GitmemError as error:
        if alone:
            raise
        return MemoryToCheck(text, None, None, error.message)
    return MemoryToCheck(memory.id, database, memory)


def memories_citing_code(app: App) -> list[MemoryToCheck]:
    """Return all memories in use that cite code and are visible on this branch."""
    ids = [id for id, _ in cited_by.all_citations(app.store)]
    visible = visible_here.visibility_by_id(app, app.store, ids)
    return [MemoryToCheck(id, app.store) for id in ids if visible[id] == HERE]


def freshness_of_memories(
    app: App, memories_to_check: Sequence[MemoryToCheck]
) -> dict[str, Freshness]:
    """Return for each memory id whether the code that it cites is unchanged (global: ``none``)."""
    ids = [subject.id for subject in memories_to_check if subject.database is app.store]
    verdicts = {
        subject.id: memory_view.NOWHERE
        for subject in memories_to_check
        if subject.database is not None
    }
    for start in range(0, len(ids), BATCH):
        verdicts |= anchor_verdict.freshness_by_memory_id(
            app, app.store, ids[start : start + BATCH]
        )
        app.progress("verify", min(start + BATCH, len(ids)), len(ids))
    return verdicts


def resolve_checked_memory(
    app: App,
    resolution: StaleMemoryResolution,
    memory_to_check: MemoryToCheck,
    freshness: Freshness,
    *,
    raise_errors: bool,
) -> VerifiedMemory:
    """Do with a memory whose cited code changed what ``resolution`` says; return the outcome.

    That is to accept, correct or archive it, or to cite other code. ``raise_errors``: an error is
    raised, else it is part of the outcome.
    """
    if memory_to_check.error or memory_to_check.database is None:
        return VerifiedMemory(
            memory_to_check.id, memory_to_check.id, "", "", "none", (), "", memory_to_check.error
        )
    action, error = "", ""
    try:
        memory = memory_to_check.memory or memories.get_memory(
            memory_to_check.database, memory_to_check.id
        )
        if memory is None:
            raise NotFound(
                f"Memory {memory_to_check.id} was removed a moment ago.",
                "`gitmem list` shows the memories that exist.",
            )
        action = resolve.resolve_stale_memory(
            app, resolution, memory_to_check.database, memory, freshness
        )
    except GitmemError as problem:
        if raise_errors:
            raise
        error = problem.message
    return _item(app, memory_to_check.id, memory_to_check.database, freshness, action, error)


def _item(
    app: App, id: str, database: Database, before: Freshness, action: str, error: str
) -> VerifiedMemory:
    memory, now = None, before
    with suppress(GitmemError):
        memory = memories.get_memory(database, id)
    if action and database is app.store:
        now = anchor_verdict.freshness_by_memory_id(app, app.store, [id])[id]
    return VerifiedMemory(
        id,
        short_ids.shortest_unique_prefix(database, id),
        memory.headline if memory else "",
        memory.kind if memory else "",
        now.freshness,
        now.anchors,
        action,
        error,
    )


def add_breaking_commits(app: App, verified: Iterable[VerifiedMemory]) -> list[VerifiedMemory]:
    """Return the same memories with the commits that changed the code they cite.

    Only the first ``MAX_EXPLAINED`` citations get them, as each takes a walk through history.
    """
    room = MAX_EXPLAINED
    items = []
    for item in verified:
        if room > 0 and item.freshness in ("moved", *STALE):
            anchors = annotate.explain_anchor_verdicts(app, app.store, item.id, item.anchors)
            room -= len(anchors)
            item = replace(item, anchors=anchors)
        items.append(item)
    return items
