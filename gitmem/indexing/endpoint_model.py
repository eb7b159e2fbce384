"""The embedding model at an endpoint: address, key and time from the settings, if allowed.

An address that is not of this machine needs a person's consent in each project; without it nothing
is sent, and search goes by words.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from gitmem.app import App
from gitmem.embedding import endpoint
from gitmem.embedding.registry import open_embedder
from gitmem.errors import NotARepository, NotInitialized, Unavailable
from gitmem.store.db import projects
from gitmem.store.file import consent
from gitmem.text.web_address import is_loopback_url

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.embedding.base import Embedder

SETTING = "embedding.endpoint"


def endpoint_address(app: App, model_name: str) -> str:
    """The web address of the server that runs a model. Raises Unavailable if none is set."""
    provider = model_name.partition(":")[0]
    given = app.settings.text(SETTING) or endpoint.DEFAULT_ADDRESS.get(provider, "")
    if not given:
        raise Unavailable(
            f"There is no address for the model {model_name}.",
            f"Set it: gitmem config {SETTING} http://127.0.0.1:8080/v1",
        )
    return given


def cached_endpoint_model(app: App, model_name: str, *, allow_long_wait: bool) -> Embedder:
    """The embedding model of that name on a server, opened once for each name and server.

    With ``allow_long_wait`` an answer may take as long as ``embedding.timeout`` says and failed
    requests are repeated, as an index run needs; else it may take a few seconds, or one if the
    server failed lately. Raises Unavailable where no address is set, or no person agreed to send
    texts to it.
    """
    place = endpoint_address(app, model_name)
    if not is_loopback_url(place) and not _agreed(app, place):
        raise Unavailable(
            f"Nothing was sent to {place}: no person has agreed to that in this project.",
            f"A person can: gitmem config {SETTING} --agree {place}",
        )
    seconds = float(app.settings.number("embedding.timeout"))
    if not allow_long_wait:
        seconds = min(seconds, 1.0 if _failed(app) else endpoint.QUESTION_SECONDS)
    return _opened(
        model_name,
        endpoint.ModelServer(place, seconds, app.settings.embedding_endpoint_key, allow_long_wait),
    )


@cache
def _opened(name: str, server: endpoint.ModelServer) -> Embedder:
    return open_embedder(name, server=server)


def _failed(app: App) -> bool:
    """Whether the server failed when texts were last to be embedded."""
    with suppress(NotARepository, NotInitialized):
        return bool(projects.get_meta(app.store, projects.VECTORS_FAILED_AT))
    return False


def _agreed(app: App, place: str) -> bool:
    with suppress(NotARepository, NotInitialized):
        path = consent.consent_answer_path(app.keys.stores_folder, app.store.store, SETTING)
        return consent.read_consent_answer(path, place) == consent.YES
    return False
