"""Merging a memory into another, with a log so that the merge can be undone.

The source stays in the store as superseded; the log has both ids and the versions before and after.
Undoing restores both, and the pair is never merged automatically again.
"""

from gitmem.app import App
from gitmem.capture import pair_suggestions
from gitmem.capture.change import UNDONE, edit_memory, store_memory_version
from gitmem.capture.pair_suggestions import CONTRADICTION
from gitmem.capture.provenance import check_may_change_trust, writer_name
from gitmem.capture.supersede import supersede_memory
from gitmem.errors import Conflict, NotFound
from gitmem.memory import merging, trust
from gitmem.model import ids
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.model.suggestion import ACCEPTED, MergeRecord, Suggestion
from gitmem.store.db.connection import Database
from gitmem.store.memory import consolidations, memories, memory_writes, suggestions

# The strategy in the log for a memory that replaced another without a change of its text.
REPLACED = "replaced"
_INBOX = "`gitmem inbox` shows what is pending."
# Fields that every edit sets by itself.
_OWN = ("id", "version", "updated_at", "seq")


def merge_memories(
    app: App,
    database: Database,
    target: Memory,
    source: Memory,
    similarity: float,
    *,
    merge_strategy: str = "",
    suggestion_id: str = "",
) -> Memory:
    """Merge ``source`` into ``target`` and store both; returns the new version of ``target``.

    Call it in a transaction; ``source`` becomes superseded. ``merge_strategy`` is smart_merge,
    latest_wins, append, or empty: as the settings say. ``similarity`` and ``suggestion_id``, the
    suggestion that was accepted, go into the log of merges. Raises Conflict where the text gets too
    long, an agent would change a person's memory, or one of the two is superseded already.
    """
    merge_strategy = merge_strategy or app.settings.text("duplicates.strategy")
    joined = merge_texts(app, target, source, merge_strategy)
    stored = store_memory_version(app, database, target, joined, "merged")
    check_may_change_trust(app, source, target)  # its text is part of the target from now on
    supersede_memory(
        app, database, source, target.id, link_strength=max(similarity, 0.0), link_context="merged"
    )
    _log(app, database, suggestion_id, stored, source, merge_strategy, similarity, target.version)
    return stored


def merge_texts(app: App, target: Memory, source: Memory, merge_strategy: str = "") -> Memory:
    """``target`` with the text of ``source`` merged in; not stored.

    ``merge_strategy`` is smart_merge, latest_wins, append, or empty: as the settings say. Raises
    Conflict if the text gets too long.
    """
    from datetime import UTC, datetime  # noqa: PLC0415 - few writes merge

    merge_strategy = merge_strategy or app.settings.text("duplicates.strategy")
    date = datetime.fromtimestamp(source.created_at / 1000, UTC).date().isoformat()
    joined = merging.merge_by_strategy(target, source, merge_strategy, date)
    limit = app.settings.number("memory.max_bytes")
    size = len(joined.content.encode())
    if size > limit:
        raise Conflict(
            f"The merged memory would have {size:,} bytes; at most {limit:,} are allowed.",
            "Shorten one of the memories with `gitmem revise`, or raise memory.max_bytes.",
        )
    return joined


def accept_merge(app: App, database: Database, suggestion: Suggestion) -> str:
    """Accept a suggestion about two memories; returns what was done, such as ``merged into ID``.

    Duplicates are merged; of a contradiction, the newer memory replaces the older one. Raises
    Conflict if the suggestion is decided already, and NotFound if a memory is gone.
    """
    with database.write():
        if not suggestions.resolve_suggestion(
            database, suggestion.id, ACCEPTED, at_ms=app.now, agent=writer_name(app)
        ):
            raise Conflict(f"Suggestion {suggestion.id} is no longer pending.", _INBOX)
        memory, other = (
            current_memory_for_merge(database, id) for id in (suggestion.memory, suggestion.other)
        )
        free = consolidations.get_merge_record(database, suggestion.id) is None
        id = suggestion.id if free else app.new_id()
        if suggestion.kind == CONTRADICTION:
            older, newer = older_and_newer_memory(memory, other)
            supersede_memory(app, database, older, newer.id, link_context=CONTRADICTION)
            _log(app, database, id, newer, older, REPLACED, suggestion.similarity, newer.version)
            return f"{newer.id} replaces {older.id}"
        target, source = choose_merge_target_and_source(memory, other)
        merge_memories(app, database, target, source, suggestion.similarity, suggestion_id=id)
        return f"merged into {target.id}"


def undo_merge(app: App, database: Database, id_prefix: str) -> tuple[str, str]:
    """Undo a merge of two memories; returns (id of the merged one, what was done, in a sentence).

    ``id_prefix`` is how the id of the merge, its suggestion or either memory begins. Raises
    NotFound, and Conflict if it was undone already or the merged text was edited since.
    """
    with database.write():
        merge = _find_merge(database, id_prefix)
        target, source = (_get(database, id) for id in (merge.target, merge.source))
        before, after = _versions(database, target, merge)
        _take_back(app, database, target, before, after)
        reinstated = restore_superseded(app, database, source, target.id)
        consolidations.mark_memory_merge_undone(database, merge.id, app.now)
        pair_suggestions.mark_as_distinct(app, database, before, reinstated or source)
        return target.id, f"{target.id} and {source.id} are two memories again"


def restore_superseded(
    app: App, database: Database, source: Memory, superseding_id: str, action: str = UNDONE
) -> Memory | None:
    """Make ``source``, which the memory ``superseding_id`` replaced, valid again.

    Call it in a transaction. What was edited since stays. ``action`` is the word for its history.
    Returns the memory as it was before, None if unknown or if another memory replaced it.
    """
    before = _before_superseded(database, source, superseding_id)
    if source.superseded_by == superseding_id:
        status = before.status if before else source.status.replace("superseded", "accepted")
        until = before.valid_until if before else None

        def reinstate_memory(current_memory: Memory) -> Memory:
            return replace(current_memory, superseded_by="", status=status, valid_until=until)

        edit_memory(app, database, source, reinstate_memory, action)
    memory_writes.remove_link(database, superseding_id, source.id, "SUPERSEDES")
    return before


def restore_memory_unless_merged(app: App, database: Database, source: Memory) -> None:
    """Make a memory valid again that another one replaced. Raises Conflict if they were merged.

    Call it in a transaction.
    """
    merges = consolidations.find_memory_merges_by_prefix(database, source.id)
    if any(merge.source == source.id for merge in merges):
        raise Conflict(
            f"Memory {source.id} was merged into {source.superseded_by}, so it cannot be restored "
            "alone.",
            f"`gitmem inbox undo {source.id[:12]}` separates the two memories again.",
        )
    restore_superseded(app, database, source, source.superseded_by, "restored")


def older_and_newer_memory(memory: Memory, other: Memory) -> tuple[Memory, Memory]:
    """The two memories by their time of creation, the older one first."""
    older, newer = sorted((memory, other), key=lambda memory: (memory.created_at, memory.id))
    return older, newer


def choose_merge_target_and_source(memory: Memory, other: Memory) -> tuple[Memory, Memory]:
    """(target, source) for a merge: the target is the more trusted memory, else the older."""
    older, newer = older_and_newer_memory(memory, other)
    return (
        (newer, older)
        if trust.is_more_trusted(newer.trust_tier, older.trust_tier)
        else (older, newer)
    )


def _log(
    app: App,
    database: Database,
    id: str,
    target: Memory,
    source: Memory,
    strategy: str,
    similarity: float,
    before: int,
) -> None:
    merge = MergeRecord(
        id=id or app.new_id(),
        target=target.id,
        source=source.id,
        strategy=strategy,
        similarity=min(max(similarity, 0.0), 1.0),
        before_version=before,
        after_version=target.version,
        agent=app.agent,
        at=app.now,
    )
    consolidations.add_merge_record(database, merge)


def current_memory_for_merge(database: Database, memory_id: str) -> Memory:
    """The current version of the memory with this id.

    Raises NotFound if it is gone, and Conflict if it is neither active nor proposed.
    """
    memory = _get(database, memory_id)
    if memory.state not in ("active", "proposed"):
        raise Conflict(
            f"Memory {memory_id} is now {memory.state}.",
            "Reject the suggestion, or restore the memory first.",
        )
    return memory


def _get(database: Database, id: str) -> Memory:
    memory = memories.get_memory(database, id) if id else None
    if memory is None:
        raise NotFound(f"Memory {id or '(removed)'} no longer exists.", _INBOX)
    return memory


def _find_merge(database: Database, text: str) -> MergeRecord:
    """The merge with this id that is not undone. Raises NotFound and Conflict."""
    prefix = ids.normalise_id_prefix(text)
    merges = consolidations.find_memory_merges_by_prefix(database, prefix) if prefix else []
    if not merges:
        undone = consolidations.get_merge_record(database, prefix) if prefix else None
        if undone is not None:
            raise Conflict(f"Merge {undone.id} was undone already.", "There is nothing to undo.")
        raise NotFound(f"No merge has the id {text[:40]!r}.", _INBOX)
    return merges[0]


def _versions(database: Database, target: Memory, merge: MergeRecord) -> tuple[Memory, Memory]:
    """The target before and after a merge. Raises NotFound, and Conflict where it changed since."""
    history = {
        version.memory.version: version.memory
        for version in memories.earlier_versions(database, target.id)
    }
    versions_by_number = {**history, target.version: target}
    before, after = (
        versions_by_number.get(merge.before_version),
        versions_by_number.get(merge.after_version),
    )
    if before is None or after is None:
        raise NotFound(
            f"The merge of memory {target.id} cannot be undone: its version from before or after "
            "the merge is missing.",
            f"`gitmem history {target.id[:12]}` shows its versions: restore what you need by hand.",
        )
    if (target.title, target.content) != (after.title, after.content):
        raise Conflict(
            f"Memory {target.id} was edited since the merge, so the merge cannot be undone.",
            f"See `gitmem history {target.id[:12]}`, and restore what you need by hand.",
        )
    return before, after


def _before_superseded(database: Database, source: Memory, by: str) -> Memory | None:
    """The source before it was superseded; None where it is not superseded by the target."""
    if source.superseded_by != by:
        return None
    versions = [version.memory for version in memories.earlier_versions(database, source.id)]
    return next((memory for memory in reversed(versions) if not memory.superseded_by), None)


def _take_back(
    app: App, database: Database, current: Memory, before: Memory, after: Memory
) -> None:
    """Take back the changes of an edit; fields that changed again since stay as they are."""

    def revert_merged_fields(current_memory: Memory) -> Memory:
        fields = [name for name in Memory.__slots__ if name not in _OWN]
        restored_fields = {
            name: getattr(before, name)
            for name in fields
            if getattr(before, name) != getattr(after, name)
            and getattr(current_memory, name) == getattr(after, name)
        }
        return replace(current_memory, **restored_fields)

    edit_memory(app, database, current, revert_merged_fields, UNDONE)
