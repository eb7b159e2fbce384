"""Moving memories between layers: the id stays, and so does the history."""

from gitmem.app import App
from gitmem.capture.change import edit_memory
from gitmem.capture.edit_each import apply_to_each_id_prefix
from gitmem.capture.move_store import change_layer, finish_interrupted_moves, move_between_stores
from gitmem.capture.proposals import suggest_global_visibility
from gitmem.capture.provenance import check_may_be_global, check_may_change, is_agent
from gitmem.errors import Conflict
from gitmem.memory import lifecycle
from gitmem.memory.layer_router import LAYERS
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation
from gitmem.store.memory import short_ids


@dataclass(frozen=True, slots=True)
class MoveToLayerRequest:
    """Arguments of `gitmem promote`: ids of memories, and the layer (how long and where they hold).

    ``to`` is project, global or working (one session); empty is the next layer up.
    """

    id: shared.Ids
    to: Annotated[
        str, Arg("The layer (default: the next one up)", choices=("project", "global", "working"))
    ] = ""


@dataclass(frozen=True, slots=True)
class MovedMemory:
    """What became of a memory to be moved to another layer: working, project or global.

    ``action`` is promoted, demoted, unchanged or proposed. ``proposed``: the move waits in the
    inbox for a person. ``layer`` is where the memory is now; ``error`` says why it could not be
    moved, empty otherwise.
    """

    id: str
    action: str
    layer: str
    error: str


@dataclass(frozen=True, slots=True)
class MoveToLayerResult:
    """What became of each memory that was to be moved to another layer, and how many failed."""

    items: tuple[MovedMemory, ...]
    failed: int


def move_memories_to_layer(app: App, request: MoveToLayerRequest) -> MoveToLayerResult:
    """Move memories to another layer: working, project or global.

    Id and history are kept. A promoted memory no longer expires; a memory moved to the working
    layer is archived after an hour (working.ttl_minutes). Only a person moves memories to the
    global layer: what an agent moves there waits in the inbox. Links between a project memory and a
    global one are set aside, and restored once both are in the same layer.
    """
    finish_interrupted_moves(app)
    items = apply_to_each_id_prefix(
        request.id,
        lambda text: _promote(app, text, request.to),
        lambda text, error: MovedMemory(text, "", "", error),
    )
    return MoveToLayerResult(items, sum(1 for item in items if item.error))


def _promote(app: App, text: str, to: str) -> MovedMemory:
    database, memory = short_ids.find_memory(app.stores(), text)
    if memory.state in ("archived", "superseded"):
        raise Conflict(
            f"Memory {memory.id} is {memory.state}, so it cannot be moved.",
            f"`gitmem restore {memory.id[:12]}` brings it back."
            if memory.state == "archived"
            else f"See `gitmem show {memory.id[:12]}` for what replaced it.",
        )
    layer = to or _next_layer(memory)
    new = change_layer(app, memory, layer)
    if new == memory:
        return MovedMemory(memory.id, "unchanged", layer, "")
    before = memory.layer or memory.scope
    action = "demoted" if LAYERS.index(layer) < LAYERS.index(before) else "promoted"
    if new.scope == memory.scope:
        with database.write():
            edit_memory(app, database, memory, lambda now: change_layer(app, now, layer), action)
    elif layer == "global" and is_agent(app):
        check_may_change(app, memory)
        check_may_be_global(app, memory, person_will_decide=True)
        with database.write():
            suggest_global_visibility(app, database, memory)
        return MovedMemory(memory.id, "proposed", before, "")
    else:
        move_between_stores(app, database, memory, layer, action)
    return MovedMemory(memory.id, action, layer, "")


def _next_layer(memory: Memory) -> str:
    if memory.scope == "global":
        raise Conflict(
            f"Memory {memory.id} is global already.",
            "To move it back to the project: --to project.",
        )
    # A memory that expires is first made permanent in the project.
    ends = memory.layer == "working" or lifecycle.is_expiry_postponed_by_use(memory)
    return "project" if ends else "global"


def view(result: MoveToLayerResult) -> str:
    """Return the text to print: a line for each memory and the layer where it is now."""
    return "\n".join(
        item.error
        or f"{item.action} {item.id}, now in the {item.layer} layer"
        + "; it waits in the inbox for a person" * (item.action == "proposed")
        for item in result.items
    )


PROMOTE = Operation(
    "promote", move_memories_to_layer, view, WRITE, "01M6ZK3P --to global", tool="promote"
)
