"""What waits for consent: accepted, rejected, worded better, or taken back (CT-14, ML-34).

Each kind of suggestion has a way of its own to be accepted; rejecting is the same for all: the row
stays, so that its key is never suggested again.
"""

from collections.abc import Callable, Sequence

from gitmem.app import App
from gitmem.capture import acceptance, consolidate
from gitmem.capture.acceptance import KEEP, STALE, SUPERSEDE, Effect, Entry
from gitmem.capture.change import UNDONE, change
from gitmem.capture.move_store import move
from gitmem.capture.pair_suggestions import CONTRADICTION
from gitmem.capture.proposals import KIND as MEMORY
from gitmem.capture.proposals import fill_up, has_room
from gitmem.capture.provenance import by_agent, refuse_accepting, who
from gitmem.capture.supersede import supersede
from gitmem.errors import Ambiguous, Conflict, InvalidInput, NotFound
from gitmem.memory import edit
from gitmem.memory.edit import Changes
from gitmem.model import ids
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.model.suggestion import ACCEPTED, REJECTED, Suggestion
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes, short_ids, suggestions


def entries(app: App, *, most: int, offset: int = 0, resolved: bool = False) -> list[Entry]:
    """What waits, the oldest first; ``resolved``: what was decided, the latest first."""
    found = [
        _entry(database, one)
        for database in app.stores()
        for one in (
            suggestions.resolved(database, most + offset)
            if resolved
            else suggestions.pending(database, most + offset)
        )
    ]
    return found[offset : offset + most]


def waiting(app: App) -> int:
    """How many suggestions wait in all stores."""
    return sum(suggestions.count_pending(database) for database in app.stores())


def queued(app: App) -> int:
    """How many wait behind a full inbox, in all stores."""
    return sum(suggestions.count_queued(database) for database in app.stores())


def refill(app: App) -> None:
    """Let what is queued come up where something else made room, such as a purge."""
    for database in app.stores():
        if database.read_only or not has_room(database):
            continue
        if suggestions.count_queued(database):
            with database.write():
                fill_up(database)


def find(app: App, text: str) -> Entry:
    """The suggestion that an id, or that of its memory, begins with.

    Raises NotFound or Ambiguous.
    """
    prefix = ids.normalise(text) or ""
    stores = app.stores() if prefix else []
    found = [(store, each) for store in stores for each in suggestions.named(store, prefix)]
    if not found:
        raise NotFound(
            f"No suggestion has an id that starts with {text[:40]!r}.",
            "Run `gitmem inbox` to see what waits.",
        )
    if len(found) > 1:
        open_ones = [pair for pair in found if pair[1].open]
        if len(open_ones) != 1:
            raise Ambiguous(f"{text!r} matches more than one suggestion.", "Give more characters.")
        found = open_ones
    return _entry(*found[0])


def accept(app: App, entry: Entry, replacing: Sequence[str] = ()) -> tuple[str, tuple[Effect, ...]]:
    """Accept what waits: what was done, in a few words, and to which memories.

    ``replacing`` are ids of memories that the person wants replaced too. Raises Conflict, NotFound,
    Ambiguous and InvalidInput.
    """
    refuse_accepting(app, entry.suggestion)
    _refuse_resolved(entry)
    named = _named(entry, replacing)
    if entry.suggestion.everywhere:
        return _accept_everywhere(app, entry)
    with entry.database.write():
        _refuse_resolved(now := _again(entry))
        acceptance.refuse_changed(app, entry, now)
        planned = acceptance.effects(now, named)
        _refuse_keeping(now, planned)
        return _ACCEPTING.get(now.suggestion.kind, _accept_pair)(app, now, planned), planned


def reject(app: App, entry: Entry) -> str:
    """Reject what waits: a proposed memory is archived, a pair stays as it is."""
    _refuse_resolved(entry)
    with entry.database.write():
        _resolve(app, entry, REJECTED)
        old = _again(entry).memory
        if _proposes(entry.suggestion) and old and old.archived_at is None:
            change(app, entry.database, old, edit.archived(old, app.now), "rejected")
    return "rejected"


def reword(app: App, entry: Entry, changes: Changes) -> str:
    """Word a proposed memory differently; it goes on waiting. Raises Conflict and InvalidInput."""
    _refuse_resolved(entry)
    if not _proposes(entry.suggestion):
        raise InvalidInput(
            f"A {entry.suggestion.kind} speaks of memories that are there already.",
            "Change those with `gitmem revise`.",
        )
    limit = app.settings.number("memory.max_bytes")
    with entry.database.write():
        _refuse_resolved(entry := _again(entry))
        old = _present(entry)
        bare = replace(old, status="")  # only a decision may have one, as far as the rules go
        made = edit.revised(bare, changes, now=app.now, max_bytes=limit)
        new = replace(made, status=old.status, trust="agent" if by_agent(app) else old.trust)
        change(app, entry.database, old, new, "edited")
    return "edited"


def undo(app: App, text: str) -> tuple[str, str]:
    """Take back what was decided about a suggestion, or a merge; its id and what was done.

    Raises NotFound, Ambiguous and Conflict.
    """
    try:
        entry = find(app, text)
    except NotFound:
        return text, consolidate.undo(app, app.store, text)
    suggestion = entry.suggestion
    if suggestion.open:
        raise Conflict(f"Suggestion {suggestion.id} still waits.", "There is nothing to undo.")
    if by_agent(app) and not suggestion.resolved_by:
        raise Conflict(
            f"Suggestion {suggestion.id} was {suggestion.state} by a person, and {who(app)} is an "
            "agent: only a person can undo that.",
            "Ask the person you work for.",
        )
    if suggestion.state == ACCEPTED and suggestion.kind not in _ACCEPTING:
        return suggestion.id, consolidate.undo(app, entry.database, suggestion.id)
    if not suggestion.memory:
        raise Conflict(
            f"What suggestion {suggestion.id} spoke of was purged.", "It cannot be brought back."
        )
    with entry.database.write():
        suggestions.reopen(entry.database, suggestion.id)
        entry = _again(entry)
        if entry.memory is not None and not suggestion.everywhere:
            _put_back(app, entry.database, suggestion, entry.memory)
            _free(app, entry.database, entry.memory)
    return suggestion.id, "waits again"


def _proposes(suggestion: Suggestion) -> bool:
    """Whether its memory is one that waits, and not one that is in use."""
    return suggestion.kind == MEMORY and not suggestion.everywhere


def _named(entry: Entry, replacing: Sequence[str]) -> list[str]:
    """The ids of what the person names. Raises NotFound, Ambiguous, Conflict and InvalidInput."""
    replaces = _proposes(entry.suggestion) or entry.suggestion.kind == CONTRADICTION
    if replacing and not replaces:
        raise InvalidInput(
            f"A {entry.suggestion.kind} replaces nothing that has to be named.",
            "Leave out --supersede.",
        )
    found = [short_ids.find([entry.database], text)[1] for text in replacing]
    of_pair = entry.suggestion.kind == CONTRADICTION
    for one in found:
        is_its_own = one.id in (entry.suggestion.memory, entry.suggestion.other)
        if is_its_own is not of_pair:
            raise InvalidInput(
                f"Memory {one.id} is none of the two."
                if of_pair
                else "A memory cannot supersede itself.",
                "Give the id of what is to be replaced.",
            )
        if one.state != "active":
            raise Conflict(
                f"Memory {one.id} is {one.state}, so it cannot be replaced.",
                f"See `gitmem show {one.id[:12]}`.",
            )
    return [one.id for one in found]


def _refuse_keeping(entry: Entry, planned: Sequence[Effect]) -> None:
    """Raise Conflict where all that accepting would do needs a word more."""
    stays = [one.memory for one in planned if one.action == KEEP]
    if entry.suggestion.kind != CONTRADICTION or not stays:
        return
    old = stays[0]
    raise Conflict(
        f"Memory {old.id} was {acceptance.standing(old)}, and nobody stands behind the newer one.",
        f"If that is to take its place, add --supersede {old.id[:12]}; reject keeps both.",
    )


def _accept_memory(app: App, entry: Entry, planned: Sequence[Effect]) -> str:
    _resolve(app, entry, ACCEPTED)
    old = _present(entry)
    # Whom the person lets accept vouches for nothing: it keeps its mark.
    new = _in_force(old, old.trust if by_agent(app) else "accepted")
    memory_writes.revise(entry.database, old, new, at=app.now, action="accepted", agent=app.agent)
    for effect in planned:
        if effect.action == SUPERSEDE:
            supersede(app, entry.database, effect.memory, old.id, context=ACCEPTED)
    return "accepted"


def _in_force(old: Memory, trust: str) -> Memory:
    status = "accepted" if old.kind == "decision" else ""
    return replace(old, status=status, trust=trust, archived_at=None, ttl_ms=None, expires_at=None)


def _accept_everywhere(app: App, entry: Entry) -> tuple[str, tuple[Effect, ...]]:
    """Not in a transaction: two stores take part. What asked for it goes with the memory."""
    acceptance.refuse_changed(app, entry, _again(entry))
    planned = acceptance.effects(entry)
    move(app, entry.database, _present(entry), "global", "promoted")
    return "kept for every project:", planned


def _accept_stale(app: App, entry: Entry, _: Sequence[Effect]) -> str:
    _resolve(app, entry, ACCEPTED)
    old = _present(entry)
    if old.archived_at is None:
        change(app, entry.database, old, edit.archived(old, app.now), "archived")
    return "archived"


def _accept_pair(app: App, entry: Entry, _: Sequence[Effect]) -> str:
    return consolidate.accept(app, entry.database, entry.suggestion)


_ACCEPTING: dict[str, Callable[[App, Entry, Sequence[Effect]], str]] = {
    MEMORY: _accept_memory,
    STALE: _accept_stale,
}


def _put_back(app: App, database: Database, suggestion: Suggestion, old: Memory) -> None:
    """The memory as it was while it waited."""
    new = replace(old, archived_at=None)
    if suggestion.kind == MEMORY:
        trust = "" if old.trust == "accepted" else old.trust
        new = replace(new, status="proposed", trust=trust)
    if new != old:
        change(app, database, old, new, UNDONE)


def _free(app: App, database: Database, proposed: Memory) -> None:
    """Put what a proposal replaced when it was accepted back in force."""
    named = acceptance.replaces(proposed)
    for link in memories.links(database, proposed.id):
        if link.relation != "SUPERSEDES" or not (link.context == ACCEPTED or link.target in named):
            continue
        older = memories.usable(database, link.target)
        if older is not None and older.superseded_by == proposed.id:
            consolidate.free(app, database, older, proposed.id)


def _resolve(app: App, entry: Entry, state: str) -> None:
    id, agent = entry.suggestion.id, who(app)
    if _again(entry).suggestion.queued:  # it need not come up first
        suggestions.reopen(entry.database, id)
    if not suggestions.resolve(entry.database, id, state, at=app.now, agent=agent):
        raise Conflict(
            f"Suggestion {entry.suggestion.id} was decided in the meantime.", "Run `gitmem inbox`."
        )
    fill_up(entry.database)


def _refuse_resolved(entry: Entry) -> None:
    suggestion = entry.suggestion
    if not suggestion.open:
        raise Conflict(
            f"Suggestion {suggestion.id} was {suggestion.state} already.",
            f"`gitmem inbox undo {suggestion.id}` takes that back.",
        )


def _present(entry: Entry) -> Memory:
    if entry.memory is None:
        raise NotFound(
            f"The memory of suggestion {entry.suggestion.id} is gone.",
            f"`gitmem inbox reject {entry.suggestion.id}` clears it away.",
        )
    return entry.memory


def _again(entry: Entry) -> Entry:
    """The same as it is now: somebody may have worded it differently since it was looked up."""
    return _entry(
        entry.database, suggestions.get(entry.database, entry.suggestion.id) or entry.suggestion
    )


def _entry(database: Database, suggestion: Suggestion) -> Entry:
    def get(id: str) -> Memory | None:
        return memories.usable(database, id) if id else None

    return Entry(database, suggestion, get(suggestion.memory), get(suggestion.other))
