"""The tuned map of question vectors, read again only when its file changes."""

from __future__ import annotations

import os
from contextlib import suppress

from gitmem.app import App
from gitmem.embedding import question_map
from gitmem.embedding.question_map import QuestionMap
from gitmem.errors import ForeignFile
from gitmem.store.db import projects
from gitmem.text.digest import sha256

SETTING = "embedding.tuned"
_read: dict[tuple[str, int], QuestionMap] = {}


def question_maps_folder_path(app: App) -> str:
    """The path of the folder, beside the store, with the maps that `gitmem model tune` makes.

    A map adapts the vectors of questions to this repository; each version is a file.
    """
    return os.path.join(os.path.dirname(app.store_path), "tuned")


def question_map_path(app: App, map_version: int) -> str:
    """The path of the file with a version of the map that `gitmem model tune` makes.

    The map adapts the vectors of questions to this repository; versions count from 1.
    """
    return os.path.join(question_maps_folder_path(app), f"{map_version}.map")


def save_question_map_checksum(app: App, map_version: int, file_content: bytes) -> None:
    """Store the SHA-256 of ``file_content``, the file of this version of the tuned map."""
    with app.store.write():
        projects.set_meta(app.store, f"tuned_{map_version}", sha256(file_content).hexdigest())


def _refuse_strange(app: App, version: int) -> None:
    """Raise ForeignFile where the file of a version is not the one that was made here."""
    made = projects.get_meta(app.store, f"tuned_{version}")
    path = question_map_path(app, version)
    with suppress(OSError), open(path, "rb") as file:
        # Of those that an older gitmem made nothing is noted.
        if made and sha256(file.read()).hexdigest() != made:
            raise ForeignFile(
                f"The tuned model {path} is not the one that was made here.",
                "Tune again with `gitmem model tune`, or turn it off: `gitmem model tune --off`.",
            )


def load_question_map(app: App, model_identity: str) -> QuestionMap | None:
    """The map, made by `gitmem model tune`, that changes the vectors of questions, or None.

    None if the setting ``embedding.tuned`` is 0, or the map was made for another embedding model
    than ``model_identity``. Raises Unavailable if the map's file is absent or damaged, ForeignFile
    if it was not made here.
    """
    version = app.settings.number(SETTING)
    if not version:
        return None
    path, stamp = question_map_path(app, version), 0
    with suppress(OSError):
        stamp = os.stat(path).st_mtime_ns
    if (path, stamp) not in _read:
        _read.clear()
        _refuse_strange(app, version)
        _read[path, stamp] = question_map.read_question_map(path)
    found = _read[path, stamp]
    return found if found.identity == model_identity else None
