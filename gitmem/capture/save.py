"""Storing a memory as a new one, or strengthening the memory that says the same."""

from __future__ import annotations

from gitmem.app import App
from gitmem.capture import layer_choice, near_duplicates
from gitmem.capture.near_duplicates import NearDuplicate
from gitmem.capture.provenance import may_change
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import branch_visibility, memory_writes
from gitmem.store.memory.branch_visibility import HiddenMemories

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.model.anchor import CodeAnchor


@dataclass(frozen=True, slots=True)
class MemoryReadyToStore:
    """A memory, its store, and all that is computed before the store is locked.

    ``hidden`` are memories of other branches; ``anchors`` are the code that it is about, and
    ``notes`` say what was wrong with them. ``near`` is the memory that it nearly repeats, if looked
    for, ``mode`` what to do then (smart, skip, merge, allow), ``strategy`` how two texts are merged
    (empty: as the settings say).
    """

    database: Database
    memory: Memory
    hidden: HiddenMemories
    anchors: Sequence[CodeAnchor] = ()
    notes: tuple[str, ...] = ()
    near: NearDuplicate | None = None
    mode: str = ""
    strategy: str = ""


def add_near_duplicate(
    app: App,
    ready_memory: MemoryReadyToStore,
    duplicates_mode: str,
    candidate_rows: Sequence[int] | None = None,
) -> MemoryReadyToStore:
    """``ready_memory`` with ``near`` set to the memory that it repeats or contradicts, or None.

    ``duplicates_mode`` is smart, skip, merge or allow, else InvalidInput is raised.
    ``candidate_rows`` are the row numbers of memories to compare; None: search.
    """
    near_duplicates.check_duplicates_mode(duplicates_mode)
    near = near_duplicates.find_near_duplicate(
        app, ready_memory.database, ready_memory.memory, ready_memory.hidden, candidate_rows
    )
    if near is None and (known := _find_exact(app, ready_memory)):
        near = near_duplicates.exact_duplicate_from_memory(known)
    return replace(ready_memory, near=near, mode=duplicates_mode)


def _find_exact(app: App, ready: MemoryReadyToStore) -> Memory | None:
    """The visible memory with exactly the same text; None without one."""
    duplicate = near_duplicates.find_exact_duplicate(app, ready.database, ready.memory)
    if duplicate is None or branch_visibility.hidden_memory_ids(
        ready.database, ready.hidden, [duplicate.id]
    ):
        return None
    return duplicate


def store_or_reinforce_memory(app: App, ready_memory: MemoryReadyToStore) -> tuple[str, str]:
    """Store a memory, or count a use of the visible one with the same text; returns (id, action).

    Call it in a transaction. The action is ``added``, ``reinforced``, ``merged`` or ``suggested``.
    """
    database = ready_memory.database
    duplicate = (
        None if ready_memory.mode == near_duplicates.ALLOW else _find_exact(app, ready_memory)
    )
    if duplicate is None:
        return _save_new(app, ready_memory)
    if not may_change(app, duplicate):
        # An agent that repeats a person's memory changes nothing in it.
        memory_writes.increment_access_counts(database, [duplicate.id], app.now)
        return duplicate.id, "reinforced"
    from gitmem.capture.change import edit_memory  # noqa: PLC0415 - most memories are new
    from gitmem.memory.edit import merge_repeated_memory  # noqa: PLC0415 - as above

    old, stronger = edit_memory(
        app,
        database,
        duplicate,
        lambda now: merge_repeated_memory(now, ready_memory.memory),
        "reinforced",
    )
    _join_anchors(ready_memory, old, stronger)
    return duplicate.id, "reinforced"


def _save_new(app: App, ready: MemoryReadyToStore) -> tuple[str, str]:
    """Store a memory whose exact text is new, unless it is merged into the nearest one."""
    near = ready.near
    if near is None:
        return _insert(app, ready, ready.memory).id, "added"
    from gitmem.capture import repeats  # noqa: PLC0415 - most memories have no neighbours

    stored_duplicate = repeats.merge_or_reinforce_duplicate(
        app, ready.database, ready.memory, near, ready.mode, ready.strategy
    )
    if stored_duplicate:
        old, joined, action = stored_duplicate
        _join_anchors(ready, old, joined)
        return old.id, action
    stored = _insert(app, ready, repeats.add_duplicate_metadata(ready.memory, near, ready.mode))
    asks = ready.mode == near_duplicates.SMART
    if asks and repeats.suggest_duplicate(app, ready.database, stored, near):
        return stored.id, "suggested"
    return stored.id, "added"


def _insert(app: App, ready: MemoryReadyToStore, memory: Memory) -> Memory:
    if memory.layer == "working":
        layer_choice.archive_excess_working_memories(app, ready.database, memory.session)
    stored = memory_writes.insert_memory(ready.database, memory)
    if ready.anchors:
        from gitmem.store.memory import anchors  # noqa: PLC0415 - most memories cite nothing

        anchors.replace_anchors(ready.database, stored.id, ready.anchors)
    return stored


def _join_anchors(ready: MemoryReadyToStore, old: Memory, new: Memory) -> None:
    """Store the anchors of a memory with added citations, in the order of these."""
    if new.paths == old.paths:
        return
    from gitmem.store.memory import anchors  # noqa: PLC0415 - most memories cite nothing

    old_anchors = anchors.anchors_by_memory(ready.database, [new.id]).get(new.id, [])
    by_citation = {anchor.cited: anchor for anchor in [*ready.anchors, *old_anchors]}
    cited = [by_citation[path] for path in new.paths if path in by_citation]
    numbered = [replace(anchor, number=number) for number, anchor in enumerate(cited, 1)]
    anchors.replace_anchors(ready.database, new.id, numbered)
