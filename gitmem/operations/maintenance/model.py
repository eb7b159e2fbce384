"""Embedding models: listing, choosing, downloading and tuning them; and the reranker."""

from gitmem.app import App
from gitmem.embedding import registry
from gitmem.errors import InvalidInput
from gitmem.indexing.text_vectors import embedding_model_setting
from gitmem.maintenance import embedding_model, model_tuning, reranker_choice
from gitmem.maintenance.embedding_model import (
    DownloadedModel,
    EmbeddingModelState,
    EmbeddingModelSwitch,
    StoredVectorCount,
)
from gitmem.maintenance.model_tuning import ModelTuningResult
from gitmem.maintenance.reranker_choice import ChosenReranker
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import (
    READ,
    WRITE,
    Annotated,
    Arg,
    EmptyRequest,
    Operation,
    positional_arg,
)
from gitmem.setting_aliases import translate_model_name

_HOSTED = "fastembed"


@dataclass(frozen=True, slots=True)
class ModelItem:
    """An embedding model: its name, and the dimension of its vectors (0 if not known yet)."""

    name: str
    dimension: int
    about: str
    in_use: bool


@dataclass(frozen=True, slots=True)
class ModelList:
    """The models of the list; ``fastembed`` says whether the library of that name is installed."""

    models: tuple[ModelItem, ...]
    fastembed: bool


def list_models(app: App, _request: EmptyRequest) -> ModelList:
    """List the available embedding models.

    Models of the fastembed library are downloaded only by `gitmem model pull`. Those of a server
    are not listed: name them ollama:NAME or openai:NAME.
    """
    used = embedding_model_setting(app).value
    models = [
        ModelItem(model.name, model.dimension, model.about, model.name == used)
        for model in registry.known_models()
    ]
    hosted = any(model.name.startswith(f"{_HOSTED}:") for model in models)
    if not any(model.in_use for model in models):
        models.append(ModelItem(str(used), 0, "from the settings", True))
    return ModelList(tuple(models), hosted)


def model_status(app: App, _request: EmptyRequest) -> EmbeddingModelState:
    """Show the embedding model in use and its vectors.

    The result counts the texts that have a vector of this model, and those of other models.
    """
    return embedding_model.describe_embedding_model(app)


def view_list(result: ModelList) -> str:
    """Return the text to print: a line for each model, with a star before the one in use."""
    width = max(len(model.name) for model in result.models)
    lines = [
        f"{'*' if model.in_use else ' '} {model.name:<{width}}  "
        f"{model.dimension or '':>4}  {model.about}"
        for model in result.models
    ]
    if not result.fastembed:
        lines.append("For more models, install fastembed: pip install fastembed")
    return "\n".join(lines)


def view_status(result: EmbeddingModelState) -> str:
    """Return the text to print: the model in use, and how many vectors each model has."""
    rows = [
        ("model", f"{result.name}  ({result.source})"),
        ("loads", "yes" if result.loads else f"no: {result.error} {result.hint}".rstrip()),
        ("provider", result.provider),
        ("dimension", str(result.dimension or "")),
        ("checksum", result.checksum),
    ]
    for vectors in result.stored or (StoredVectorCount(result.identity, 0, True),):
        other = "  (of another model, not searched)" if result.loads and not vectors.in_use else ""
        rows.append(("vectors", f"{vectors.vectors}  {vectors.identity}{other}"))
    rows.append(("contextual", result.contextual))
    if result.waiting:
        rows.append(("waiting", f"{result.waiting} texts: run `gitmem index`"))
    return "\n".join(f"{name:>11}  {value}" for name, value in rows if value)


LIST = Operation("model list", list_models, view_list, READ)

STATUS = Operation("model status", model_status, view_status, READ)


@dataclass(frozen=True, slots=True)
class UseModelRequest:
    """Arguments of `gitmem model use`: an embedding model; ``no_embed``: compute no vectors now."""

    name: Annotated[
        str,
        positional_arg(
            "builtin, contextual, hashed, fastembed:<hub model or folder>, or ollama:<name> or "
            "openai:<name> at the address in embedding.endpoint"
        ),
    ]
    no_embed: Annotated[
        bool, Arg("Leave the vectors to `gitmem index`; old ones stay until `gitmem index prune`")
    ] = False


@dataclass(frozen=True, slots=True)
class PullModelRequest:
    """Arguments of `gitmem model pull`: the name of the embedding model to download."""

    name: Annotated[str, positional_arg("A model as `gitmem model list` names it")]


def use_model(app: App, request: UseModelRequest) -> EmbeddingModelSwitch:
    """Switch this repository to another embedding model.

    The model must be on this machine, at a server that Ollama runs (ollama:NAME), or at a server
    that speaks OpenAI's embeddings API (openai:NAME). Texts are sent to a server redacted and,
    unless it is on this machine, only after you agreed. All texts are embedded again, then vectors
    of other models are dropped; vectors of two models are never compared. `gitmem index` continues
    an interrupted run.
    """
    return embedding_model.switch_embedding_model(
        app, translate_model_name(request.name), embed_now=not request.no_embed
    )


def pull_model(app: App, request: PullModelRequest) -> DownloadedModel:
    """Download an embedding model.

    No other command downloads an embedding model; afterwards the model needs no network. It is
    stored where the fastembed library keeps its models.
    """
    return embedding_model.download_embedding_model(app, translate_model_name(request.name))


def view_use(result: EmbeddingModelSwitch) -> str:
    """Return the text to print: the model now in use, and counts of vectors made and dropped."""
    lines = [
        f"model: {result.name} (was {result.previous}), written to {result.changed}",
        f"vectors: {result.embedded} made, {result.dropped} dropped",
    ]
    if result.waiting:
        lines.append(f"{result.waiting} texts wait for a vector: run `gitmem index`")
    return "\n".join(lines)


def view_pull(result: DownloadedModel) -> str:
    """Return the text to print: the downloaded model, and how to use it."""
    return (
        f"{result.name} is available on this machine: {result.dimension} dimensions, "
        f"checksum {result.checksum[:16]}\nuse it with: gitmem model use {result.name}"
    )


USE = Operation("model use", use_model, view_use, WRITE, "fastembed:BAAI/bge-small-en-v1.5")

PULL = Operation("model pull", pull_model, view_pull, WRITE, "fastembed:BAAI/bge-small-en-v1.5")


@dataclass(frozen=True, slots=True)
class ChooseRerankerRequest:
    """Arguments of `gitmem model rerank`: fastembed:NAME or off; ``pull`` downloads it first."""

    name: Annotated[str, positional_arg("fastembed:<cross-encoder or folder>, or off")]
    pull: Annotated[bool, Arg("Download it first, if it is not here")] = False


def choose_reranker(app: App, request: ChooseRerankerRequest) -> ChosenReranker:
    """Have a cross-encoder read the best hits of a search.

    It reads the question with each of the 50 best hits and moves the 12 best to the front; its
    order counts 0.6, the previous order 0.4. A search waits at most two seconds for it, and says so
    if it was too slow. The model must be on this machine; only --pull downloads it.
    """
    return reranker_choice.set_reranker_model(app, request.name, download=request.pull)


def view_rerank(result: ChosenReranker) -> str:
    """Return the text to print: the model that reorders hits now, or that there is none."""
    now, before = result.name or "none", result.previous or "none"
    return f"reranker: {now} (was {before}), written to {result.changed}"


RERANK = Operation(
    "model rerank", choose_reranker, view_rerank, WRITE, "fastembed:Xenova/ms-marco-MiniLM-L-6-v2"
)


@dataclass(frozen=True, slots=True)
class TuneModelRequest:
    """Arguments of `gitmem model tune`: ``back`` takes the version before, ``off`` the original."""

    back: Annotated[bool, Arg("Use the version before the one in use")] = False
    off: Annotated[bool, Arg("Use the original model")] = False


def tune_model(app: App, request: TuneModelRequest) -> ModelTuningResult:
    """Tune the built-in model to this repository; kept only if better.

    It learns from documentation, headings and commit messages how questions are worded here. The
    newest fifth of the commits is held out as test questions: the tuned model is used only if these
    find their files significantly better, and documentation finds its definitions no worse. Each
    version is a file of its own beside the store; vectors of texts stay as they are. It takes
    seconds and sends nothing anywhere. Only searches by meaning alone (--mode semantic) use it:
    together with words it showed no gain.
    """
    if request.back and request.off:
        raise InvalidInput("--back and --off cannot be combined.", "Omit one of them.")
    if request.back or request.off:
        return model_tuning.use_previous_tuned_model(app, use_untuned_model=request.off)
    return model_tuning.tune_embedding_model(app)


def view_tune(result: ModelTuningResult) -> str:
    """Return the text to print: the model in use now, and how the tuned model did in the tests."""
    now = f"version {result.version}" if result.version else "the original model"
    lines = [f"in use: {now}"]
    if result.why:
        lines = [f"not changed: {result.why}", *lines]
    if result.learned:
        learned = ", ".join(f"{count} {name}" for name, count in result.learned.items())
        gain = result.after - result.before
        lines += [
            f"learned from: {learned}",
            f"{result.asked} newest commits: {result.before:.3f} before, {result.after:.3f} after, "
            f"{gain:+.3f} [{result.least:+.3f}, {result.most:+.3f}]",
        ]
    if result.documented:
        lines.append(
            f"{result.documented} pieces of documentation: {result.documented_before:.3f} before, "
            f"{result.documented_after:.3f} after"
        )
    return "\n".join(lines)


TUNE = Operation("model tune", tune_model, view_tune, WRITE)
