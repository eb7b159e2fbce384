"""Reading the declarations of a repository's sub-projects; nothing is guessed.

The setting ``project.paths`` lists folders, as ``web=packages/web`` or only the folder, whose last
part is then the name. A folder's own ``.gitmem.toml`` may give its ``name``, and nothing else. Both
may come with a clone: they only name parts of this repository's store.
"""

from __future__ import annotations

import os

from gitmem.app import CONFIG_NAME, App
from gitmem.errors import InvalidInput, NotFound
from gitmem.model import project_key
from gitmem.model.frozen import dataclass
from gitmem.text.name_secrets import redact_name

SETTING = "project.paths"
MAX_SUBPROJECTS = 500


@dataclass(frozen=True, slots=True)
class Subproject:
    """A named folder of a monorepo that has memories of its own; its path is from the worktree.

    ``source`` is what declares it: the setting ``project.paths``, or the path of the folder's file.
    """

    name: str
    folder: str
    source: str


def name_of_enclosing_subproject(app: App) -> str:
    """The name of the innermost sub-project (of a monorepo) around the current folder, or empty."""
    root = app.layout.worktree or ""
    inside = os.path.relpath(os.path.realpath(app.start), root).replace(os.sep, "/")
    if inside.split("/")[0] in ("..", ".") or os.path.isabs(inside):
        return ""
    listed = {subproject.folder: subproject.name for subproject in subprojects_from_setting(app)}
    parts = inside.split("/")
    for end in range(len(parts), 0, -1):
        folder = "/".join(parts[:end])
        name = listed.get(folder) or _own_name(app, folder, set(listed.values()))
        if name:
            return name
    return ""


def subprojects_from_setting(app: App) -> list[Subproject]:
    """The Subprojects in the setting ``project.paths``; wrong entries become warnings."""
    if app.layout.worktree is None:  # first, as finding the repository reads its settings
        return []
    subprojects: dict[str, Subproject] = {}
    folders: set[str] = set()
    for entry in app.settings.text(SETTING).split(",")[:MAX_SUBPROJECTS]:
        if not entry.strip():
            continue
        name, folder = _parse_entry(entry)
        wrong = _find_mistake(name, folder)
        if not wrong and name in subprojects:
            wrong = f"{subprojects[name].folder} is called so already"
        if not wrong and folder in folders:
            wrong = "the folder is listed already"
        if wrong:
            _warn(app, f"{SETTING}: {entry.strip()!r:.120} is left aside: {wrong}.")
            continue
        subprojects[name] = Subproject(name, folder, SETTING)
        folders.add(folder)
    return list(subprojects.values())


def _parse_entry(entry: str) -> tuple[str, str]:
    name, equals, folder = entry.partition("=")
    path = (folder if equals else entry).strip().replace("\\", "/").rstrip("/")
    path = path.removeprefix("./")
    return (name.strip() if equals else path.rpartition("/")[2]), path


def _find_mistake(name: str, folder: str) -> str:
    if not project_key.is_valid_subproject_name(name):
        return "a name is up to 100 characters without //, : and =, and neither all nor upstream"
    parts = folder.split("/")
    if os.path.isabs(folder) or folder.startswith(("/", "~")) or {"", ".", ".."} & {*parts}:
        return "the folder must be one inside the repository, relative to its root"
    return ""


def _own_name(app: App, folder: str, used_names: set[str]) -> str:
    """The name in a folder's own file; empty if there is none. A wrong one becomes a warning.

    A name that the setting gives to another folder counts as wrong.
    """
    root = app.layout.worktree or ""
    path = os.path.join(root, folder, CONFIG_NAME)
    if not os.path.isfile(path):
        return ""
    from gitmem.text import toml_flat  # noqa: PLC0415 - most folders have no such file

    try:
        name = toml_flat.read_toml_settings(path, allowed_folder=root).get("name", "")
    except InvalidInput as error:
        _warn(app, f"{error.message} None of it is taken.")
        return ""
    if name == "":
        return ""
    if (
        not isinstance(name, str)
        or not project_key.is_valid_subproject_name(name)
        or redact_name(name) != name
    ):
        _warn(app, f"{path}: {name!r:.60} is no name of a sub-project, so it is left aside.")
        return ""
    if name in used_names:
        _warn(app, f"{path}: {name!r:.110} is the name of another folder ({SETTING}).")
        return ""
    return name


def _warn(app: App, problem: str) -> None:
    if problem not in app.settings.warnings:
        app.settings.warnings.append(problem)


def declared_subprojects(app: App) -> list[Subproject]:
    """All declared Subprojects, those of the setting first, then those with a file of their own."""
    subprojects = subprojects_from_setting(app)
    folders, names = (
        {subproject.folder for subproject in subprojects},
        {subproject.name for subproject in subprojects},
    )
    from gitmem.git import listing  # noqa: PLC0415 - not needed for the current folder

    for path in listing.files_with_name(app.layout, CONFIG_NAME)[:MAX_SUBPROJECTS]:
        folder = path.rpartition("/")[0]
        if folder and folder not in folders and (name := _own_name(app, folder, names)):
            subprojects.append(Subproject(name, folder, path))
    return subprojects


def resolve_subproject_name(app: App, name_or_key: str) -> str:
    """The name of the sub-project with this name or key; empty for the whole repository.

    That is ``all``, or the name or key of the repository. Names that only memories have count as
    well. Raises NotFound.
    """
    if name_or_key == project_key.ALL:
        return ""
    name = project_key.split_project_key(name_or_key)[1] or name_or_key
    names = [subproject.name for subproject in declared_subprojects(app)]
    names += [subproject for subproject in memory_subproject_names(app) if subproject not in names]
    if name in names:
        return name
    if name_or_key in (app.project_identity.name, app.project_identity.key):
        return ""
    listed = f"There are {', '.join(names[:20])}." if names else "None is declared here."
    raise NotFound(
        f"No sub-project is called {name_or_key[:100]!r}.",
        f"{listed} `all` means the whole repository; {SETTING} declares more.",
    )


def memory_subproject_names(app: App) -> list[str]:
    """The names of the sub-projects that memories of this repository belong to."""
    from gitmem.store.memory import project_parts  # noqa: PLC0415 - not needed at the root

    return project_parts.subproject_names(app.store) if app.has_store else []
