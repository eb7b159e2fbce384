"""The map of questions' vectors that a repository's settings name, read once while it stays."""

from __future__ import annotations

import os
from contextlib import suppress

from gitmem.app import App
from gitmem.embedding import question_map
from gitmem.embedding.question_map import QuestionMap

SETTING = "embedding.tuned"
_read: dict[tuple[str, int], QuestionMap] = {}


def folder(app: App) -> str:
    """Where the versions lie, beside the store."""
    return os.path.join(os.path.dirname(app.store_path), "tuned")


def place(app: App, version: int) -> str:
    """The file of a version."""
    return os.path.join(folder(app), f"{version}.map")


def in_use(app: App, identity: str) -> QuestionMap | None:
    """The map for questions to a model, None where none is wanted or it was made for another.

    Raises Unavailable where its file is absent or damaged.
    """
    version = app.settings.number(SETTING)
    if not version:
        return None
    path, stamp = place(app, version), 0
    with suppress(OSError):
        stamp = os.stat(path).st_mtime_ns
    if (path, stamp) not in _read:
        _read.clear()
        _read[path, stamp] = question_map.read(path)
    found = _read[path, stamp]
    return found if found.identity == identity else None
