"""Choose the cross-encoder that re-ranks the best hits of a search, or none."""

import os

from gitmem import setting_table
from gitmem.app import App
from gitmem.embedding import reranker
from gitmem.maintenance import settings_file
from gitmem.model.frozen import dataclass

OFF = "off"
_SETTING = setting_table.BY_KEY["search.rerank"]


@dataclass(frozen=True, slots=True)
class ChosenReranker:
    """The model that reranks search hits from now on (empty: none), and the previous one.

    ``changed`` is the settings file that was written.
    """

    name: str
    previous: str
    changed: str


def set_reranker_model(app: App, model_name: str, *, download: bool) -> ChosenReranker:
    """Rerank search hits with a cross-encoder model, or with none if its name is ``off``.

    ``download`` fetches it first. Raises Unavailable if it cannot be loaded, InvalidInput for a
    malformed name.
    """
    app.store  # noqa: B018 - opening it makes the project's settings known
    previous = app.settings.text(_SETTING.key)
    chosen = "" if model_name == OFF else _checked_name(app, model_name, download=download)
    changed = settings_file.save_and_apply_setting(app, _SETTING.key, chosen or None)
    return ChosenReranker(chosen, previous, changed)


def _checked_name(app: App, name: str, *, download: bool) -> str:
    """The name as stored, after the model gave a score, which shows that it is complete."""
    model = reranker.parse_reranker_name(name)
    folder = os.path.join(app.start, model)
    if os.path.isfile(os.path.join(folder, "tokenizer.json")):
        model = os.path.abspath(folder)
    checked = str(
        setting_table.parse_setting_value(_SETTING, f"{reranker.PROVIDER}:{model}", "the name")
    )
    cache = app.settings.model_folder or None
    reranker.Reranker(model, cache=cache, allow_download=download).score_texts("x", ["x"])
    return checked
