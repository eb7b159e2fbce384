"""The user's other projects, and which of them agents may read from here.

An agent works in one project. It may read another one, which may be confidential, only if the user
lists it in ``mcp.projects``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import identity, layout
from gitmem.store.db import projects
from gitmem.store.db.projects import Project
from gitmem.store.file import registration

SETTING = "mcp.projects"
HOW = f"The user lists others: `gitmem config --user {SETTING} FOLDER,FOLDER` (or * for all)."


def is_inside(place: str, folders: Iterable[str]) -> bool:
    """Whether a folder is one of the folders or inside one; symbolic links are followed."""
    real = os.path.realpath(place)
    for folder in folders:
        above = os.path.realpath(folder)
        if real == above or real.startswith(above.rstrip(os.sep) + os.sep):
            return True
    return False


def all_projects(app: App) -> list[Project]:
    """The projects in which the user set gitmem up."""
    shared = app.global_store()
    return [] if shared is None else projects.known_projects(shared)


def called(app: App, name: str) -> list[Project]:
    """The projects with a key, with a former key, or else with a name."""
    entered, shared = all_projects(app), app.global_store()
    key = name if shared is None else projects.present_key(shared, name) or name
    return (
        [project for project in entered if project.key == name]
        or [project for project in entered if project.key == key]
        or [project for project in entered if project.name.lower() == name.lower()]
    )


def is_listed(app: App, place: str) -> bool:
    """Whether the user lists a folder for agents, and gitmem is set up in its project."""
    value = app.settings.text(SETTING)
    folders = [folder for part in value.split(",") if (folder := part.strip())]
    return (value == "*" or is_inside(place, folders)) and _known(app, place)


def _known(app: App, place: str) -> bool:
    known = all_projects(app)
    return is_inside(place, (project.root for project in known)) or _is_clone(app, place, known)


def _is_clone(app: App, place: str, known: Iterable[Project]) -> bool:
    """Whether a folder is in another clone of a known project, with gitmem set up in it."""
    try:
        clone = layout.find(place)
        if not registration.store_at(app.keys.stores, clone.store_root):
            return False
        key = identity.resolve(clone, configured_name=None).key
        return key in {project.key for project in known}
    except GitmemError:
        return False
