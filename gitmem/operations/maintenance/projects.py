"""Listing, searching and discovering the projects of this user."""

import os
from contextlib import suppress

from gitmem.app import App
from gitmem.branches import other_projects
from gitmem.capture.provenance import is_agent
from gitmem.clock import durations, iso
from gitmem.errors import GitmemError, NotARepository
from gitmem.model.frozen import dataclass, replace
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation
from gitmem.retrieval.hit_view import HitItem
from gitmem.store.db import preflight, projects
from gitmem.store.db.projects import Project
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

WIDTH = 1000  # of a path, in the text for people
PRESENT, NO_STORE, MISSING = "kept", "no store", "missing"
# Folders below the home folder in which people keep repositories, and the most that are named.
_USUAL = (
    *("projects", "Projects", "code", "Code", "dev", "Development", "workspace", "repos", "src"),
    *("github", "Desktop", "Documents"),
)
_MOST_DISCOVERED = 200
# A write goes to the log first, and to the file itself later.
_WRITTEN = (preflight.FILE_NAME, f"{preflight.FILE_NAME}-wal")


@dataclass(frozen=True, slots=True)
class Projects:
    """Whether to search the projects too, and to look for further repositories."""

    query: Annotated[str, Arg("Search the files of each project for this")] = ""
    limit: Annotated[int, shared.at_most(50, "At most this many hits of each project")] = 5
    discover: Annotated[
        bool, Arg("Also name repositories in the usual folders where gitmem is not set up")
    ] = False


@dataclass(frozen=True, slots=True)
class ProjectItem:
    """A project. ``state`` is kept, no store (the folder has none) or missing (no such folder).

    ``written_at`` is when its store was last written to, null if there is none; ``when`` says it in
    words. ``here`` marks the current project. ``matches`` are the hits of a search, null if the
    project was not searched.
    """

    project: str
    name: str
    path: str
    state: str
    added_at: str
    written_at: str | None
    when: str
    here: bool
    matches: tuple[HitItem, ...] | None = None


@dataclass(frozen=True, slots=True)
class DiscoveredRepository:
    """A git repository in which gitmem is not set up."""

    name: str
    path: str


@dataclass(frozen=True, slots=True)
class ProjectList:
    """The projects of this user, the last written to first; ``searched`` of them were searched.

    ``discovered`` is filled with --discover, ``notes`` say what was not searched.
    """

    projects: tuple[ProjectItem, ...]
    discovered: tuple[DiscoveredRepository, ...] = ()
    searched: int = 0
    notes: tuple[str, ...] = ()


def list_projects(app: App, request: Projects) -> ProjectList:
    """List the projects where gitmem is set up, or search them all.

    Each with its folder, and when its store was last written to. `gitmem init` enters a project in
    the user's own store, and `gitmem deinit --purge` removes it. A folder that was moved or removed
    is shown as missing; `gitmem init` in its new place corrects the entry. Stores of other projects
    are only opened for --query; of an agent's query only those that mcp.projects lists, and this
    one. --discover looks for repositories one level below folders such as ~/projects and ~/code.
    """
    shared = app.global_store()
    here = _here(app)
    known = [] if shared is None else projects.known_projects(shared)
    written = [(_last_write(project.root), project) for project in known]
    written.sort(key=lambda pair: (-(pair[0] or 0), pair[1].root))
    listed = [_item(app, project, at, here) for at, project in written]
    notes: tuple[str, ...] = ()
    if request.query.strip():
        listed, notes = _search(app, listed, request)
    found = _discover(app, {project.root for project in known}) if request.discover else ()
    searched = sum(item.matches is not None for item in listed)
    return ProjectList(tuple(listed), found, searched, notes)


def _search(
    app: App, listed: list[ProjectItem], request: Projects
) -> tuple[list[ProjectItem], tuple[str, ...]]:
    """The projects with their hits, and notes on those that were not searched."""
    from gitmem.retrieval import project_search  # noqa: PLC0415 - most only list them

    items, notes, barred = [], [], 0
    for item in listed:
        if item.state == PRESENT:
            if item.here or not is_agent(app) or other_projects.is_listed(app, item.path):
                try:
                    hits = project_search.search(app, item.path, request.query, request.limit)
                    item = replace(item, matches=tuple(hits))
                except GitmemError as error:
                    notes.append(f"{item.name} was not searched: {error.message}")
            else:
                barred += 1
        items.append(item)
    if barred:
        notes.append(f"{quantity(barred, 'project')} not searched. {other_projects.HOW}")
    return items, tuple(notes)


def _discover(app: App, known: set[str]) -> tuple[DiscoveredRepository, ...]:
    """Repositories directly below the usual folders of the home folder that are not known."""
    found: dict[str, DiscoveredRepository] = {}
    for folder in _USUAL if app.settings.home else ():
        with suppress(OSError):
            for entry in os.scandir(os.path.join(app.settings.home, folder)):
                real = os.path.realpath(entry.path)
                if real in known or not os.path.exists(os.path.join(entry.path, ".git")):
                    continue
                found.setdefault(real, DiscoveredRepository(entry.name, entry.path))
    return tuple(sorted(found.values(), key=lambda found: found.path)[:_MOST_DISCOVERED])


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
    """A line for each project, its folder and its hits below it, then what was discovered."""
    lines = [_lines(item) for item in result.projects]
    lines = lines or ["No project yet: run `gitmem init` in a repository."]
    if result.discovered:
        lines.append("Not set up (run `gitmem init` there):")
        lines += [f"    {one_line(each.path, WIDTH)}" for each in result.discovered]
    return "\n".join([*lines, *result.notes])


def _lines(item: ProjectItem) -> str:
    state = f"last written to {item.when}" if item.state == PRESENT else item.state
    mark = "*" if item.here else " "
    name, project, path = (one_line(text, WIDTH) for text in (item.name, item.project, item.path))
    hits = [f"      {one_line(_place(hit), WIDTH)}" for hit in item.matches or ()]
    return "\n".join([f"{mark} {name} ({project}), {state}", f"    {path}", *hits])


def _place(hit: HitItem) -> str:
    return f"{hit.score:.2f} {hit.path}:{hit.start_line} {hit.symbol or hit.context}"


PROJECTS = Operation("projects", list_projects, view, READ, "--json", shows_times=True)
