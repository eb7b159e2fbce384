"""Changing the embedding model, and downloading one."""

from gitmem.app import App
from gitmem.maintenance import embedding_model
from gitmem.maintenance.embedding_model import Pulled, Used
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, given


@dataclass(frozen=True, slots=True)
class Use:
    """Which model, and whether to compute its vectors now."""

    name: Annotated[str, given("builtin, contextual, hashed, or fastembed:<hub model or folder>")]
    no_embed: Annotated[
        bool, Arg("Leave the vectors to `gitmem index`; old ones stay until `gitmem index prune`")
    ] = False


@dataclass(frozen=True, slots=True)
class Pull:
    """Which model."""

    name: Annotated[str, given("A model as `gitmem model list` names it")]


def use(app: App, request: Use) -> Used:
    """Switch this repository to another embedding model.

    It must be on this machine. All texts are embedded again, then vectors of other models are
    dropped; vectors of two models are never compared. `gitmem index` continues an interrupted run.
    """
    return embedding_model.use(app, request.name, embed=not request.no_embed)


def pull(app: App, request: Pull) -> Pulled:
    """Download an embedding model.

    The only command that downloads one; afterwards the model needs no network. It is stored where
    the fastembed library keeps its models.
    """
    return embedding_model.pull(app, request.name)


def view_use(result: Used) -> str:
    """The model, and counts of vectors made and dropped."""
    lines = [
        f"model: {result.name} (was {result.previous}), written to {result.changed}",
        f"vectors: {result.embedded} made, {result.dropped} dropped",
    ]
    if result.waiting:
        lines.append(f"{result.waiting} texts wait for a vector: run `gitmem index`")
    return "\n".join(lines)


def view_pull(result: Pulled) -> str:
    """The downloaded model, and how to use it."""
    return (
        f"{result.name} is available on this machine: {result.dimension} dimensions, "
        f"checksum {result.checksum[:16]}\nuse it with: gitmem model use {result.name}"
    )


USE = Operation("model use", use, view_use, WRITE, "fastembed:BAAI/bge-small-en-v1.5")

PULL = Operation("model pull", pull, view_pull, WRITE, "fastembed:BAAI/bge-small-en-v1.5")
