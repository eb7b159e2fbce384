"""Listing the projects in which this user has set gitmem up."""

import os
from contextlib import suppress

from gitmem.app import App
from gitmem.clock import durations, iso
from gitmem.errors import NotARepository
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, Nothing, Operation
from gitmem.store.db import preflight, projects
from gitmem.store.db.projects import Project
from gitmem.text.fence import one_line

WIDTH = 1000  # of a path, in the text for people
PRESENT, NO_STORE, MISSING = "kept", "no store", "missing"
# A write goes to the log first, and to the file itself later.
_WRITTEN = (preflight.FILE_NAME, f"{preflight.FILE_NAME}-wal")


@dataclass(frozen=True, slots=True)
class ProjectItem:
    """A project. ``state`` is kept, no store (the folder has none) or missing (no such folder).

    ``written_at`` is when its store was last written to, null if there is none; ``when`` says it in
    words. ``here`` marks the current project.
    """

    project: str
    name: str
    path: str
    state: str
    added_at: str
    written_at: str | None
    when: str
    here: bool


@dataclass(frozen=True, slots=True)
class ProjectList:
    """The projects of this user, the last written to first."""

    projects: tuple[ProjectItem, ...]


def list_projects(app: App, _request: Nothing) -> ProjectList:
    """List the projects where gitmem is set up.

    Each with its folder, and when its store was last written to. `gitmem init` enters a project in
    the user's own store, and `gitmem deinit --purge` removes it. Stores of other projects are not
    opened. A folder that was moved or removed is shown as missing; `gitmem init` in its new place
    corrects the entry.
    """
    shared = app.global_store()
    here = _here(app)
    known = [] if shared is None else projects.known_projects(shared)
    written = [(_last_write(project.root), project) for project in known]
    written.sort(key=lambda pair: (-(pair[0] or 0), pair[1].root))
    return ProjectList(tuple(_item(app, project, at, here) for at, project in written))


def _here(app: App) -> str:
    with suppress(NotARepository):
        return app.layout.store_root
    return ""


def _item(app: App, project: Project, written: int | None, here: str) -> ProjectItem:
    absent = NO_STORE if os.path.isdir(project.root) else MISSING
    return ProjectItem(
        project=project.key,
        name=project.name,
        path=project.root,
        state=absent if written is None else PRESENT,
        added_at=iso(project.first_at),
        written_at=None if written is None else iso(written),
        when="" if written is None else durations.relative(written, app.now, app.zone),
        here=project.root == here,
    )


def _last_write(root: str) -> int | None:
    """When the store in this folder was last written to, in milliseconds; None if there is none."""
    latest = None
    for name in _WRITTEN:
        with suppress(OSError):
            changed = os.lstat(os.path.join(root, preflight.FOLDER, name)).st_mtime_ns // 1_000_000
            latest = max(latest or 0, changed)
    return latest


def view(result: ProjectList) -> str:
    """A line for each project, its folder below it."""
    if not result.projects:
        return "No project yet: run `gitmem init` in a repository."
    return "\n".join(map(_lines, result.projects))


def _lines(item: ProjectItem) -> str:
    state = f"last written to {item.when}" if item.state == PRESENT else item.state
    mark = "*" if item.here else " "
    name, project, path = (one_line(text, WIDTH) for text in (item.name, item.project, item.path))
    return f"{mark} {name} ({project}), {state}\n    {path}"


PROJECTS = Operation("projects", list_projects, view, READ, "--json", shows_times=True)
