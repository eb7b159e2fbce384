"""Embedding models: which there are, and which is in use."""

from gitmem.app import App
from gitmem.embedding import registry
from gitmem.indexing.text_vectors import setting_in_use
from gitmem.maintenance import embedding_model
from gitmem.maintenance.embedding_model import ModelState, StoredVectors
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, Nothing, Operation

_HOSTED = "fastembed"


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


def list_models(app: App, _request: Nothing) -> Listed:
    """List the available embedding models.

    Models of the fastembed library are downloaded only by `gitmem model pull`.
    """
    used = setting_in_use(app).value
    models = [
        ModelItem(model.name, model.dimension, model.about, model.name == used)
        for model in registry.known()
    ]
    hosted = any(model.name.startswith(f"{_HOSTED}:") for model in models)
    if not any(model.in_use for model in models):
        models.append(ModelItem(str(used), 0, "from the settings", True))
    return Listed(tuple(models), hosted)


def status(app: App, _request: Nothing) -> ModelState:
    """Show the embedding model in use and its vectors."""
    return embedding_model.state(app)


def view_list(result: Listed) -> str:
    """A line for each model, a star before the one in use."""
    width = max(len(model.name) for model in result.models)
    lines = [
        f"{'*' if model.in_use else ' '} {model.name:<{width}}  "
        f"{model.dimension or '':>4}  {model.about}"
        for model in result.models
    ]
    if not result.fastembed:
        lines.append("For more models, install fastembed: pip install fastembed")
    return "\n".join(lines)


def view_status(result: ModelState) -> str:
    """The model, then its vectors and those of others."""
    rows = [
        ("model", f"{result.name}  ({result.source})"),
        ("loads", "yes" if result.loads else f"no: {result.error} {result.hint}".rstrip()),
        ("provider", result.provider),
        ("dimension", str(result.dimension or "")),
        ("checksum", result.checksum),
    ]
    for vectors in result.stored or (StoredVectors(result.identity, 0, True),):
        other = "  (of another model, not searched)" if result.loads and not vectors.in_use else ""
        rows.append(("vectors", f"{vectors.vectors}  {vectors.identity}{other}"))
    rows.append(("contextual", result.contextual))
    if result.waiting:
        rows.append(("waiting", f"{result.waiting} texts: run `gitmem index`"))
    return "\n".join(f"{name:>11}  {value}" for name, value in rows if value)


LIST = Operation("model list", list_models, view_list, READ)

STATUS = Operation("model status", status, view_status, READ)
