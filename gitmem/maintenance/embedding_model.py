"""Showing, changing and downloading the embedding model of a repository."""

import os

from gitmem import setting_table
from gitmem.app import App
from gitmem.capture.provenance import require_person
from gitmem.embedding import base, registry
from gitmem.errors import Conflict, GitmemError, InvalidInput, Unavailable
from gitmem.indexing import contextual_vectors, text_vectors
from gitmem.indexing.text_vectors import SETTING, embedding_model_setting
from gitmem.maintenance import settings_file
from gitmem.model.frozen import dataclass
from gitmem.store.code import vectors

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.embedding.base import Embedder

_HOSTED = "fastembed"


@dataclass(frozen=True, slots=True)
class StoredVectorCount:
    """How many vectors of the embedding model ``identity`` are stored, and whether it is in use."""

    identity: str
    vectors: int
    in_use: bool


@dataclass(frozen=True, slots=True)
class EmbeddingModelState:
    """The embedding model in use, whether it loads, and how many vectors are stored.

    ``source`` says which file or variable sets it. ``error`` and ``hint`` say why it does not load,
    then its details are empty. ``waiting`` counts texts without a vector, ``contextual`` is a
    sentence on the second, slower model (empty: not used).
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
    stored: tuple[StoredVectorCount, ...]
    waiting: int | None
    contextual: str = ""


@dataclass(frozen=True, slots=True)
class EmbeddingModelSwitch:
    """The embedding model in use from now on, and the previous one.

    ``changed`` is the settings file written. ``embedded`` vectors were made, ``dropped`` ones of
    other models removed; ``waiting`` texts have no vector yet.
    """

    name: str
    previous: str
    identity: str
    changed: str
    embedded: int
    dropped: int
    waiting: int


@dataclass(frozen=True, slots=True)
class DownloadedModel:
    """An embedding model that was downloaded and works: its vectors' length and its checksum."""

    name: str
    dimension: int
    checksum: str


def describe_embedding_model(app: App) -> EmbeddingModelState:
    """Return which embedding model is in use, whether it loads, and how many vectors are stored."""
    store = app.store
    used = embedding_model_setting(app)
    failure: GitmemError | None = None
    provider, dimension, checksum, identity, waiting, contextual = "", None, "", "", None, ""
    in_use: list[str] = []
    try:
        embedder = text_vectors.configured_embedder(app)
        # Asking for the identity loads the model.
        identity, provider = base.model_identity(embedder), embedder.provider
        dimension, checksum = embedder.dimension, embedder.checksum
        waiting = vectors.count_texts_without_vector(store, identity)
        in_use = contextual_vectors.model_identities_in_use(app)
        contextual = contextual_vectors.describe_contextual_model(app, store)
    except GitmemError as error:
        failure = error
    return EmbeddingModelState(
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
            StoredVectorCount(model, count, model in in_use)
            for model, count in vectors.vector_counts_by_model(store).items()
        ),
        waiting=waiting,
        contextual=contextual,
    )


def switch_embedding_model(app: App, name: str, *, embed_now: bool) -> EmbeddingModelSwitch:
    """Use the embedding model ``name`` from now on; return what was changed.

    ``embed_now`` makes its vectors and drops those of others. Raises Conflict if an environment
    variable sets the model, or if an agent chooses one on a server; Unavailable if nobody agreed
    that texts are sent there, or if it cannot be loaded; InvalidInput for an unknown name.
    """
    store = app.store
    name = _canonical(app, name)
    previous = embedding_model_setting(app)
    if previous.source == SETTING.environment_variable and previous.value != name:
        raise Conflict(
            f"{SETTING.environment_variable} sets the model to {previous.value} and overrides "
            "settings files.",
            f"Unset {SETTING.environment_variable} first.",
        )
    # Before anything is written: only a model that loads has an identity.
    identity = base.model_identity(_openable(app, name))
    changed = settings_file.save_and_apply_setting(app, SETTING.key, name)
    embedded = dropped = 0
    if embed_now:
        embedded = text_vectors.embed_missing_texts(app, store, app.progress)
        embedded += text_vectors.embed_exchanges(app, store, app.progress)
        with store.write():
            dropped = vectors.delete_unused_vectors(
                store, contextual_vectors.model_identities_in_use(app)
            )
    return EmbeddingModelSwitch(
        name=name,
        previous=str(previous.value),
        identity=identity,
        changed=changed,
        embedded=embedded,
        dropped=dropped,
        waiting=vectors.count_texts_without_vector(store, identity),
    )


def download_embedding_model(app: App, name: str) -> DownloadedModel:
    """Download an embedding model, check that it works, and return it.

    Raises InvalidInput for a model that runs on a server, Unavailable if the download fails.
    """
    name = _canonical(app, name)
    if registry.is_remote_model(name):
        raise InvalidInput(
            f"The model {name} runs on a server, so nothing can be downloaded.",
            f"Use it: gitmem model use {name}",
        )
    embedder = registry.open_embedder(
        name, allow_download=True, cache_folder=app.settings.model_folder or None
    )
    embedder.embed(["x"])  # raises where the download is not complete
    return DownloadedModel(name, embedder.dimension, embedder.checksum)


def _openable(app: App, name: str) -> "Embedder":
    if not registry.is_remote_model(name):
        return registry.open_embedder(name, cache_folder=app.settings.model_folder or None)
    from gitmem.indexing import endpoint_model  # noqa: PLC0415 - few use one
    from gitmem.maintenance import endpoint_consent  # noqa: PLC0415 - as above

    require_person(app, "choose a model to which texts are sent")
    address = endpoint_model.endpoint_address(app, name)
    if why := endpoint_consent.why_sending_is_refused(app, endpoint_model.SETTING, address):
        raise Unavailable(why)
    return endpoint_model.cached_endpoint_model(app, name, allow_long_wait=True)


def _canonical(app: App, name: str) -> str:
    """The name as stored; a folder becomes absolute, so that the current folder does not matter."""
    setting_table.parse_setting_value(SETTING, name, "the name")
    provider, _, model = name.partition(":")
    folder = os.path.join(app.start, os.path.expanduser(model))
    if provider == _HOSTED and os.path.isfile(os.path.join(folder, "tokenizer.json")):
        name = f"{_HOSTED}:{os.path.abspath(folder)}"
    return str(setting_table.parse_setting_value(SETTING, name, "the name"))
