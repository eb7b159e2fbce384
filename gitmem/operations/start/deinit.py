"""Removing gitmem from a repository."""

import os
import sys
import time
from contextlib import suppress
from itertools import chain

from gitmem.agents.hosts.host import PROJECT
from gitmem.agents.hosts.host_paths import shorten_paths
from gitmem.agents.wiring import checkouts, plan, removal
from gitmem.agents.wiring.commit_safety import SetupFileSummary, summarise_setup_files
from gitmem.agents.wiring.surroundings import writable_setup_folders
from gitmem.app import App
from gitmem.capture.provenance import require_person
from gitmem.errors import GitmemError, Unavailable
from gitmem.git import root_note
from gitmem.githooks import hook_status
from gitmem.githooks.plan import HookState
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import DELETE, Annotated, Arg, Operation
from gitmem.spool import git_events, lease
from gitmem.spool.lease import SpoolLease
from gitmem.store.db import preflight, projects
from gitmem.store.file import copies_folder, outside_copy, registration
from gitmem.text.fence import one_line

_DRAIN_TRIES, _PAUSE_SECONDS = 50, 0.1  # to wait for a running drain
_STAYS = (
    "These stay: your global memories, exports and backups in other folders, and what "
    "`gitmem sync` sent to a remote (refs/gitmem there)."
)
_ABSENT, _RETAINED, _REMOVED = "absent", "kept", "removed"


@dataclass(frozen=True, slots=True)
class DeinitRequest:
    """Arguments of `gitmem deinit`: whether to delete the store with all memories (``purge``)."""

    purge: Annotated[
        bool, Arg("Also delete .gitmem with all memories, backups and copies, permanently")
    ] = False
    dry_run: shared.DryRun = False


@dataclass(frozen=True, slots=True)
class DeinitResult:
    """What was removed. ``files`` are those that `gitmem setup` wrote for agents.

    ``store`` is kept, removed or absent; ``folder`` is .gitmem. ``forgotten``: the project was
    removed from the user's list of projects. ``project`` and ``home`` are the folders that
    displayed paths are relative to.
    """

    hooks: tuple[HookState, ...]
    files: tuple[SetupFileSummary, ...]
    folder: str
    store: str
    forgotten: bool
    dry_run: bool
    project: str
    home: str
    notes: tuple[str, ...]


def remove_gitmem(app: App, request: DeinitRequest) -> DeinitResult:
    """Remove gitmem from this repository: git hooks and what `gitmem setup` wrote.

    Every other byte of a file stays as it is. The store stays, and `gitmem init` uses it again,
    unless --purge deletes it as well, with its backups, its copies and the project's entry in your
    list; you are asked first, --yes answers, and no agent can do it. Files in all worktrees are
    included. What agents read in your home folder is removed if no other project of yours uses
    gitmem.
    """
    if request.purge and not request.dry_run:
        require_person(app, "delete the store")
    app.refuse_tracked_store()
    notes: list[str] = []
    taken = _take_hooks(app, request)
    changed = _take_agents(app, request, notes)
    folder = os.path.join(app.layout.store_root, preflight.FOLDER)
    store, forgotten = _ABSENT, False
    if os.path.lexists(folder):
        store = _REMOVED if request.purge else _RETAINED
    # Read before the place is forgotten.
    store_id, settings_id = registration.store_and_settings_ids_at(
        app.settings.stores_folder, app.layout.store_root
    )
    if request.purge and not store_id and app.has_store:  # after a `deinit` that kept the store
        with suppress(GitmemError):
            store_id = settings_id = app.store.store
    copies = copies_folder.folder_of_copies(app.settings.stores_folder, store_id)
    if os.path.isdir(copies):
        fate = "go with it" if request.purge else "are kept"
        notes.append(f"Its copies {fate}: {copies}")
    if store == _REMOVED:
        notes.append(_STAYS)
    if not (request.purge or request.dry_run) and store_id == settings_id:
        # The store that stays identifies itself; one at store.path is only found by the note.
        registration.delete_repository_token_file(app.layout.store_root)
    if request.purge:
        place = app.store_path
        if os.path.lexists(place) and not os.path.abspath(place).startswith(folder + os.sep):
            notes.append(f"The store is kept, since store.path points elsewhere: {place}")
        forgotten = _forget(app, request.dry_run, notes)
        if not request.dry_run:
            app.close_stores()
            _remove_folder(folder)
            for id in {store_id, settings_id}:
                _remove_copies(app, id)
            root_note.remove_main_worktree_location(app.layout)
    return DeinitResult(
        hooks=taken,
        files=changed,
        folder=folder,
        store=store,
        forgotten=forgotten,
        dry_run=request.dry_run,
        project=app.layout.worktree or app.layout.store_root,
        home=app.settings.home,
        notes=tuple(notes),
    )


def _take_hooks(app: App, request: DeinitRequest) -> tuple[HookState, ...]:
    """The hooks that were installed; a damaged one stays, with the reason."""
    if app.layout.plain:
        return ()
    if request.dry_run:
        there = hook_status.read_hook_states(app).hooks
        return tuple(hook for hook in there if hook.state in (*hook_status.IN_PLACE, "outdated"))
    done = hook_status.uninstall_hooks(app).hooks
    return tuple(hook for hook in done if hook.state != _ABSENT)


def _take_agents(
    app: App, request: DeinitRequest, notes: list[str]
) -> tuple[SetupFileSummary, ...]:
    """Remove what setup wrote from every worktree, and from the home folder if no project needs it.

    The manifests of all worktrees are in the store, so this comes before the store is removed.
    """
    others, stays = removal.other_project_roots(app), removal.describe_shared_user_files(app, ())
    files: dict[str, SetupFileSummary] = {}
    for there in chain((app,), checkouts.other_worktrees(app)):
        scope = PROJECT if others or there is not app else ""
        done, left = _unwire(there, scope, request.dry_run)
        files |= {file.path: file for file in done if file.state != plan.UNCHANGED}
        notes += [note for note in left if note not in notes]
    if not request.dry_run:
        checkouts.forget_setup_options(app, ())
    notes += [stays] if stays else []
    return tuple(files.values())


def _unwire(app: App, scope: str, dry_run: bool) -> tuple[tuple[SetupFileSummary, ...], list[str]]:
    """The files and their new states, and notes on what is left."""
    bases, folders = writable_setup_folders(app, sys.platform, scope, personal=True)
    steps = removal.remove_setup(app, bases, folders, scope=scope, dry_run=dry_run)
    items = summarise_setup_files(app, steps, bases.project, personal=True)
    return items, removal.describe_leftovers(app, bases, folders, dry_run=dry_run)


def _remove_copies(app: App, store_id: str) -> None:
    """Remove the key, the settings and the copies in the user's data folder."""
    stores, root = app.settings.stores_folder, app.layout.store_root
    outside_copy.remove_store_data(stores, store_id, root)
    with suppress(OSError):
        registration.delete_store_location(stores, root)


def _forget(app: App, dry_run: bool, notes: list[str]) -> bool:
    """Strike the project off the user's own list; return whether it was there."""
    root = app.layout.store_root
    try:
        shared = app.global_store()
        if shared is None:
            return False
        if dry_run:
            return any(project.root == root for project in projects.registered_projects(shared))
        with shared.write():
            forgotten = projects.forget_project(shared, root)
        app.keys.delete_store_location(root)
        return forgotten
    except GitmemError as error:
        notes.append(f"The project is still listed among your projects: {error.message}")
        return False


def _remove_folder(folder: str) -> None:
    """Remove ``.gitmem`` once no drain is running in it."""
    held = _wait_for_drain(os.path.join(folder, git_events.SPOOL))
    try:
        preflight.remove_store_folder(folder)
    finally:
        if held:
            held.release()


def _wait_for_drain(folder: str) -> SpoolLease | None:
    if not os.path.isdir(folder):
        return None
    for _ in range(_DRAIN_TRIES):
        try:
            if held := lease.try_take_spool_lease(folder, os.getpid()):
                return held
        except Unavailable:
            return None  # not writable: removing it says so
        time.sleep(_PAUSE_SECONDS)
    raise Unavailable(
        "Another process, `gitmem drain`, is using the store, so the store was not removed.",
        "Run `gitmem deinit --purge` again in a minute.",
    )


def view(result: DeinitResult) -> str:
    """Return the text to print: the files and hooks that were removed, and what stays."""
    lines = ["Without --dry-run, this would be done:"] if result.dry_run else []
    lines += _hook_lines(result)
    for file in result.files:
        state = "remove" if result.dry_run and file.state == plan.REMOVED else file.state
        name = one_line(shorten_paths(file.path, result.project, result.home), 200)
        lines.append(f"{state:<8} {name}" + (f": {file.note}" if file.note else ""))
    name = one_line(shorten_paths(result.folder, result.project, result.home), 200)
    if result.store == _REMOVED:
        word = "remove" if result.dry_run else "removed"
        lines.append(f"{word:<8} {name}: the store and its backups")
    elif result.store == _RETAINED:
        lines.append(f"{'kept':<8} {name}: the store; gitmem deinit --purge removes it too")
    if result.forgotten:
        lines.append(
            f"{'forget' if result.dry_run else 'forgot':<8} the project in your list of projects"
        )
    if not lines or (result.dry_run and len(lines) == 1):
        lines = ["nothing to do"]
    return "\n".join(
        [
            *lines,
            *(
                f"note: {one_line(shorten_paths(note, result.project, result.home), 600)}"
                for note in result.notes
            ),
        ]
    )


def _hook_lines(result: DeinitResult) -> list[str]:
    taken = [hook.event for hook in result.hooks if hook.state != "declined"]
    word = "remove" if result.dry_run else "removed"
    lines = [f"{word:<8} git hooks: {', '.join(taken)}"] if taken else []
    left = [hook for hook in result.hooks if hook.state == "declined"]
    return lines + [f"{'kept':<8} {hook.event}: {one_line(hook.reason, 200)}" for hook in left]


DEINIT = Operation(
    "deinit",
    remove_gitmem,
    view,
    DELETE,
    "--dry-run",
    confirm="Permanently delete .gitmem with all memories and backups?",
    confirm_if="purge",
)
