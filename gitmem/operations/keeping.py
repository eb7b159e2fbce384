"""Storing a memory that is ready: as a new one, or by strengthening the one that says the same."""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.memory import draft, edit
from gitmem.model.anchor import Anchor
from gitmem.model.memory import Memory
from gitmem.model.value import dataclass, replace
from gitmem.operations import placing, whereabouts
from gitmem.store import anchors, elsewhere, memories, revisions
from gitmem.store.connection import Database
from gitmem.store.elsewhere import Hidden


@dataclass(frozen=True, slots=True)
class LineResult:
    """What became of one line of a batch: an id and an action, or an error."""

    line: int
    id: str
    action: str
    error: str


@dataclass(frozen=True, slots=True)
class Ground:
    """What is found out before the store is locked: anchors, notes, and who is not seen here."""

    hidden: Hidden
    anchors: Sequence[Anchor] = ()
    notes: tuple[str, ...] = ()


def ground(app: App, database: Database, memory: Memory) -> Ground:
    """The anchors for what a memory cites, and which memories belong to other branches."""
    hidden = whereabouts.hidden(app, database)
    if not memory.paths:
        return Ground(hidden)
    # Imported here: most memories cite nothing.
    from gitmem.operations import anchoring  # noqa: PLC0415

    made = anchoring.made(app, memory)
    return Ground(hidden, made.anchors, made.notes)


def keep(database: Database, prepared: draft.Prepared, app: App, ground: Ground) -> tuple[str, str]:
    """Store a prepared memory, or strengthen the one that says the same. In a transaction.

    One that says the same on another branch is not seen here, so this one is stored beside it.
    """
    known = memories.same(database, prepared.digest)
    if known is not None and elsewhere.among(database, ground.hidden, [known.id]):
        known = None
    if known is None:
        if prepared.memory.layer == "working":
            placing.make_room(app, database, prepared.memory.session)
        id = revisions.insert(database, prepared.memory, prepared.digest).id
        if ground.anchors:
            anchors.replace(database, id, ground.anchors)
        return id, "added"
    stronger = edit.reinforced(known, prepared.memory)
    if stronger != known:
        revisions.revise(
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


def _joined(database: Database, memory: Memory, made: Sequence[Anchor]) -> list[Anchor]:
    """The anchors it has and those of what it cites now too, in the order of its citations."""
    known = anchors.of(database, [memory.id]).get(memory.id, [])
    by_place = {one.cited: one for one in [*made, *known]}
    cited = [by_place[path] for path in memory.paths if path in by_place]
    return [replace(one, number=number) for number, one in enumerate(cited, 1)]
