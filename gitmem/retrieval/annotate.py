"""Adding freshness and visibility to memories before they are shown."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from gitmem.app import App
from gitmem.branches import visible_here
from gitmem.errors import GitmemError
from gitmem.memory import lifecycle
from gitmem.model.anchor import STALE as STALE_WORDS
from gitmem.model.anchor import CitedCodeVerdict, Freshness
from gitmem.model.frozen import replace
from gitmem.model.memory import EarlierMemoryVersion, Memory
from gitmem.retrieval import memory_view
from gitmem.retrieval.memory_view import MemoryItem
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories

# How long a list of memories may wait for freshness verdicts.
PATIENCE_MS = 150.0
# Factors of memories that are stale, or whose freshness is unknown.
STALE = 0.5
UNKNOWN = 0.9
# The largest deduction for a memory that is not used.
FADING = 0.1


def make_memory_items(
    app: App,
    memories_with_stores: Sequence[tuple[Memory, Database]],
    *,
    as_of_ms: int | None = None,
    known_freshness: Mapping[str, Freshness] | None = None,
) -> list[MemoryItem]:
    """Memories (stored notes), each given with its store, as MemoryItem values for a result.

    With ``as_of_ms`` (milliseconds since 1970) an item has the words and state that the memory had
    then, but whether its cited code is unchanged (``freshness``) is judged now. ``known_freshness``
    has that by memory id if the caller knows it.
    """
    fresh, away = _freshness_and_branches(app, memories_with_stores, known_freshness)
    against = contradicted_memory_ids(memories_with_stores)
    used = _uses(memories_with_stores)
    return [
        memory_view.make_memory_item(
            database,
            memory if as_of_ms is None else _as_of(database, memory, as_of_ms),
            freshness=fresh.get(memory.id, memory_view.NOWHERE),
            is_visible_here=memory.id not in away,
            contradicted_ids=against.get(memory.id, ()),
            access_count=used.get(memory.id, 0),
            expires_ms=_end(app, memory, used.get(memory.id, 0)),
        )
        for memory, database in memories_with_stores
    ]


def _end(app: App, memory: Memory, used: int) -> int | None:
    if memory.pinned:
        return memory.expires_at  # it counts again once the memory is unpinned
    return lifecycle.effective_expiry(memory, used, *app.memory_expiry_rule)


def _uses(pairs: Sequence[tuple[Memory, Database]]) -> dict[str, int]:
    """Id -> how often a memory was handed out, of those that were."""
    return {
        id: count
        for database in {id(store): store for _, store in pairs}.values()
        for id, (count, _) in memories.access_counts_and_times(
            database, [memory.id for memory, store in pairs if store is database]
        ).items()
    }


def _as_of(database: Database, memory: Memory, at: int) -> Memory:

    return memory_version_at(memory, memories.earlier_versions(database, memory.id), at)


def make_explained_memory_item(app: App, memory: Memory, database: Database) -> MemoryItem:
    """A memory as a MemoryItem, with the commits that changed the code it cites (``anchors``)."""
    (item,) = make_memory_items(app, [(memory, database)])
    if item.freshness in ("none", "fresh"):
        return item
    return replace(item, anchors=explain_anchor_verdicts(app, database, memory.id, item.anchors))


def explain_anchor_verdicts(
    app: App, database: Database, memory_id: str, verdicts: Sequence[CitedCodeVerdict]
) -> tuple[CitedCodeVerdict, ...]:
    """``verdicts`` on the code that memory ``memory_id`` cites, with commits added."""
    from gitmem.freshness import anchor_verdict  # noqa: PLC0415 - asks git for past versions of files
    from gitmem.store.memory import anchors  # noqa: PLC0415 - as above

    known = {
        anchor.number: anchor
        for anchor in anchors.anchors_by_memory(database, [memory_id]).get(memory_id, [])
    }
    return tuple(
        anchor_verdict.explain_code_anchor_verdict(app, known[verdict.number], verdict)
        if verdict.number in known
        else verdict
        for verdict in verdicts
    )


def _freshness_and_branches(
    app: App,
    pairs: Sequence[tuple[Memory, Database]],
    standing: Mapping[str, Freshness] | None = None,
) -> tuple[Mapping[str, Freshness], frozenset[str]]:
    """Id -> freshness of memories that cite something, and the ids of those of other branches."""
    fresh: dict[str, Freshness] = {}
    away: frozenset[str] = frozenset()
    for database in {id(store): store for _, store in pairs}.values():
        if database.scope == "global":
            continue
        own = [memory for memory, store in pairs if store is database]
        if standing is None:
            fresh |= freshness_by_memory_id(app, database, own)
        away |= visible_here.memories_of_other_branches(
            app, database, [memory.id for memory in own]
        )
    return fresh if standing is None else standing, away


def contradicted_memory_ids(
    memories_with_stores: Sequence[tuple[Memory, Database]],
) -> dict[str, tuple[str, ...]]:
    """Memory id -> ids of the active memories that this active memory may contradict."""
    against: dict[str, tuple[str, ...]] = {}
    for database in {id(store): store for _, store in memories_with_stores}.values():
        ids = [
            memory.id
            for memory, store in memories_with_stores
            if store is database and memory.state == "active"
        ]
        against |= memories.contradicted_ids_by_memory(database, ids) if ids else {}
    return against


def freshness_by_memory_id(
    app: App, database: Database, target_memories: Sequence[Memory]
) -> dict[str, Freshness]:
    """Memory id -> whether the code that the memory cites is unchanged, as a Freshness.

    Only for memories of the project that cite code; files are read for at most 150 ms.
    """
    citing = [memory for memory in target_memories if memory.paths and memory.scope == "project"]
    if not citing or database.scope == "global":
        return {}
    # Imported here: most memories cite nothing.
    from gitmem.freshness import anchor_verdict  # noqa: PLC0415

    return anchor_verdict.freshness_by_memory(app, database, citing, deadline_ms=PATIENCE_MS)


def record_memory_access(
    app: App, database: Database, memory_ids: Sequence[str], max_wait_ms: int = 0
) -> None:
    """Add one use to the memories with these ids, unless the store stays busy.

    It waits ``max_wait_ms`` milliseconds at most.
    """
    if memory_ids and app.counts_use and not database.read_only:
        from gitmem.store.memory import memory_writes  # noqa: PLC0415

        with (
            suppress(GitmemError),
            database.lock_timeout(max_wait_ms, sync_commits=False),
            database.write(keep_caches=True),
        ):
            memory_writes.increment_access_counts(database, list(memory_ids), app.now)


def record_shown_memories(
    app: App, memories_with_stores: Sequence[tuple[Memory, Database]]
) -> None:
    """Add one use to each of these memories, in the store that it is given with."""
    ids: dict[Database, dict[str, None]] = {}
    for memory, database in memories_with_stores:
        ids.setdefault(database, {})[memory.id] = None
    for database, own in ids.items():
        record_memory_access(app, database, list(own))


def count_stale_memories(app: App, database: Database) -> int:
    """The number of memories whose cited code was changed or gone at the last check."""
    if not memories.has_anchored_memories(database):
        return 0
    from gitmem.store.memory import anchors  # noqa: PLC0415 - most stores hold nothing that cites

    return anchors.count_memories_with_anchor_verdict(database, app.worktree, STALE_WORDS)


def memory_rank_factors(
    app: App,
    database: Database,
    target_memories: Sequence[Memory],
    freshness: Mapping[str, Freshness],
) -> Mapping[str, tuple[float, tuple[str, ...]]]:
    """Memory id -> (factor of its rank, the reasons for it in words to show).

    Memories whose cited code changed rank lower (0.5), unused memories a little lower (to 0.9).
    ``freshness`` comes from ``freshness_by_memory_id``.
    """
    used = memories.access_counts_and_times(database, [memory.id for memory in target_memories])
    strength = {}
    for memory in target_memories:
        state = freshness.get(memory.id, memory_view.NOWHERE)
        factor = STALE if state.is_stale else UNKNOWN if state.freshness == "unknown" else 1.0
        doubt = memory_view.freshness_label(state.freshness)
        if not lifecycle.reason_never_archived(memory):
            count, last = used.get(memory.id, (0, None))
            left = min(lifecycle.memory_decay_score(memory, count, last, app.now), 1.0)
            factor *= 1 - FADING * (1 - left)
        strength[memory.id] = factor, (doubt,) if doubt else ()
    return strength


def memory_version_at(
    memory: Memory, earlier_versions: Sequence[EarlierMemoryVersion], timestamp_ms: int
) -> Memory:
    """The version of a memory that was current at ``timestamp_ms``, or the oldest one.

    Times are milliseconds since 1970. ``earlier_versions`` are its earlier versions, oldest first,
    each with the time when it was replaced.
    """
    return next(
        (version.memory for version in earlier_versions if version.at > timestamp_ms), memory
    )
