"""Entering projects in the user's list, removing them, and renewing their keys."""

import os

from gitmem.app import App
from gitmem.branches import other_projects, reading_app
from gitmem.errors import GitmemError, NotInitialized
from gitmem.maintenance import former_keys
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Operation, Texts, positional_arg
from gitmem.store.db import projects
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

_WIDTH = 1000


@dataclass(frozen=True, slots=True)
class AddProjectRequest:
    """Arguments of `gitmem projects add`: the folder of the project (``.``: the current one)."""

    folder: Annotated[str, positional_arg("Its folder (default: the current one)")] = "."


@dataclass(frozen=True, slots=True)
class RemoveProjectRequest:
    """Arguments of `gitmem projects remove`: the name, key or folder of a project to unlist."""

    name: Annotated[str, positional_arg("Its name, key or folder")]


@dataclass(frozen=True, slots=True)
class NormaliseProjectsRequest:
    """Arguments of `gitmem projects normalise`: names, keys or folders of projects (empty: all)."""

    name: Annotated[Texts, positional_arg("Names, keys or folders (default: all)")] = ()
    dry_run: shared.DryRun = False


@dataclass(frozen=True, slots=True)
class ProjectListChange:
    """A project that was added to the list (``listed``) or removed from it."""

    project: str
    name: str
    path: str
    listed: bool


@dataclass(frozen=True, slots=True)
class NormalisedProject:
    """A project whose key was to be renewed, the ``former`` key if it differs, and what is moved.

    ``moved`` counts memories by the former key that they were saved under; ``problem`` says why
    nothing could be done.
    """

    project: str
    path: str
    former: str = ""
    moved: dict[str, int] | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class NormaliseProjectsResult:
    """The projects whose keys were to be renewed; ``failed`` could not be looked at."""

    projects: tuple[NormalisedProject, ...]
    failed: int
    dry_run: bool


def add_project(app: App, request: AddProjectRequest) -> ProjectListChange:
    """Enter a project that has a store of yours in the list of projects.

    `gitmem init` does so too. Of a project that was moved this corrects the folder.
    """
    target = _app_in(app, request.folder)
    try:
        if not target.has_store:
            raise NotInitialized(
                f"There is no store in {target.layout.store_root}.", "Run `gitmem init` there."
            )
        identity = target.project_identity
        _enter(target)
        return ProjectListChange(identity.key, identity.name, target.layout.store_root, listed=True)
    finally:
        target.close()


def remove_project(app: App, request: RemoveProjectRequest) -> ProjectListChange:
    """Remove a project from the list of projects; its store and files stay.

    `gitmem projects add` enters it again.
    """
    project, shared = other_projects.find_usable_project(app, request.name), app.global_store()
    assert shared is not None  # the project is listed in it
    with shared.write():
        projects.forget_project(shared, project.root)
    return ProjectListChange(project.key, project.name, project.root, listed=False)


def normalise_project_keys(app: App, request: NormaliseProjectsRequest) -> NormaliseProjectsResult:
    """Renew the keys of projects, and move memories from former keys to the present one.

    A key changes with the remote or the configured name, for instance; paths of agents' worktrees
    are former keys too. Nothing else of a memory changes.
    """
    chosen, _ = other_projects.select_projects(app, request.name or (other_projects.ALL,))
    former = {project.root: project.key for project in other_projects.registered_projects(app)}
    done = []
    for label, root in chosen.items():
        key = former.get(root, label)
        try:
            result = reading_app.run_with_read_only_app(
                app, root, lambda there: (there.project_identity.key, _found(there))
            )
            if not request.dry_run:
                result = _renew(app, root)
        except GitmemError as error:
            done.append(NormalisedProject(key, root, problem=error.as_sentences()))
            continue
        done.append(NormalisedProject(result[0], root, key if key != result[0] else "", result[1]))
    failed = sum(bool(project.problem) for project in done)
    return NormaliseProjectsResult(tuple(done), failed, request.dry_run)


def _found(there: App) -> dict[str, int]:
    return former_keys.count_memories_by_former_project_key(there, there.store)


def _renew(app: App, root: str) -> tuple[str, dict[str, int]]:
    """The present key, and how many memories were moved from each former one."""
    target = _app_in(app, root)
    try:
        key = target.project_identity.key
        _enter(target)
        moved = _found(target)
        former_keys.move_memories_to_project_key(target, target.store)
        return key, moved
    finally:
        target.close()


def _app_in(app: App, folder: str) -> App:
    return App.for_project(app, os.path.join(app.start, os.path.expanduser(folder)))


def _enter(there: App) -> None:
    """Enter a project in the user's list. Raises Unavailable without a home folder."""
    shared = there.global_store(create=True)
    assert shared is not None
    with shared.write():
        there.record_project(shared, there.project_identity)


def view(result: ProjectListChange) -> str:
    """Return the text to print: whether the project was listed or removed."""
    shown = one_line(f"{result.name} ({result.project})", _WIDTH)
    if result.listed:
        return f"listed  {shown}\n    {one_line(result.path, _WIDTH)}"
    return f"removed from the list  {shown}; its store stays in {one_line(result.path, _WIDTH)}"


def view_normalised(result: NormaliseProjectsResult) -> str:
    """Return the text to print: a line for each project that changes or has a problem."""
    rows = []
    for item in result.projects:
        changes = [f"was {item.former}"] if item.former else []
        changes += [f"{quantity(n, 'memory')} under {old}" for old, n in (item.moved or {}).items()]
        if item.problem or changes:
            text = item.problem or f"{'; '.join(changes)}{' (not changed)' * result.dry_run}"
            rows.append(one_line(f"{item.project}: {text}", _WIDTH))
    if left := len(result.projects) - len(rows):
        rows.append(f"{quantity(left, 'project')} with nothing to change")
    return "\n".join(rows) or "No project yet: run `gitmem init` in a repository."


ADD = Operation("projects add", add_project, view, WRITE, "~/code/shop")
REMOVE = Operation("projects remove", remove_project, view, WRITE, "shop")
NORMALISE = Operation(
    "projects normalise", normalise_project_keys, view_normalised, WRITE, "--dry-run"
)
