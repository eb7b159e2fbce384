"""Listing, showing, searching and discovering the projects of this user."""

import os
from collections.abc import Iterable
from contextlib import suppress

from gitmem.app import App
from gitmem.branches import other_projects, reading_app
from gitmem.clock import durations, format_iso
from gitmem.errors import Conflict, GitmemError
from gitmem.model.frozen import dataclass, replace
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, EmptyRequest, Operation, positional_arg
from gitmem.retrieval.hit_view import HitItem
from gitmem.store.db import preflight, projects
from gitmem.store.db.projects import Project
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
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
_SETTING = "projects.discover"
# A write goes to the log first, and to the file itself later.
_WRITTEN = (preflight.FILE_NAME, f"{preflight.FILE_NAME}-wal")


@dataclass(frozen=True, slots=True)
class ListProjectsRequest:
    """Arguments of `gitmem projects list`: ``query`` searches each project too (empty: does not).

    ``limit`` is the most hits of each; ``discover`` also names repositories without gitmem.
    """

    query: Annotated[str, Arg("Search the files of each project for this")] = ""
    limit: Annotated[int, shared.limit_arg(50, "At most this many hits of each project")] = 5
    discover: Annotated[
        bool, Arg("Also name repositories in the usual folders where gitmem is not set up")
    ] = False


@dataclass(frozen=True, slots=True)
class ShowProjectRequest:
    """Arguments of `gitmem projects show`: a project's name, key or folder (``.``: this one)."""

    name: Annotated[str, positional_arg("Its name, key or folder (default: the current one)")] = "."


@dataclass(frozen=True, slots=True)
class ProjectItem:
    """A project of the user's.

    ``state`` is kept, no store (the folder has none) or missing (no such folder). ``written_at`` is
    when its store was last written to, null if there is none; ``when`` says it in words. ``here``
    marks the current project. ``matches`` are the hits of a search, null if the project was not
    searched.
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
    """A git repository in which gitmem is not set up: its name and its folder."""

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


@dataclass(frozen=True, slots=True)
class DiscoveredRepositories:
    """The git repositories in the usual folders where gitmem is not set up."""

    discovered: tuple[DiscoveredRepository, ...]


@dataclass(frozen=True, slots=True)
class ProjectDetails:
    """A project with its former keys (``aliases``) and where its key comes from (``source``).

    ``memories`` is null where its store was not read, and ``note`` says why.
    """

    project: ProjectItem
    aliases: tuple[str, ...]
    source: str
    memories: int | None
    note: str


def list_projects(app: App, request: ListProjectsRequest) -> ProjectList:
    """List the projects where gitmem is set up, or search them all.

    Each with its folder, and when its store was last written to. `gitmem init` enters a project in
    the user's own store, and `gitmem deinit --purge` removes it. A folder that was moved or removed
    is shown as missing; `gitmem init` in its new place corrects the entry. Stores of other projects
    are only opened for --query; of an agent's query only those that mcp.projects lists, and this
    one. --discover looks for repositories one level below folders such as ~/projects and ~/code, as
    the setting projects.discover says: auto (asked for, or no project is known yet), always, never.
    """
    current_root = other_projects.root_of_current_project(app)
    registered = other_projects.registered_projects(app)
    written = [(_last_write(project.root), project) for project in registered]
    written.sort(key=lambda pair: (-(pair[0] or 0), pair[1].root))
    items = [_item(app, project, at, current_root) for at, project in written]
    notes: tuple[str, ...] = ()
    if request.query.strip():
        items, notes = _search(app, items, request)
    mode = app.settings.text(_SETTING)
    looks = request.discover or mode == "always" or (mode == "auto" and not registered)
    repositories = _discover(app, registered) if looks and mode != "never" else ()
    if request.discover and mode == "never":
        notes += (f"No projects were looked for, since the setting {_SETTING} is never.",)
    searched = sum(item.matches is not None for item in items)
    return ProjectList(tuple(items), repositories, searched, notes)


def _search(
    app: App, listed: list[ProjectItem], request: ListProjectsRequest
) -> tuple[list[ProjectItem], tuple[str, ...]]:
    """The projects with their hits, and notes on those that were not searched."""
    from gitmem.retrieval import project_search  # noqa: PLC0415 - most only list them

    items, notes, barred = [], [], 0
    for item in listed:
        if item.state == PRESENT:
            if other_projects.may_use_project(app, item.path):
                try:
                    hits = project_search.search_project(
                        app, item.path, request.query, request.limit
                    )
                    item = replace(item, matches=tuple(hits))
                except GitmemError as error:
                    notes.append(f"{item.name} was not searched: {error.message}")
            else:
                barred += 1
        items.append(item)
    if barred:
        notes.append(f"{quantity(barred, 'project')} not searched. {other_projects.HOW}")
    return items, tuple(notes)


def discover_repositories(app: App, _: EmptyRequest) -> DiscoveredRepositories:
    """List repositories in the usual folders where gitmem is not set up.

    One level below folders of your home folder such as ~/projects and ~/code. Nothing is set up.
    """
    registered = other_projects.registered_projects(app)
    other_projects.root_of_current_project(app)  # with the settings of the project
    if app.settings.text(_SETTING) == "never":
        raise Conflict(
            f"No projects were looked for, since the setting {_SETTING} is never.",
            f"To look when asked: gitmem config --user {_SETTING} auto",
        )
    return DiscoveredRepositories(_discover(app, registered))


def show_project(app: App, request: ShowProjectRequest) -> ProjectDetails:
    """Show one project: its key and former keys, its folder, and what its store holds.

    The store is only read.
    """
    project = other_projects.find_usable_project(app, request.name)
    is_current = project.root == other_projects.root_of_current_project(app)
    shared = app.global_store()
    count, note = None, ""
    try:
        count = reading_app.run_with_read_only_app(app, project.root, _count)
    except GitmemError as error:
        note = error.as_sentences()
    return ProjectDetails(
        _item(app, project, _last_write(project.root), project.root if is_current else ""),
        tuple(projects.former_project_keys(shared, project.key)) if shared else (),
        project.source,
        count,
        note,
    )


def _count(app: App) -> int:
    return memories.count_filtered_memories(app.store, MemoryFilter(states=()))


def _discover(app: App, listed: Iterable[Project]) -> tuple[DiscoveredRepository, ...]:
    """Repositories directly below the usual folders of the home folder that are not listed."""
    roots = {project.root for project in listed}
    repositories: dict[str, DiscoveredRepository] = {}
    for folder in _USUAL if app.settings.home else ():
        with suppress(OSError):
            for entry in os.scandir(os.path.join(app.settings.home, folder)):
                real = os.path.realpath(entry.path)
                if real in roots or not os.path.exists(os.path.join(entry.path, ".git")):
                    continue
                repositories.setdefault(real, DiscoveredRepository(entry.name, entry.path))
    return tuple(
        sorted(repositories.values(), key=lambda repository: repository.path)[:_MOST_DISCOVERED]
    )


def _item(app: App, project: Project, written: int | None, here: str) -> ProjectItem:
    absent = NO_STORE if os.path.isdir(project.root) else MISSING
    return ProjectItem(
        project=project.key,
        name=project.name,
        path=project.root,
        state=absent if written is None else PRESENT,
        added_at=format_iso(project.first_at),
        written_at=None if written is None else format_iso(written),
        when=""
        if written is None
        else durations.format_relative_time(written, app.now, app.display_time_zone),
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
    """Return the text to print: a line for each project, its folder, and hits in it if searched.

    Last come the repositories without gitmem that ``--discover`` found.
    """
    rows = [_rows(item) for item in result.projects]
    rows = rows or ["No project yet: run `gitmem init` in a repository."]
    return "\n".join([*rows, *_discovered_rows(result.discovered), *result.notes])


def view_discovered(result: DiscoveredRepositories) -> str:
    """Return the text to print: a line for each repository."""
    return "\n".join(_discovered_rows(result.discovered) or ["No further repository."])


def _discovered_rows(discovered: Iterable[DiscoveredRepository]) -> list[str]:
    rows = [f"    {one_line(repository.path, WIDTH)}" for repository in discovered]
    return ["Not set up (run `gitmem init` there):", *rows] if rows else []


def view_details(result: ProjectDetails) -> str:
    """Return the text to print: the project, its former keys, and what its store holds."""
    rows = [_rows(result.project), f"    key from the {result.source}" if result.source else ""]
    rows += [f"    formerly {one_line(alias, WIDTH)}" for alias in result.aliases]
    rows += ["" if result.memories is None else f"    {quantity(result.memories, 'memory')}"]
    return "\n".join(filter(None, (*rows, result.note and f"    {one_line(result.note, WIDTH)}")))


def _rows(item: ProjectItem) -> str:
    state = f"last written to {item.when}" if item.state == PRESENT else item.state
    mark = "*" if item.here else " "
    name, project, path = (one_line(text, WIDTH) for text in (item.name, item.project, item.path))
    hits = [f"      {one_line(_place(hit), WIDTH)}" for hit in item.matches or ()]
    return "\n".join([f"{mark} {name} ({project}), {state}", f"    {path}", *hits])


def _place(hit: HitItem) -> str:
    return f"{hit.score:.2f} {hit.path}:{hit.start_line} {hit.symbol or hit.context}"


LIST = Operation("projects list", list_projects, view, READ, "--json", shows_times=True)
DISCOVER = Operation("projects discover", discover_repositories, view_discovered, READ)
SHOW = Operation("projects show", show_project, view_details, READ, "shop", shows_times=True)
