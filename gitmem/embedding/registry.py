"""Opening models by name: ``builtin``, ``contextual``, ``hashed``, ``fastembed:<model>``."""

from __future__ import annotations

from gitmem.errors import InvalidInput, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.embedding.base import Embedder

_HINT = "Use builtin, contextual, hashed, or fastembed:<model or folder>; see: gitmem model list"


class Known:
    """A model in `gitmem model list`: its name, and what it is."""

    __slots__ = ("about", "dimension", "name")

    def __init__(self, name: str, dimension: int, about: str) -> None:
        self.name = name
        self.dimension = dimension
        self.about = about


def is_name(name: str) -> bool:
    """Whether a text has the form of a model's name."""
    provider, _, model = name.partition(":")
    return name in ("builtin", "contextual", "hashed") or (provider == "fastembed" and bool(model))


def open_embedder(
    name: str,
    *,
    cache: str | None = None,
    allow_download: bool = False,
    cuda: bool = False,
) -> Embedder:
    """The model with this name.

    InvalidInput for a name of no known form; Unavailable when a model of the package is damaged. A
    fastembed model is loaded, and may prove unavailable, at its first use.
    """
    provider, colon, model = name.partition(":")
    # Each provider is its own module, so that a query loads one of them only.
    if name == "builtin":
        from gitmem.embedding.builtin import Builtin  # noqa: PLC0415

        return Builtin()
    if name == "contextual":
        from gitmem.embedding.contextual import Contextual  # noqa: PLC0415

        return Contextual()
    if name == "hashed":
        from gitmem.embedding.hashed import Hashed  # noqa: PLC0415

        return Hashed()
    if provider == "fastembed" and colon:
        from gitmem.embedding.fastembed import Fastembed  # noqa: PLC0415

        return Fastembed(model, cache=cache, allow_download=allow_download, cuda=cuda)
    raise InvalidInput(f"There is no embedding model {name}.", _HINT)


def known_models() -> list[Known]:
    """Every model that can be named; fastembed's only if that library is installed."""
    from gitmem.embedding.fastembed import hub_models  # noqa: PLC0415

    found = [
        Known("builtin", 256, "static vectors, shipped with gitmem, no download"),
        Known("contextual", 384, "a small transformer, shipped with gitmem, slow on code"),
        Known("hashed", 256, "hashed words, for tests"),
    ]
    try:
        hub = hub_models()
    except Unavailable:
        return found
    for name, dimension, licence, size in hub:
        found.append(Known(f"fastembed:{name}", dimension, f"{licence}, {size:g} GB"))
    return found
