"""Models by name.

``builtin``, ``contextual``, ``hashed``, ``fastembed:<hub model or folder>``, and at an endpoint
``ollama:<name>`` and ``openai:<name>``.
"""

from __future__ import annotations

from gitmem.errors import InvalidInput, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.embedding.base import Embedder
    from gitmem.embedding.endpoint import ModelServer

# Providers of models that a server computes, at the address in ``embedding.endpoint``.
SERVED = ("ollama", "openai")
_HINT = (
    "Use builtin, contextual, hashed, or fastembed:<model or folder>; see: gitmem model list. "
    "At an endpoint: ollama:<name> or openai:<name>"
)


class KnownModel:
    """An embedding model in `gitmem model list`: its name, dimension, and what it is."""

    __slots__ = ("about", "dimension", "name")

    def __init__(self, name: str, dimension: int, about: str) -> None:
        self.name = name
        self.dimension = dimension
        self.about = about


def is_model_name(name: str) -> bool:
    """Whether a text has the form of a model's name."""
    provider, _, model = name.partition(":")
    hosted = provider == "fastembed" or provider in SERVED
    return name in ("builtin", "contextual", "hashed") or (hosted and bool(model))


def is_remote_model(name: str) -> bool:
    """Whether the model of that name runs on a server, which texts are sent to."""
    return name.partition(":")[0] in SERVED


def open_embedder(
    name: str,
    *,
    cache_folder: str | None = None,
    allow_download: bool = False,
    use_cuda: bool = False,
    timeout_seconds: float | None = None,
    server: ModelServer | None = None,
) -> Embedder:
    """The embedding model of that name, such as ``builtin`` or ``fastembed:<hub model or folder>``.

    ``cache_folder``, ``allow_download``, ``use_cuda`` and ``timeout_seconds`` (the most that a
    question may take) matter to fastembed only; ``server`` is the server of ``ollama:`` and
    ``openai:`` models. Raises InvalidInput for a name of no known form, Unavailable if a model of
    the package is damaged. A fastembed model is loaded, and may prove unavailable, at its first
    use.
    """
    provider, colon, model = name.partition(":")
    # Each provider is its own module, so that a query loads one of them only.
    if name == "builtin":
        from gitmem.embedding.builtin import BuiltinEmbedder  # noqa: PLC0415

        return BuiltinEmbedder()
    if name == "contextual":
        from gitmem.embedding.contextual import ContextualEmbedder  # noqa: PLC0415

        return ContextualEmbedder()
    if name == "hashed":
        from gitmem.embedding.hashed import HashedEmbedder  # noqa: PLC0415

        return HashedEmbedder()
    if provider == "fastembed" and colon:
        from gitmem.embedding.fastembed import FastembedEmbedder  # noqa: PLC0415

        return FastembedEmbedder(
            model,
            cache=cache_folder,
            allow_download=allow_download,
            cuda=use_cuda,
            timeout_seconds=timeout_seconds,
        )
    if provider in SERVED and model and server is not None:
        from gitmem.embedding.endpoint import EndpointEmbedder  # noqa: PLC0415

        return EndpointEmbedder(provider, model, server)
    raise InvalidInput(f"There is no embedding model {name}.", _HINT)


def known_models() -> list[KnownModel]:
    """Every model that can be named, as KnownModel values; fastembed's only if it is installed."""
    from gitmem.embedding.fastembed import list_hub_models  # noqa: PLC0415

    found = [
        KnownModel("builtin", 256, "static vectors, shipped with gitmem, no download"),
        KnownModel("contextual", 384, "a small transformer, shipped with gitmem, slow on code"),
        KnownModel("hashed", 256, "hashed words, for tests"),
    ]
    try:
        hub = list_hub_models()
    except Unavailable:
        return found
    for name, dimension, licence, size in hub:
        found.append(KnownModel(f"fastembed:{name}", dimension, f"{licence}, {size:g} GB"))
    return found
