"""Embedding models: which there are, which is in use, and changing it."""

import os
from contextlib import suppress
from typing import Annotated

from gitmem import settings
from gitmem.app import App
from gitmem.embedding import base, registry
from gitmem.errors import Conflict, GitmemError, NotARepository
from gitmem.model.value import dataclass
from gitmem.operations import config, meaning
from gitmem.operations.registry import READ, WRITE, Arg, Operation
from gitmem.store import vectors

SETTING = settings.BY_KEY["model"]
_HOSTED = "fastembed"


@dataclass(frozen=True, slots=True)
class List:
    """Nothing to choose."""


@dataclass(frozen=True, slots=True)
class ModelItem:
    """One model: what to write to name it, its dimension (0 where that is not known yet)."""

    name: str
    dimension: int
    about: str
    in_use: bool


@dataclass(frozen=True, slots=True)
class Listed:
    """The models that can be named; ``fastembed`` says whether that library is installed."""

    models: tuple[ModelItem, ...]
    fastembed: bool


@dataclass(frozen=True, slots=True)
class Status:
    """Nothing to choose."""


@dataclass(frozen=True, slots=True)
class Stored:
    """How many vectors the store has under the identity of one model."""

    identity: str
    vectors: int
    in_use: bool


@dataclass(frozen=True, slots=True)
class State:
    """The model in use. Where it does not load: ``error``, ``hint``, and what only it knows empty.

    ``source`` is where the setting came from; ``waiting`` counts texts without a vector.
    """

    name: str
    source: str
    loads: bool
    error: str
    hint: str
    provider: str
    dimension: int | None
    checksum: str
    identity: str
    stored: tuple[Stored, ...]
    waiting: int | None


@dataclass(frozen=True, slots=True)
class Use:
    """Which model, and whether to make its vectors at once."""

    name: Annotated[
        str, Arg("builtin, hashed, or fastembed:<hub model or folder>.", positional=True)
    ]
    no_embed: Annotated[
        bool,
        Arg("Leave the vectors to `gitmem index`; old ones stay until `gitmem index prune`."),
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

    name: Annotated[str, Arg("A model as `gitmem model list` names it.", positional=True)]


@dataclass(frozen=True, slots=True)
class Pulled:
    """A model that is on this machine now and gave a vector."""

    name: str
    dimension: int
    checksum: str


def list_models(app: App, request: List) -> Listed:  # noqa: ARG001 - every operation has a request
    """List the embedding models that can be used.

    Those of the fastembed library are downloaded by `gitmem model pull` and by nothing else.
    """
    used = _setting(app).value
    models = [
        ModelItem(one.name, one.dimension, one.about, one.name == used) for one in registry.known()
    ]
    hosted = any(one.name.startswith(f"{_HOSTED}:") for one in models)
    if not any(one.in_use for one in models):
        models.append(ModelItem(str(used), 0, "from the settings", True))
    return Listed(tuple(models), hosted)


def status(app: App, request: Status) -> State:  # noqa: ARG001 - as above
    """Show the embedding model in use and its vectors."""
    store = app.store
    used = _setting(app)
    failure: GitmemError | None = None
    provider, dimension, checksum, identity, waiting = "", None, "", "", None
    try:
        embedder = meaning.model(app)
        # The first look at the identity loads a model that is not loaded yet.
        identity, provider = base.identity(embedder), embedder.provider
        dimension, checksum = embedder.dimension, embedder.checksum
        waiting = vectors.count_missing(store, identity)
    except GitmemError as error:
        failure = error
    return State(
        name=str(used.value),
        source=used.source,
        loads=failure is None,
        error=failure.message if failure else "",
        hint=failure.hint if failure else "",
        provider=provider,
        dimension=dimension,
        checksum=checksum,
        identity=identity,
        stored=tuple(
            Stored(one, count, one == identity) for one, count in vectors.models(store).items()
        ),
        waiting=waiting,
    )


def use(app: App, request: Use) -> Used:
    """Use another embedding model in this repository.

    It must be on this machine. All texts get vectors by it, then those of other models are dropped;
    vectors of two models are never compared. A run that is stopped goes on with `gitmem index`.
    """
    store = app.store
    name = _written(app, request.name)
    previous = _setting(app)
    if previous.source == SETTING.variable and previous.value != name:
        raise Conflict(
            f"{SETTING.variable} sets the model to {previous.value}, over any settings file.",
            f"Unset {SETTING.variable} first.",
        )
    # Before anything is written: the identity is known of a model that loads, and of no other.
    identity = base.identity(registry.open_embedder(name, cache=app.settings.model_folder or None))
    config.save(app.local_config_file, SETTING.key, name)
    app.settings.add_file(app.local_config_file, "store")
    embedded = dropped = 0
    if not request.no_embed:
        embedded = meaning.embed_missing(app, store, app.progress)
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

    The only command that does; afterwards the model needs no network. It goes to where the
    fastembed library keeps its models.
    """
    name = _written(app, request.name)
    embedder = registry.open_embedder(
        name, allow_download=True, cache=app.settings.model_folder or None
    )
    # A vector is the proof that what came is whole.
    embedder.embed(["x"])
    return Pulled(name, embedder.dimension, embedder.checksum)


def _setting(app: App) -> settings.Found:
    """The model that the settings name, in a repository or outside."""
    with suppress(NotARepository):
        app.layout  # noqa: B018 - its settings files are read on the way
    return next(one for one in app.settings.found() if one.setting.key == SETTING.key)


def _written(app: App, name: str) -> str:
    """The name as it is kept: a folder in full, to mean the same wherever gitmem is run."""
    settings.parse(SETTING, name, "the name")
    provider, _, model = name.partition(":")
    folder = os.path.join(app.start, os.path.expanduser(model))
    if provider == _HOSTED and os.path.isfile(os.path.join(folder, "tokenizer.json")):
        name = f"{_HOSTED}:{os.path.abspath(folder)}"
    return str(settings.parse(SETTING, name, "the name"))


def view_list(result: Listed) -> str:
    """A line for each model, a star before the one in use."""
    width = max(len(one.name) for one in result.models)
    lines = [
        f"{'*' if one.in_use else ' '} {one.name:<{width}}  {one.dimension or '':>4}  {one.about}"
        for one in result.models
    ]
    if not result.fastembed:
        lines.append("More with the package fastembed: pip install fastembed")
    return "\n".join(lines)


def view_status(result: State) -> str:
    """The model, then its vectors and those of others."""
    rows = [
        ("model", f"{result.name}  ({result.source})"),
        ("loads", "yes" if result.loads else f"no: {result.error} {result.hint}".rstrip()),
        ("provider", result.provider),
        ("dimension", str(result.dimension or "")),
        ("checksum", result.checksum),
    ]
    for one in result.stored or (Stored(result.identity, 0, True),):
        other = "  (another model's, not searched)" if result.loads and not one.in_use else ""
        rows.append(("vectors", f"{one.vectors}  {one.identity}{other}"))
    if result.waiting:
        rows.append(("waiting", f"{result.waiting} texts: run `gitmem index`"))
    return "\n".join(f"{name:>11}  {value}" for name, value in rows if value)


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
        f"{result.name} is on this machine: {result.dimension} dimensions, "
        f"checksum {result.checksum[:16]}\nuse it with: gitmem model use {result.name}"
    )


LIST = Operation(
    name="model list",
    request=List,
    run=list_models,
    view=view_list,
    effect=READ,
    example="gitmem model list",
)

STATUS = Operation(
    name="model status",
    request=Status,
    run=status,
    view=view_status,
    effect=READ,
    example="gitmem model status",
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
