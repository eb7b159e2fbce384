"""Which cross-encoder reads the best hits of a search, if any."""

import os

from gitmem import setting_table
from gitmem.app import App
from gitmem.embedding import reranker
from gitmem.maintenance import settings_file
from gitmem.model.frozen import dataclass

OFF = "off"
_SETTING = setting_table.BY_KEY["search.rerank"]


@dataclass(frozen=True, slots=True)
class Reranking:
    """The cross-encoder in use from now on (empty: none), and the one before.

    ``changed`` is the settings file that was written.
    """

    name: str
    previous: str
    changed: str


def choose(app: App, name: str, *, download: bool) -> Reranking:
    """Use a cross-encoder that is on this machine, or with ``off`` none; ``download`` gets it.

    Raises Unavailable where it cannot be loaded, InvalidInput for a name of no known form.
    """
    app.store  # noqa: B018 - with it the project's settings are known
    previous = app.settings.text(_SETTING.key)
    wanted = "" if name == OFF else _whole(app, name, download=download)
    changed = settings_file.use(app, _SETTING.key, wanted or None)
    return Reranking(wanted, previous, changed)


def _whole(app: App, name: str, *, download: bool) -> str:
    """The name as it is kept, of a model that gave a score: the proof that it is whole."""
    model = reranker.model_of(name)
    folder = os.path.join(app.start, model)
    if os.path.isfile(os.path.join(folder, "tokenizer.json")):
        model = os.path.abspath(folder)
    wanted = str(setting_table.parse(_SETTING, f"{reranker.PROVIDER}:{model}", "the name"))
    cache = app.settings.model_folder or None
    reranker.Reranker(model, cache=cache, allow_download=download).scores("x", ["x"])
    return wanted
