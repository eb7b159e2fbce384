"""Taking one memory into another, logged so that it can be undone (CT-11, CT-13, CT-14).

The memory taken in stays in the store as superseded; the log names both and the versions before and
after. Undoing brings both back as they were, and the pair is not merged unasked again.
"""

from gitmem.app import App
from gitmem.capture import pair_suggestions
from gitmem.capture.change import UNDONE, change, edit
from gitmem.capture.pair_suggestions import CONTRADICTION
from gitmem.capture.provenance import refuse_lift, who
from gitmem.capture.supersede import supersede
from gitmem.errors import Conflict, NotFound
from gitmem.memory import merging, trust
from gitmem.model import ids
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.model.suggestion import ACCEPTED, Consolidation, Suggestion
from gitmem.store.db.connection import Database
from gitmem.store.memory import consolidations, memories, memory_writes, suggestions

# What is noted of a memory that took the place of another, its own text unchanged.
REPLACED = "replaced"
_INBOX = "Run `gitmem inbox`."
# What an edit sets by itself.
_OWN = ("id", "version", "updated_at", "seq")


def merge(
    app: App,
    database: Database,
    target: Memory,
    source: Memory,
    similarity: float,
    *,
    strategy: str = "",
    id: str = "",
) -> Memory:
    """Take ``source`` into ``target``; the target as it is then. Both are stored. In a transaction.

    ``strategy`` is that of the settings where none is given. Raises Conflict where the result would
    be too long, an agent would change a person's word, or one of the two was replaced already.
    """
    strategy = strategy or app.settings.text("duplicates.strategy")
    joined = combined(app, target, source, strategy)
    stored = change(app, database, target, joined, "merged")
    refuse_lift(app, source, target)  # its words are the target's from now on
    supersede(app, database, source, target.id, strength=max(similarity, 0.0), context="merged")
    _log(app, database, id, stored, source, strategy, similarity, target.version)
    return stored


def combined(app: App, target: Memory, source: Memory, strategy: str = "") -> Memory:
    """What a merge would make of the target. Raises Conflict where that is too long."""
    from datetime import UTC, datetime  # noqa: PLC0415 - hardly any write merges

    strategy = strategy or app.settings.text("duplicates.strategy")
    date = datetime.fromtimestamp(source.created_at / 1000, UTC).date().isoformat()
    joined = merging.combined(target, source, strategy, date)
    limit = app.settings.number("memory.max_bytes")
    size = len(joined.content.encode())
    if size > limit:
        raise Conflict(
            f"Merged, the two would have {size:,} bytes; a memory holds at most {limit:,}.",
            "Shorten one of them with `gitmem revise`, or raise memory.max_bytes.",
        )
    return joined


def accept(app: App, database: Database, suggestion: Suggestion) -> str:
    """Do what a pair suggests; what was done, in a few words.

    Two that say the same become one; of two that contradict each other the later one takes the
    place of the earlier one. Raises Conflict and NotFound.
    """
    with database.write():
        if not suggestions.resolve(database, suggestion.id, ACCEPTED, at=app.now, agent=who(app)):
            raise Conflict(f"Suggestion {suggestion.id} does not wait any more.", _INBOX)
        one, other = (in_use(database, id) for id in (suggestion.memory, suggestion.other))
        free = consolidations.get(database, suggestion.id) is None
        id = suggestion.id if free else app.new_id()
        if suggestion.kind == CONTRADICTION:
            # The later of two takes the place of the earlier one.
            older, newer = by_age(one, other)
            supersede(app, database, older, newer.id, context=CONTRADICTION)
            _log(app, database, id, newer, older, REPLACED, suggestion.similarity, newer.version)
            return f"{newer.id} replaces {older.id}"
        target, source = target_first(one, other)
        merge(app, database, target, source, suggestion.similarity, id=id)
        return f"merged into {target.id}"


def undo(app: App, database: Database, id: str) -> str:
    """Undo a merge: both memories are again as they were; what was done, in a few words.

    ``id`` is that of the merge, of its suggestion or of either memory, or how it begins. Raises
    NotFound, and Conflict where it was undone before or a text was changed since.
    """
    with database.write():
        found = _wanted(database, id)
        target, source = (_present(database, one) for one in (found.target, found.source))
        before, after = _versions(database, target, found)
        _put_back(app, database, target, before, after)
        freed = free(app, database, source, target.id)
        consolidations.mark_undone(database, found.id, app.now)
        pair_suggestions.keep_apart(app, database, before, freed or source)
        return f"{target.id} and {source.id} are two memories again"


def free(app: App, database: Database, source: Memory, by: str) -> Memory | None:
    """Take back that a memory took the place of another; that one as it was before.

    None where it does not hold its place any more. In a transaction.
    """
    before = _before_superseded(database, source, by)
    if before is not None:
        _put_back(app, database, source, before, source)
    memory_writes.drop_link(database, by, source.id, "SUPERSEDES")
    return before


def by_age(memory: Memory, other: Memory) -> tuple[Memory, Memory]:
    """The older of two, then the newer one."""
    older, newer = sorted((memory, other), key=lambda memory: (memory.created_at, memory.id))
    return older, newer


def target_first(memory: Memory, other: Memory) -> tuple[Memory, Memory]:
    """The more trusted one takes the other in, else the older one."""
    older, newer = by_age(memory, other)
    return (newer, older) if trust.outranks(newer.tier, older.tier) else (older, newer)


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
    done = Consolidation(
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
    consolidations.add(database, done)


def in_use(database: Database, id: str) -> Memory:
    """A memory that may be merged as it is now. Raises NotFound and Conflict."""
    memory = _present(database, id)
    if memory.state not in ("active", "proposed"):
        raise Conflict(
            f"Memory {id} is {memory.state} by now.",
            "Reject the suggestion, or bring the memory back first.",
        )
    return memory


def _present(database: Database, id: str) -> Memory:
    memory = memories.get(database, id) if id else None
    if memory is None:
        raise NotFound(f"Memory {id or '(removed)'} is not there any more.", _INBOX)
    return memory


def _wanted(database: Database, text: str) -> Consolidation:
    """The merge that stands and is meant. Raises NotFound and Conflict."""
    prefix = ids.normalise(text)
    found = consolidations.named(database, prefix) if prefix else []
    if not found:
        known = consolidations.get(database, prefix) if prefix else None
        if known is not None:
            raise Conflict(f"Merge {known.id} was undone already.", "There is nothing to undo.")
        raise NotFound(f"No merge has the id {text[:40]!r}.", _INBOX)
    return found[0]


def _versions(database: Database, target: Memory, merge: Consolidation) -> tuple[Memory, Memory]:
    """The target as it was before a merge and after it. Raises Conflict and NotFound."""
    history = {one.memory.version: one.memory for one in memories.history(database, target.id)}
    known = {**history, target.version: target}
    before, after = known.get(merge.before_version), known.get(merge.after_version)
    if before is None or after is None:
        raise NotFound(
            f"The versions of {target.id} before and after the merge are not all there.",
            f"See `gitmem history {target.id[:12]}`.",
        )
    if (target.title, target.content) != (after.title, after.content):
        raise Conflict(
            f"Memory {target.id} was changed since the merge.",
            f"See `gitmem history {target.id[:12]}`, and restore what you need by hand.",
        )
    return before, after


def _before_superseded(database: Database, source: Memory, by: str) -> Memory | None:
    """The source as it was before the target took its place; None where it is free already."""
    if source.superseded_by != by:
        return None
    told = [one.memory for one in memories.history(database, source.id)]
    return next((memory for memory in reversed(told) if not memory.superseded_by), None)


def _put_back(app: App, database: Database, current: Memory, before: Memory, after: Memory) -> None:
    """Take back what an edit changed, and leave what changed since."""

    def restored(now: Memory) -> Memory:
        fields = [name for name in Memory.__slots__ if name not in _OWN]
        wanted = {
            name: getattr(before, name)
            for name in fields
            if getattr(before, name) != getattr(after, name)
            and getattr(now, name) == getattr(after, name)
        }
        return replace(now, **wanted)

    edit(app, database, current, restored, UNDONE)
