"""The user's other projects, finding one by name, and which of them agents may use from here.

A person may use each project that gitmem is set up in. An agent works in one project: it may use
another one, which may be confidential, only if the user lists it in ``mcp.projects``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from gitmem.app import App
from gitmem.errors import Conflict, GitmemError, NotARepository, NotFound
from gitmem.git import identity, layout
from gitmem.store.db import projects
from gitmem.store.db.projects import Project
from gitmem.store.file import registration

SETTING = "mcp.projects"
# Every project that may be used, and how many a refusal lists.
ALL, LISTED = "all", 10
HOW = f"A person can allow more: `gitmem config --user {SETTING} FOLDER,FOLDER` (or * for all)."


def is_folder_inside(folder_path: str, outer_folders: Iterable[str]) -> bool:
    """Whether a folder is one of the outer folders or inside one; symbolic links are followed."""
    real = os.path.realpath(folder_path)
    for folder in outer_folders:
        above = os.path.realpath(folder)
        if real == above or real.startswith(above.rstrip(os.sep) + os.sep):
            return True
    return False


def registered_projects(app: App) -> list[Project]:
    """The Projects (key, name, root folder and so on) in which the user set gitmem up."""
    shared = app.global_store()
    return [] if shared is None else projects.registered_projects(shared)


def projects_by_name_or_key(app: App, name_or_key: str) -> list[Project]:
    """The projects with this key, else with this former key, else with this name; may be empty."""
    entered, shared = registered_projects(app), app.global_store()
    key = (shared and projects.current_key_of_former_key(shared, name_or_key)) or name_or_key
    return (
        [project for project in entered if project.key == name_or_key]
        or [project for project in entered if project.key == key]
        or [project for project in entered if project.name.lower() == name_or_key.lower()]
    )


def find_usable_project(app: App, name_or_folder: str) -> Project:
    """The user's project with this key or name, or the one that contains this folder.

    Raises NotFound if there is none or several, listing them, and Conflict if this agent may not
    use it.
    """
    matches = projects_by_name_or_key(app, name_or_folder) or _containing(app, name_or_folder)
    if len(matches) != 1:
        raise not_one_project_error(app, name_or_folder, matches)
    if not may_use_project(app, matches[0].root):
        raise Conflict(f"An agent may not use the project {matches[0].key}.", HOW)
    return matches[0]


def _containing(app: App, folder: str) -> list[Project]:
    if not (os.path.isabs(folder) or folder.startswith((".", "~"))):
        return []
    place = os.path.join(app.start, os.path.expanduser(folder))
    around = [
        project for project in registered_projects(app) if is_folder_inside(place, [project.root])
    ]
    return [max(around, key=lambda project: len(project.root))] if around else []


def not_one_project_error(app: App, name: str, matches: Sequence[Project]) -> NotFound:
    """The NotFound to raise for a name that no or several projects (``matches``) have."""
    usable = [
        project
        for project in matches or registered_projects(app)
        if may_use_project(app, project.root)
    ]
    listed = ", ".join(f"{project.name} ({project.root})" for project in usable[:LISTED])
    # Clones share their key: only a folder names one of them.
    ways = "its folder" if len({project.key for project in matches}) == 1 else "its folder or key"
    return NotFound(
        f"{f'{len(matches)} projects are' if matches else 'No project is'} called {name[:80]!r}.",
        f"Give {ways}. Projects: {listed}."
        if listed
        else "Run `gitmem init` in its folder; `gitmem projects` lists what is set up.",
    )


def root_of_current_project(app: App) -> str:
    """The root folder of the project around the current folder; empty outside of any."""
    try:
        return app.layout.store_root
    except NotARepository:
        return ""


def select_projects(app: App, comma_separated_names: Iterable[str]) -> tuple[dict[str, str], int]:
    """({label: root} of the projects with some names, number of projects refused to an agent).

    ``all`` stands for each that may be used. A label is the key, or the root where several clones
    share the key. Raises as ``find_usable_project``.
    """
    here, registered = root_of_current_project(app), registered_projects(app)
    if here and app.has_store and here not in {project.root for project in registered}:
        registered.append(_unlisted(app, here))
    names = {
        name.strip() for text in comma_separated_names for name in text.split(",") if name.strip()
    }
    usable = [project for project in registered if may_use_project(app, project.root)]
    chosen = usable if ALL in names else [find_usable_project(app, name) for name in sorted(names)]
    keys = [project.key for project in registered]
    labels = {
        project.key if keys.count(project.key) == 1 else project.root: project.root
        for project in chosen
    }
    return labels, len(registered) - len(usable) if ALL in names else 0


def _unlisted(app: App, root: str) -> Project:
    """The present project, which is not on the list; its store may be unreadable."""
    try:
        return Project(app.project_identity.key, app.project_identity.name, "", root, 0, 0)
    except GitmemError:
        return Project(root, os.path.basename(root), "", root, 0, 0)


def require_existing_root(root: str) -> str:
    """``root``, the folder of a project. Raises NotFound if it is gone."""
    if not os.path.isdir(root):
        raise NotFound(
            f"The project's folder {root} is gone.",
            "If it was moved, run `gitmem init` in its new place.",
        )
    return root


def may_use_project(app: App, root: str) -> bool:
    """Whether the caller may use the project at ``root``: an agent only its own and opened ones."""
    agent = app.agent or app.source == "ai_inferred"
    return not agent or is_folder_open_to_agents(app, root) or root == root_of_current_project(app)


def is_folder_open_to_agents(app: App, folder_path: str) -> bool:
    """Whether a folder is one that the user opened to agents, and in a project with gitmem."""
    value = app.settings.text(SETTING)
    folders = [folder for part in value.split(",") if (folder := part.strip())]
    return (value == "*" or is_folder_inside(folder_path, folders)) and _known(app, folder_path)


def _known(app: App, place: str) -> bool:
    registered = registered_projects(app)
    return is_folder_inside(place, (project.root for project in registered)) or _is_clone(
        app, place, registered
    )


def _is_clone(app: App, place: str, registered: Iterable[Project]) -> bool:
    """Whether a folder is in another clone of a known project, with gitmem set up in it."""
    try:
        clone = layout.find_repository(place)
        if not registration.store_id_at(app.keys.stores_folder, clone.store_root):
            return False
        key = identity.resolve_project_identity(clone, configured_name=None).key
        return key in {project.key for project in registered}
    except GitmemError:
        return False
