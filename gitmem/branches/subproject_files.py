"""Where the sub-projects of a repository are declared: nothing is guessed.

The setting ``project.paths`` of the repository lists folders, ``web=packages/web`` or only the
folder, whose last part is the name then. A folder's own ``.gitmem.toml`` may give a ``name``; it
says nothing else. Both may come with a clone: they name, and all that they name is kept in the
store of this repository.
"""

from __future__ import annotations

import os

from gitmem.app import CONFIG_NAME, App
from gitmem.errors import InvalidInput, NotFound
from gitmem.model import project_key
from gitmem.model.frozen import dataclass
from gitmem.text.name_secrets import hide

SETTING = "project.paths"
MOST = 500


@dataclass(frozen=True, slots=True)
class Subproject:
    """A sub-project: its name, its folder relative to the worktree with ``/``, who declared it.

    ``source`` is ``project.paths`` or the path of the file.
    """

    name: str
    folder: str
    source: str


def around(app: App) -> str:
    """The name of the innermost sub-project that the folder one stands in lies in, or nothing."""
    root = app.layout.worktree or ""
    inside = os.path.relpath(os.path.realpath(app.start), root).replace(os.sep, "/")
    if inside.split("/")[0] in ("..", ".") or os.path.isabs(inside):
        return ""
    listed = {one.folder: one.name for one in from_setting(app)}
    parts = inside.split("/")
    for end in range(len(parts), 0, -1):
        folder = "/".join(parts[:end])
        name = listed.get(folder) or _own_name(app, folder, set(listed.values()))
        if name:
            return name
    return ""


def from_setting(app: App) -> list[Subproject]:
    """The sub-projects that ``project.paths`` lists; what is wrong with it becomes a warning."""
    if app.layout.worktree is None:  # asked first: with the repository its settings are read
        return []
    found: dict[str, Subproject] = {}
    folders: set[str] = set()
    for entry in app.settings.text(SETTING).split(",")[:MOST]:
        if not entry.strip():
            continue
        name, folder = _entry(entry)
        wrong = _mistake(name, folder)
        if not wrong and name in found:
            wrong = f"{found[name].folder} is called so already"
        if not wrong and folder in folders:
            wrong = "the folder is listed already"
        if wrong:
            _warn(app, f"{SETTING}: {entry.strip()!r:.120} is left aside: {wrong}.")
            continue
        found[name] = Subproject(name, folder, SETTING)
        folders.add(folder)
    return list(found.values())


def _entry(entry: str) -> tuple[str, str]:
    name, equals, folder = entry.partition("=")
    path = (folder if equals else entry).strip().replace("\\", "/").rstrip("/")
    path = path.removeprefix("./")
    return (name.strip() if equals else path.rpartition("/")[2]), path


def _mistake(name: str, folder: str) -> str:
    """What is wrong with an entry, or nothing."""
    if not project_key.is_name(name):
        return "a name is up to 100 characters without //, : and =, and neither all nor upstream"
    parts = folder.split("/")
    if os.path.isabs(folder) or folder.startswith(("/", "~")) or {"", ".", ".."} & {*parts}:
        return "the folder must be one inside the repository, relative to its root"
    return ""


def _own_name(app: App, folder: str, taken: set[str]) -> str:
    """The name that a folder's own file gives it, or nothing; a wrong one becomes a warning.

    The root's word counts more: a name that it gave another folder is not given twice.
    """
    path = os.path.join(app.layout.worktree or "", folder, CONFIG_NAME)
    if not os.path.isfile(path):
        return ""
    from gitmem.text import toml_flat  # noqa: PLC0415 - most folders have no such file

    try:
        name = toml_flat.read(path).get("name", "")
    except InvalidInput as error:
        _warn(app, f"{error.message} None of it is taken.")
        return ""
    if name == "":
        return ""
    if not isinstance(name, str) or not project_key.is_name(name) or hide(name) != name:
        _warn(app, f"{path}: {name!r:.60} is no name of a sub-project, so it is left aside.")
        return ""
    if name in taken:
        _warn(app, f"{path}: {name!r:.110} is the name of another folder ({SETTING}).")
        return ""
    return name


def _warn(app: App, told: str) -> None:
    if told not in app.settings.warnings:
        app.settings.warnings.append(told)


def declared(app: App) -> list[Subproject]:
    """All sub-projects that are declared, those of the setting first. Asks git for the files."""
    found = from_setting(app)
    folders, names = {one.folder for one in found}, {one.name for one in found}
    from gitmem.git import listing  # noqa: PLC0415 - not for who stands in the folder

    for path in listing.called(app.layout, CONFIG_NAME)[:MOST]:
        folder = path.rpartition("/")[0]
        if folder and folder not in folders and (name := _own_name(app, folder, names)):
            found.append(Subproject(name, folder, path))
    return found


def named(app: App, asked: str) -> str:
    """The sub-project of that name; empty for ``all`` and the repository's own. Raises NotFound.

    One that only memories know counts as well: its folder may be gone.
    """
    if asked == project_key.ALL:
        return ""
    name = project_key.split(asked)[1] or asked
    known = [one.name for one in declared(app)]
    known += [one for one in remembered(app) if one not in known]
    if name in known:
        return name
    if asked in (app.identity.name, app.identity.key):
        return ""
    listed = f"There are {', '.join(known[:20])}." if known else "None is declared here."
    raise NotFound(
        f"No sub-project is called {asked[:100]!r}.",
        f"{listed} `all` means the whole repository; {SETTING} declares more.",
    )


def remembered(app: App) -> list[str]:
    """The sub-projects that memories of this repository belong to."""
    from gitmem.store.memory import project_parts  # noqa: PLC0415 - not for who writes at the root

    return project_parts.names(app.store) if app.has_store else []
