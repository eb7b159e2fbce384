"""The inbox of suggestions that wait for consent: accepting, rejecting, rewording, undoing.

Each kind of suggestion is accepted in its own way. A rejected one stays as a row, so that its key
is never suggested again.
"""

from collections.abc import Callable, Sequence

from gitmem.app import App
from gitmem.capture import acceptance, consolidate, versions
from gitmem.capture.acceptance import KEEP, STALE, SUPERSEDE, AcceptanceEffect, InboxEntry
from gitmem.capture.change import UNDONE, store_memory_version
from gitmem.capture.move_store import move_between_stores
from gitmem.capture.pair_suggestions import CONTRADICTION
from gitmem.capture.proposals import KIND as MEMORY
from gitmem.capture.proposals import inbox_has_room, move_queued_proposals_to_inbox
from gitmem.capture.provenance import check_may_accept, is_agent, writer_name
from gitmem.capture.supersede import supersede_memory
from gitmem.errors import AmbiguousReference, Conflict, InvalidInput, NotFound
from gitmem.memory import edit
from gitmem.memory.edit import MemoryChanges
from gitmem.model import ids
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.model.suggestion import ACCEPTED, REJECTED, Suggestion
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes, short_ids, suggestions


def list_inbox_entries(
    app: App, *, limit: int, offset: int = 0, resolved: bool = False
) -> list[InboxEntry]:
    """At most ``limit`` InboxEntries (suggestions that wait for a person) after ``offset`` others.

    The surest come first. With ``resolved``: those accepted or rejected, the latest first.
    """
    waiting = [
        _entry(database, suggestion)
        for database in app.stores()
        for suggestion in (
            suggestions.resolved_suggestions(database, limit + offset)
            if resolved
            else suggestions.pending_suggestions(database, limit + offset)
        )
    ]
    return waiting[offset : offset + limit]


def count_pending_suggestions(app: App) -> int:
    """The number of suggestions that wait for a person, in all stores."""
    return sum(suggestions.count_pending_suggestions(database) for database in app.stores())


def count_queued_suggestions(app: App) -> int:
    """The number of suggestions that wait for room in the full inbox, in all stores."""
    return sum(
        suggestions.count_suggestions_queued_for_inbox(database) for database in app.stores()
    )


def refill_inbox_from_queue(app: App) -> None:
    """Move suggestions that wait for room into the inbox, as far as there is room."""
    for database in app.stores():
        if database.read_only or not inbox_has_room(database):
            continue
        if suggestions.count_suggestions_queued_for_inbox(database):
            with database.write():
                move_queued_proposals_to_inbox(database)


def find_inbox_entry(app: App, id_prefix: str) -> InboxEntry:
    """The InboxEntry of the suggestion whose id, or whose memory's id, begins with ``id_prefix``.

    Raises NotFound, or AmbiguousReference where several do.
    """
    prefix = ids.normalise_id_prefix(id_prefix) or ""
    stores = app.stores() if prefix else []
    matches = [
        (store, suggestion)
        for store in stores
        for suggestion in suggestions.find_suggestions_by_prefix(store, prefix)
    ]
    if not matches:
        raise NotFound(
            f"No suggestion has an id that starts with {id_prefix[:40]!r}.",
            "Run `gitmem inbox` to see the suggestions.",
        )
    if len(matches) > 1:
        open_ones = [pair for pair in matches if pair[1].is_open]
        named = [pair for pair in open_ones if _is_handle(prefix, *pair)]
        if len(open_ones := named or open_ones) != 1:
            raise AmbiguousReference(
                f"{id_prefix!r} matches more than one suggestion.", "Give more characters."
            )
        matches = open_ones
    return _entry(*matches[0])


def accept_entry(
    app: App, entry: InboxEntry, ids_to_replace: Sequence[str] = ()
) -> tuple[str, tuple[AcceptanceEffect, ...]]:
    """Accept a suggestion; returns (what was done in a few words, the changes to memories).

    ``ids_to_replace`` begin the ids of further memories that the person wants replaced. Raises
    Conflict, NotFound, AmbiguousReference and InvalidInput.
    """
    check_may_accept(app, entry.suggestion)
    _refuse_resolved(entry)
    named = _find_named(entry, ids_to_replace)
    if entry.suggestion.is_for_all_projects:
        return _accept_everywhere(app, entry)
    with entry.database.write():
        _refuse_resolved(now := _reload(entry))
        acceptance.check_effects_unchanged(app, entry, now)
        planned = acceptance.effects_of_accepting(now, named)
        _refuse_keeping(now, planned)
        return _ACCEPTING.get(now.suggestion.kind, _accept_pair)(app, now, planned), planned


def reject_entry(app: App, entry: InboxEntry) -> str:
    """Reject a suggestion; returns what was done in a few words. Raises Conflict if it is decided.

    A proposed memory is archived, a pair of memories stays as it is.
    """
    _refuse_resolved(entry)
    with entry.database.write():
        _resolve(app, entry, REJECTED)
        old = _reload(entry).memory
        if _proposes(entry.suggestion) and old and old.archived_at is None:
            store_memory_version(
                app, entry.database, old, edit.archive_memory(old, app.now), "rejected"
            )
        if entry.suggestion.kind == versions.KIND:
            versions.remove_synced_version(entry.database, entry.suggestion.memory)
    return "rejected"


def edit_proposal(app: App, entry: InboxEntry, changes: MemoryChanges) -> str:
    """Edit a proposed memory, which stays proposed; returns what was done in a few words.

    Raises Conflict where it is decided already, and InvalidInput where there is no text to edit.
    """
    _refuse_resolved(entry)
    if not _proposes(entry.suggestion):
        raise InvalidInput(
            f"Suggestion {entry.suggestion.id} is about existing memories; it has no text to edit.",
            "Change the memories with `gitmem revise`.",
        )
    limit = app.settings.number("memory.max_bytes")
    with entry.database.write():
        _refuse_resolved(entry := _reload(entry))
        old = _memory_of(entry)
        bare = replace(old, status="")  # the rules allow a status for decisions only
        revised = edit.revise_memory(bare, changes, now_ms=app.now, max_bytes=limit)
        new = replace(revised, status=old.status, trust="agent" if is_agent(app) else old.trust)
        store_memory_version(app, entry.database, old, new, "edited")
        acceptance.record_shown_effects_of_edit(app, entry, replace(entry, memory=new))
    return "edited"


def undo_inbox_decision(app: App, id_prefix: str) -> tuple[str, str]:
    """Undo accepting or rejecting a suggestion; returns (id, what was done in a few words).

    ``id_prefix`` is how the id of the suggestion or its memory begins. Raises NotFound,
    AmbiguousReference and Conflict.
    """
    try:
        entry = find_inbox_entry(app, id_prefix)
    except NotFound:
        return consolidate.undo_merge(app, app.store, id_prefix)
    suggestion = entry.suggestion
    if suggestion.is_open:
        raise Conflict(f"Suggestion {suggestion.id} is still pending.", "There is nothing to undo.")
    if is_agent(app) and not suggestion.resolved_by:
        raise Conflict(
            f"Suggestion {suggestion.id} was {suggestion.state} by a person, and "
            f"{writer_name(app)} is an agent: only a person can undo that.",
            "Ask the person you work for.",
        )
    if suggestion.state == ACCEPTED and suggestion.kind not in _ACCEPTING:
        return consolidate.undo_merge(app, entry.database, suggestion.id)
    if not suggestion.memory:
        # Moving a memory removes it here, so that one cannot tell it from a purged one.
        raise Conflict(
            f"The memory of suggestion {suggestion.id} is not in this store any more: it was "
            "accepted for every project, or purged.",
            "`gitmem list --layer global` shows those of every project; `gitmem promote ID --to "
            "project` takes one back.",
        )
    with entry.database.write():
        suggestions.reopen_suggestion(entry.database, suggestion.id)
        entry = _reload(entry)
        if entry.memory is not None and not suggestion.is_for_all_projects:
            _put_back(app, entry.database, suggestion, entry.memory)
            _release_replaced(app, entry.database, entry.memory)
    return suggestion.id, "waits again"


def _is_handle(prefix: str, database: Database, suggestion: Suggestion) -> bool:
    """Whether a prefix names the suggestion's memory and no other, as the list shows it."""
    id = suggestion.memory
    return id.startswith(prefix) and len(prefix) >= len(
        short_ids.shortest_unique_prefix(database, id)
    )


def _proposes(suggestion: Suggestion) -> bool:
    return suggestion.kind == MEMORY and not suggestion.is_for_all_projects


def _find_named(entry: InboxEntry, replacing: Sequence[str]) -> list[str]:
    """The ids of the named memories. Raises GitmemError if one is not to be replaced."""
    replaces = _proposes(entry.suggestion) or entry.suggestion.kind == CONTRADICTION
    if replacing and not replaces:
        raise InvalidInput(
            f"Accepting a suggestion of the kind {entry.suggestion.kind} replaces no memory.",
            "Leave out --supersede.",
        )
    named = [short_ids.find_memory([entry.database], text)[1] for text in replacing]
    of_pair = entry.suggestion.kind == CONTRADICTION
    for memory in named:
        is_its_own = memory.id in (entry.suggestion.memory, entry.suggestion.other)
        if is_its_own is not of_pair:
            raise InvalidInput(
                f"The suggestion is not about memory {memory.id}."
                if of_pair
                else "A memory cannot supersede itself.",
                "Give the id of the memory to replace.",
            )
        if memory.state != "active":
            raise Conflict(
                f"Memory {memory.id} is {memory.state}, so it cannot be replaced.",
                f"See `gitmem show {memory.id[:12]}`.",
            )
    return [memory.id for memory in named]


def _refuse_keeping(entry: InboxEntry, planned: Sequence[AcceptanceEffect]) -> None:
    """Raise Conflict where accepting a contradiction needs the older memory to be named."""
    stays = [effect.memory for effect in planned if effect.action == KEEP]
    if entry.suggestion.kind != CONTRADICTION or not stays:
        return
    old = stays[0]
    raise Conflict(
        f"Memory {old.id} was {acceptance.describe_memory_source(old)}, so this suggestion does "
        "not replace it by itself.",
        f"To replace it, add --supersede {old.id[:12]}; to keep both, reject the suggestion.",
    )


def _accept_memory(app: App, entry: InboxEntry, planned: Sequence[AcceptanceEffect]) -> str:
    _resolve(app, entry, ACCEPTED)
    old = _memory_of(entry)
    # An agent that is allowed to accept does not vouch: the memory keeps its tier.
    new = replace(
        old,
        status="accepted" if old.kind == "decision" else "",
        trust=old.trust if is_agent(app) else "accepted",
        archived_at=None,
        ttl_ms=None,
        expires_at=None,
    )
    memory_writes.revise_memory(
        entry.database, old, new, at_ms=app.now, action="accepted", agent=app.agent
    )
    for effect in planned:
        if effect.action == SUPERSEDE:
            supersede_memory(app, entry.database, effect.memory, old.id, link_context=ACCEPTED)
    return "accepted"


def _accept_everywhere(app: App, entry: InboxEntry) -> tuple[str, tuple[AcceptanceEffect, ...]]:
    """Move a memory to the user's store; two stores take part, so not in a transaction."""
    acceptance.check_effects_unchanged(app, entry, _reload(entry))
    planned = acceptance.effects_of_accepting(entry)
    move_between_stores(app, entry.database, _memory_of(entry), "global", "promoted")
    return "kept for every project:", planned


def _accept_stale(app: App, entry: InboxEntry, _: Sequence[AcceptanceEffect]) -> str:
    _resolve(app, entry, ACCEPTED)
    old = _memory_of(entry)
    if old.archived_at is None:
        store_memory_version(
            app, entry.database, old, edit.archive_memory(old, app.now), "archived"
        )
    return "archived"


def _accept_version(app: App, entry: InboxEntry, _: Sequence[AcceptanceEffect]) -> str:
    _resolve(app, entry, ACCEPTED)
    if entry.other is None:
        raise NotFound(
            f"The memory of which {entry.suggestion.id} is a version does not exist any more.",
            f"To remove the suggestion: gitmem inbox reject {entry.suggestion.id}",
        )
    versions.adopt_synced_version(app, entry.database, _memory_of(entry), entry.other)
    return "accepted"


def _accept_pair(app: App, entry: InboxEntry, _: Sequence[AcceptanceEffect]) -> str:
    return consolidate.accept_merge(app, entry.database, entry.suggestion)


_ACCEPTING: dict[str, Callable[[App, InboxEntry, Sequence[AcceptanceEffect]], str]] = {
    MEMORY: _accept_memory,
    STALE: _accept_stale,
    versions.KIND: _accept_version,
}


def _put_back(app: App, database: Database, suggestion: Suggestion, old: Memory) -> None:
    new = replace(old, archived_at=None)
    if suggestion.kind == MEMORY:
        trust = "" if old.trust == "accepted" else old.trust
        new = replace(new, status="proposed", trust=trust)
    if new != old:
        store_memory_version(app, database, old, new, UNDONE)


def _release_replaced(app: App, database: Database, proposed: Memory) -> None:
    """Put back into force what a proposal replaced when it was accepted."""
    named = acceptance.ids_replaced_by_proposal(proposed)
    for link in memories.links_of_memory(database, proposed.id):
        if link.relation != "SUPERSEDES" or not (link.context == ACCEPTED or link.target in named):
            continue
        older = memories.get_undamaged_memory(database, link.target)
        if older is not None and older.superseded_by == proposed.id:
            consolidate.restore_superseded(app, database, older, proposed.id)


def _resolve(app: App, entry: InboxEntry, state: str) -> None:
    id, agent = entry.suggestion.id, writer_name(app)
    if _reload(entry).suggestion.is_queued:
        suggestions.reopen_suggestion(entry.database, id)
    if not suggestions.resolve_suggestion(entry.database, id, state, at_ms=app.now, agent=agent):
        raise Conflict(
            f"Suggestion {entry.suggestion.id} was accepted or rejected in the meantime.",
            "Run `gitmem inbox` to see what is still open.",
        )
    move_queued_proposals_to_inbox(entry.database)


def _refuse_resolved(entry: InboxEntry) -> None:
    suggestion = entry.suggestion
    if not suggestion.is_open:
        raise Conflict(
            f"Suggestion {suggestion.id} was {suggestion.state} already.",
            f"`gitmem inbox undo {suggestion.id}` takes that back.",
        )


def _memory_of(entry: InboxEntry) -> Memory:
    if entry.memory is None:
        raise NotFound(
            f"The memory that suggestion {entry.suggestion.id} is about does not exist any more.",
            f"To remove the suggestion: gitmem inbox reject {entry.suggestion.id}",
        )
    return entry.memory


def _reload(entry: InboxEntry) -> InboxEntry:
    return _entry(
        entry.database,
        suggestions.get_suggestion(entry.database, entry.suggestion.id) or entry.suggestion,
    )


def _entry(database: Database, suggestion: Suggestion) -> InboxEntry:
    def read_undamaged_memory(memory_id: str) -> Memory | None:
        return memories.get_undamaged_memory(database, memory_id) if memory_id else None

    return InboxEntry(
        database,
        suggestion,
        read_undamaged_memory(suggestion.memory),
        read_undamaged_memory(suggestion.other),
    )
