"""Moving memories between layers: the id stays, and so does the history."""

from contextlib import suppress
from typing import Annotated

from gitmem.app import App
from gitmem.errors import Conflict, GitmemError
from gitmem.memory import draft, lifecycle
from gitmem.memory.route import LAYERS
from gitmem.model.memory import Memory
from gitmem.model.value import dataclass
from gitmem.operations.registry import WRITE, Arg, Operation
from gitmem.operations.revise import change
from gitmem.store import lookup, memories, moving
from gitmem.store.connection import Database

TRIES = 5


@dataclass(frozen=True, slots=True)
class Promote:
    """Which memories, and where to."""

    id: Annotated[tuple[str, ...], Arg("Ids or beginnings of ids.", positional=True)]
    to: Annotated[
        str,
        Arg("The layer; the next one up if not given.", choices=("project", "global", "working")),
    ] = ""


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of one memory: ``action`` is ``promoted``, ``demoted`` or ``unchanged``.

    ``layer`` is where it is now; an ``error`` says why it could not be moved.
    """

    id: str
    action: str
    layer: str
    error: str


@dataclass(frozen=True, slots=True)
class Promoted:
    """What became of each memory asked for."""

    items: tuple[Moved, ...]
    failed: int


def promote(app: App, request: Promote) -> Promoted:
    """Move memories to another layer: session, project, global.

    The id and the history stay. What is promoted has no end any more; what goes to the working
    layer is archived after an hour (working.ttl_minutes). Links between a project's memory and a
    global one are noted, and are links again when both are in one layer.
    """
    finish_moves(app)
    results = []
    for text in request.id:
        try:
            results.append(_promote(app, text, request.to))
        except GitmemError as error:
            if len(request.id) == 1:
                raise
            results.append(Moved(text, "", "", error.message))
    return Promoted(tuple(results), sum(1 for one in results if one.error))


def _promote(app: App, text: str, wanted: str) -> Moved:
    database, memory = lookup.find(app.stores(), text)
    if memory.state in ("archived", "superseded"):
        raise Conflict(
            f"Memory {memory.id} is {memory.state}.",
            f"`gitmem restore {memory.id[:12]}` brings it back."
            if memory.state == "archived"
            else f"See `gitmem show {memory.id[:12]}` for what took its place.",
        )
    layer = wanted or _next(memory)
    new = _placed(app, memory, layer)
    if new == memory:
        return Moved(memory.id, "unchanged", layer, "")
    before = memory.layer or memory.scope
    action = "demoted" if LAYERS.index(layer) < LAYERS.index(before) else "promoted"
    if new.scope == memory.scope:
        with database.write():
            current = memories.get(database, memory.id) or memory
            change(app, database, current, _placed(app, current, layer), action)
    else:
        _move(app, database, memory, layer, action)
    return Moved(memory.id, action, layer, "")


def _next(memory: Memory) -> str:
    if memory.scope == "global":
        raise Conflict(
            f"Memory {memory.id} is global already.", "Give --to project to take it back."
        )
    # What ends by itself belongs to the project only for a while: first it is to stay.
    ends = memory.layer == "working" or lifecycle.stretches(memory)
    return "project" if ends else "global"


def _placed(app: App, memory: Memory, layer: str) -> Memory:
    minutes = app.settings.number("working.ttl_minutes")
    project = app.identity.key if layer != "global" else ""
    return lifecycle.placed(
        memory, layer, project=project, now=app.now, working_ms=minutes * 60_000
    )


def _move(app: App, source: Database, memory: Memory, layer: str, action: str) -> None:
    target = app.store_for("global" if layer == "global" else "project")
    with app.store.write():
        moving.note(app.store, memory.id, source.scope)
    try:
        _carry(app, source, target, memory.id, layer, action)
    finally:
        # Where it stands in both, the note has to stay: the next one takes the last step.
        if not (memories.get(source, memory.id) and memories.get(target, memory.id)):
            with app.store.write():
                moving.settle(app.store, memory.id)


def _carry(app: App, source: Database, target: Database, id: str, layer: str, action: str) -> None:
    """Copy, then take out; where it was edited in between, copy again."""
    for _ in range(TRIES):
        old = memories.get(source, id)
        if old is None:
            return
        with target.write():
            _copy(app, source, target, old, layer, action)
        with source.write():
            if memories.get(source, id) == old:
                moving.take_out(source, old)
                return
    raise Conflict(f"Memory {id} is being edited by somebody else.", "Run the command again.")


def _copy(
    app: App, source: Database, target: Database, old: Memory, layer: str, action: str
) -> None:
    new = _placed(app, old, layer)
    digest = draft.digest(new)
    there = memories.get(target, old.id)
    if there is not None:
        if there.version > old.version:
            return
        moving.take_out(target, there)
    else:
        same = memories.same(target, digest)
        if same is not None:
            raise Conflict(
                f"Memory {same.id} says the same there.", f"`gitmem forget {old.id[:12]}` instead."
            )
    moving.copy_in(target, source, old, new, digest, at=app.now, action=action, agent=app.agent)


def finish_moves(app: App) -> int:
    """Take the last step of moves that were interrupted; how many there were."""
    waiting = moving.pending(app.store)
    done = 0
    for id, origin in waiting.items():
        shared = app.global_store()
        if shared is None or app.store.read_only or shared.read_only:
            break
        source, target = (shared, app.store) if origin == "global" else (app.store, shared)
        # One that cannot be finished now waits for the next time, and the others do not.
        with suppress(GitmemError):
            _finish(app, source, target, id)
            done += 1
    return done


def _finish(app: App, source: Database, target: Database, id: str) -> None:
    arrived = memories.get(target, id)
    if arrived is not None:
        layer = arrived.layer or arrived.scope
        _carry(app, source, target, id, layer, "promoted" if layer == "global" else "demoted")
    with app.store.write():
        moving.settle(app.store, id)


def view(result: Promoted) -> str:
    """A line for each memory."""
    return "\n".join(
        one.error or f"{one.action} {one.id}, it is in the {one.layer} layer"
        for one in result.items
    )


PROMOTE = Operation(
    name="promote",
    request=Promote,
    run=promote,
    view=view,
    effect=WRITE,
    example="gitmem promote 01M6ZK3P --to global",
    tool="promote",
    failures=lambda result: result.failed,
)
