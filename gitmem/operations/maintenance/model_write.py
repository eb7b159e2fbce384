"""Changing the embedding model, and bringing one onto this machine."""

import os
from typing import Annotated

from gitmem import settings
from gitmem.app import App
from gitmem.embedding import base, registry
from gitmem.errors import Conflict
from gitmem.indexing import text_vectors
from gitmem.indexing.text_vectors import setting_in_use
from gitmem.maintenance import settings_file
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Arg, Operation
from gitmem.store.code import vectors

SETTING = settings.BY_KEY["model"]
_HOSTED = "fastembed"


@dataclass(frozen=True, slots=True)
class Use:
    """Which model, and whether to make its vectors at once."""

    name: Annotated[
        str, Arg("builtin, hashed, or fastembed:<hub model or folder>", positional=True)
    ]
    no_embed: Annotated[
        bool,
        Arg("Let `gitmem index` make the vectors; old ones stay until `gitmem index prune`"),
    ] = False


@dataclass(frozen=True, slots=True)
class Used:
    """The model now in use: vectors made with it, vectors dropped, texts that wait for one.

    ``changed`` is the settings file that was written.
    """

    name: str
    previous: str
    identity: str
    changed: str
    embedded: int
    dropped: int
    waiting: int


@dataclass(frozen=True, slots=True)
class Pull:
    """Which model."""

    name: Annotated[str, Arg("A model as `gitmem model list` names it", positional=True)]


@dataclass(frozen=True, slots=True)
class Pulled:
    """A model that is on this machine now and gave a vector."""

    name: str
    dimension: int
    checksum: str


def use(app: App, request: Use) -> Used:
    """Switch this repository to another embedding model.

    It must be on this machine. All texts are embedded again, then vectors of other models are
    dropped; vectors of two models are never compared. `gitmem index` continues an interrupted run.
    """
    store = app.store
    name = _written(app, request.name)
    previous = setting_in_use(app)
    if previous.source == SETTING.variable and previous.value != name:
        raise Conflict(
            f"{SETTING.variable} sets the model to {previous.value} and overrides settings files.",
            f"Unset {SETTING.variable} first.",
        )
    # Before anything is written: the identity is known of a model that loads, and of no other.
    identity = base.identity(registry.open_embedder(name, cache=app.settings.model_folder or None))
    settings_file.save(app.local_config_file, SETTING.key, name)
    app.settings.add_file(app.local_config_file, "store")
    embedded = dropped = 0
    if not request.no_embed:
        embedded = text_vectors.embed_missing(app, store, app.progress)
        with store.write():
            dropped = vectors.drop_unused(store, identity)
    return Used(
        name=name,
        previous=str(previous.value),
        identity=identity,
        changed=app.local_config_file,
        embedded=embedded,
        dropped=dropped,
        waiting=vectors.count_missing(store, identity),
    )


def pull(app: App, request: Pull) -> Pulled:
    """Download an embedding model.

    The only command that downloads one; afterwards the model needs no network. It is stored where
    the fastembed library keeps its models.
    """
    name = _written(app, request.name)
    embedder = registry.open_embedder(
        name, allow_download=True, cache=app.settings.model_folder or None
    )
    # A vector is the proof that what came is whole.
    embedder.embed(["x"])
    return Pulled(name, embedder.dimension, embedder.checksum)


def _written(app: App, name: str) -> str:
    """The name as it is kept: a folder in full, to mean the same wherever gitmem is run."""
    settings.parse(SETTING, name, "the name")
    provider, _, model = name.partition(":")
    folder = os.path.join(app.start, os.path.expanduser(model))
    if provider == _HOSTED and os.path.isfile(os.path.join(folder, "tokenizer.json")):
        name = f"{_HOSTED}:{os.path.abspath(folder)}"
    return str(settings.parse(SETTING, name, "the name"))


def view_use(result: Used) -> str:
    """The model, and what became of the vectors."""
    lines = [
        f"model: {result.name} (was {result.previous}), written to {result.changed}",
        f"vectors: {result.embedded} made, {result.dropped} dropped",
    ]
    if result.waiting:
        lines.append(f"{result.waiting} texts wait for a vector: run `gitmem index`")
    return "\n".join(lines)


def view_pull(result: Pulled) -> str:
    """That it is there, and how to use it."""
    return (
        f"{result.name} is available on this machine: {result.dimension} dimensions, "
        f"checksum {result.checksum[:16]}\nuse it with: gitmem model use {result.name}"
    )


USE = Operation(
    name="model use",
    request=Use,
    run=use,
    view=view_use,
    effect=WRITE,
    example="gitmem model use fastembed:BAAI/bge-small-en-v1.5",
)

PULL = Operation(
    name="model pull",
    request=Pull,
    run=pull,
    view=view_pull,
    effect=WRITE,
    example="gitmem model pull fastembed:BAAI/bge-small-en-v1.5",
)
