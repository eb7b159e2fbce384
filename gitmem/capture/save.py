"""Storing a memory that is ready: as a new one, or by strengthening the one that says the same."""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.branches import visible_here
from gitmem.capture import layer_choice, near_duplicates
from gitmem.capture.near_duplicates import Near
from gitmem.memory import draft, edit
from gitmem.model.anchor import Anchor
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, branch_visibility, memories, memory_writes
from gitmem.store.memory.branch_visibility import Hidden


@dataclass(frozen=True, slots=True)
class LineResult:
    """What became of one line of a batch: an id and an action, or an error.

    ``duplicate_of`` is the memory that says nearly the same, with the cosine of the two.
    """

    line: int
    id: str
    action: str
    error: str
    duplicate_of: str = ""
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Ground:
    """What is found out before the store is locked: anchors, notes, and who is not seen here.

    ``near`` is what comes nearest to saying the same, if that was looked for, and ``mode`` what to
    do about it: skip, merge or allow.
    """

    hidden: Hidden
    anchors: Sequence[Anchor] = ()
    notes: tuple[str, ...] = ()
    near: Near | None = None
    mode: str = ""


def ground(app: App, database: Database, memory: Memory, mode: str = "") -> Ground:
    """The anchors for what a memory cites, and which memories belong to other branches.

    With a ``mode`` also what says nearly the same. Raises InvalidInput for a mode that is none.
    """
    hidden = visible_here.hidden(app, database)
    near = None
    if mode:
        near_duplicates.check(mode)
        near = near_duplicates.near(app, database, memory, hidden)
    if not memory.paths:
        return Ground(hidden, near=near, mode=mode)
    # Imported here: most memories cite nothing.
    from gitmem.freshness import anchoring  # noqa: PLC0415

    made = anchoring.made(app, memory)
    return Ground(hidden, made.anchors, made.notes, near, mode)


def keep(database: Database, prepared: draft.Prepared, app: App, ground: Ground) -> tuple[str, str]:
    """Store a prepared memory, or strengthen the one that says the same. In a transaction.

    One that says the same on another branch is not seen here, so this one is stored beside it.
    """
    known = memories.same(database, prepared.digest)
    if known is not None and branch_visibility.among(database, ground.hidden, [known.id]):
        known = None
    if known is None:
        return _keep_new(database, prepared, app, ground)
    stronger = edit.reinforced(known, prepared.memory)
    if stronger != known:
        memory_writes.revise(
            database,
            known,
            stronger,
            prepared.digest,
            at=app.now,
            action="reinforced",
            agent=app.agent,
        )
        if stronger.paths != known.paths:
            anchors.replace(database, known.id, _joined(database, stronger, ground.anchors))
    return known.id, "reinforced"


def _keep_new(
    database: Database, prepared: draft.Prepared, app: App, ground: Ground
) -> tuple[str, str]:
    """Store what nobody said word for word, unless another memory says the same."""
    memory, near = prepared.memory, ground.near
    done = near and near_duplicates.instead(app, database, memory, near, ground.mode)
    if done:
        old, joined, action = done
        if joined.paths != old.paths:
            anchors.replace(database, old.id, _joined(database, joined, ground.anchors))
        return old.id, action
    if memory.layer == "working":
        layer_choice.make_room(app, database, memory.session)
    memory = near_duplicates.annotated(memory, near, ground.mode)
    id = memory_writes.insert(database, memory, prepared.digest).id
    if ground.anchors:
        anchors.replace(database, id, ground.anchors)
    return id, "added"


def _joined(database: Database, memory: Memory, made: Sequence[Anchor]) -> list[Anchor]:
    """The anchors it has and those of what it cites now too, in the order of its citations."""
    known = anchors.of(database, [memory.id]).get(memory.id, [])
    by_place = {one.cited: one for one in [*made, *known]}
    cited = [by_place[path] for path in memory.paths if path in by_place]
    return [replace(one, number=number) for number, one in enumerate(cited, 1)]
