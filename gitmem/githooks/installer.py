"""Installing gitmem's git hooks, removing them, and reporting their state.

git 2.54 and later get hooks in the repository's configuration, older ones files in the hooks
folder; both have one line that sources the script in the git directory. An existing shell script
gets marked lines and keeps its name, mode and behaviour; if that is not possible, nothing is
written and the line to add is shown. Installing twice changes nothing, and removing restores every
byte. Hooks of older versions have the same marks, so installing replaces them.
"""

from __future__ import annotations

import os
from contextlib import suppress

from gitmem.errors import NotInitialized
from gitmem.files import foreign_file
from gitmem.files.foreign_file import FileEdit
from gitmem.githooks import config_hooks, hook_script, hooks_dir, manifest, plan, shims
from gitmem.githooks.manifest import HookManifest
from gitmem.githooks.plan import HookState
from gitmem.githooks.shims import EVENTS, REVIEWS
from gitmem.model.frozen import replace
from gitmem.spool import git_events
from gitmem.store.db import preflight

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.git.layout import RepositoryLayout
    from gitmem.githooks.hooks_dir import HooksFolder
    from gitmem.githooks.plan import PlannedHookFile

CONFIG, FILES = "config", "files"
# Suffixes under which pre-commit and lefthook keep the earlier hook.
_SET_ASIDE = (".legacy", ".old")
# The folder in .gitmem from which older versions ran scripts.
_OLD_SCRIPTS = "hooks"


def install_hooks(
    layout: RepositoryLayout,
    start_command: Sequence[str],
    *,
    known_git_version: tuple[int, int] | None = None,
    home_variables: Mapping[str, str] | None = None,
    token: str = "",
    review_hook: str = "",
) -> tuple[HookState, ...]:
    """Install gitmem's git hooks in a repository with ``.gitmem``; returns a HookState for each.

    ``start_command`` starts gitmem; its first word is an absolute path. ``review_hook`` (pre-commit
    or pre-push) is the hook that also runs a review, in place of any earlier choice, whose removal
    is in the result; empty leaves the choice. ``home_variables`` are the values of GITMEM_HOME and
    XDG_DATA_HOME for a git that is started without them. ``token`` is the secret word with which
    each line begins that the hooks write. ``known_git_version``: None asks git. Raises
    NotInitialized, ReadOnly, DiskFull, Unavailable.
    """
    store = store_folder_path(layout)
    if not os.path.isdir(store):
        raise NotInitialized("gitmem is not set up here.", "Run: gitmem init")
    old = manifest.read_hook_manifest(store) or HookManifest(FILES, "")
    removed: list[HookState] = []
    if review_hook and old.review not in ("", review_hook):
        removed = [hook for hook in uninstall_hooks(layout) if hook.event == old.review]
        old = replace(old, review="")
    old = replace(old, review=review_hook or old.review)
    hooks_dir.find_hooks_folder(layout)  # raises before anything is written if git does not work
    configured = (known_git_version or hooks_dir.read_git_version(layout)) >= hooks_dir.CONFIG_HOOKS
    try:
        with suppress(FileExistsError):
            os.mkdir(os.path.join(store, git_events.SPOOL), 0o700)
        renewed = hook_script.write_hook_script(
            layout, _script(layout, start_command, home_variables, token)
        )
        hooks = (_install_config if configured else _install_files)(layout, store, old)
        _remove_old_scripts(store)
    except OSError as error:
        raise preflight.write_failure_error(error, "A git hook") from error
    if not renewed:
        return (*hooks, *removed)
    return tuple(
        replace(hook, state=plan.INSTALLED) if hook.state == plan.PRESENT else hook
        for hook in (*hooks, *removed)
    )


def uninstall_hooks(layout: RepositoryLayout) -> tuple[HookState, ...]:
    """Remove gitmem's git hooks from files and git's configuration; returns a HookState for each.

    The states are removed, absent, or declined (left to the user) if gitmem's lines were damaged.
    """
    store = store_folder_path(layout)
    old = manifest.read_hook_manifest(store) or HookManifest(FILES, "")
    try:
        hooks = _remove_files(layout, old)
        in_config = config_hooks.remove_hook_sections(layout, remove_final_newline=old.bare_end)
        hook_script.remove_hook_script(layout)
        _remove_old_scripts(store)
        git_events.remove_empty_spool(os.path.join(store, git_events.SPOOL))
        manifest.remove_hook_manifest(store)
    except OSError as error:
        raise preflight.write_failure_error(error, "A git hook") from error
    path = config_hooks.git_config_path(layout)
    return tuple(
        HookState(hook.event, plan.REMOVED, path) if hook.event in in_config else hook
        for hook in hooks
    )


def read_hook_states(
    layout: RepositoryLayout,
    start_command: Sequence[str],
    *,
    known_git_version: tuple[int, int] | None = None,
    hooks_folder: HooksFolder | None = None,
    home_variables: Mapping[str, str] | None = None,
    token: str = "",
) -> tuple[HookState, ...]:
    """A HookState for each git hook: installed, outdated, absent or declined. Writes nothing.

    Declined: gitmem may not write that file. ``start_command``, ``home_variables`` and ``token``
    are what ``install_hooks`` would be given: hooks that were written with others are outdated.
    ``known_git_version`` and ``hooks_folder``, where git looks for hooks: None asks git.
    """
    store = store_folder_path(layout)
    hooks_folder = hooks_folder or hooks_dir.find_hooks_folder(layout)
    old = manifest.read_hook_manifest(store) or HookManifest(FILES, "")
    by_config = (known_git_version or hooks_dir.read_git_version(layout)) >= hooks_dir.CONFIG_HOOKS
    settings = config_hooks.read_hook_settings(layout) if by_config else {}
    drift = hook_script.describe_script_drift(
        layout, _script(layout, start_command, home_variables, token)
    )
    hooks = []
    for event in _events(old):
        hook = plan.hook_state_before_change(_plan_event(hooks_folder, event, old))
        if config_hooks.is_hook_command_set(settings, event, shims.hook_config_command(event)):
            hook = HookState(event, plan.INSTALLED, config_hooks.git_config_path(layout))
        elif by_config and hook.state == plan.DECLINED:
            hook = HookState(event, plan.ABSENT, hook.path)
        if drift and hook.state == plan.INSTALLED:
            hook = replace(hook, state=plan.OUTDATED, reason=drift)
        hooks.append(hook)
    return tuple(hooks)


def set_hook_token(layout: RepositoryLayout, token: str) -> bool:
    """Write ``token`` into the script of installed git hooks; False if they have no script.

    The token is the secret word with which each line begins that the hooks write. True also if no
    hooks are installed, or the script cannot be understood and is left alone. Raises ReadOnly,
    DiskFull, ForeignFile.
    """
    content = hook_script.read_hook_script(layout)
    if not content:
        return manifest.read_hook_manifest(store_folder_path(layout)) is None
    command = shims.start_command_in_script(content)
    if command and token.encode() not in content:
        try:
            hook_script.write_hook_script(layout, _script(layout, command, None, token))
        except OSError as error:
            raise preflight.write_failure_error(error, "A git hook") from error
    return True


def _script(
    layout: RepositoryLayout, command: Sequence[str], homes: Mapping[str, str] | None, token: str
) -> bytes:
    """The content that the script should have; it keeps earlier homes that are not set now."""
    earlier = shims.home_folders_in_script(hook_script.read_hook_script(layout))
    home_folders = {}
    for name, folder in earlier.items():
        with suppress(OSError):
            # Not a folder of another user, which would hold that user's keys.
            if os.name != "posix" or os.stat(folder).st_uid == os.geteuid():
                home_folders[name] = folder
    # Without the store's key, as for another user, the present token has to be trusted.
    token = token or shims.token_in_script(hook_script.read_hook_script(layout))
    return shims.hook_script_text(
        store_path_from_git_dir(layout), command, home_folders | dict(homes or {}), token
    )


def store_folder_path(layout: RepositoryLayout) -> str:
    """The path of ``.gitmem``, the folder of the repository's memory database and hook events."""
    return os.path.join(layout.store_root, preflight.FOLDER)


def store_path_from_git_dir(layout: RepositoryLayout) -> str:
    """The path of ``.gitmem`` relative to the git directory that all worktrees share, with "/"."""
    relative_path = os.path.relpath(store_folder_path(layout), layout.common_dir)
    return relative_path.replace(os.sep, "/")


def _install_config(
    layout: RepositoryLayout, store: str, old: HookManifest
) -> tuple[HookState, ...]:
    _remove_files(layout, old)  # files for an older git; else each event would be noted twice
    commands = {event: shims.hook_config_command(event) for event in _events(old)}
    settings = config_hooks.read_hook_settings(layout)
    bare_end = old.bare_end if settings else config_hooks.lacks_final_newline(layout)
    manifest.write_hook_manifest(
        store, HookManifest(CONFIG, "", bare_end=bare_end, review=old.review)
    )
    config_hooks.write_hook_commands(layout, commands)
    path = config_hooks.git_config_path(layout)
    present = {
        event: config_hooks.is_hook_command_set(settings, event, commands[event])
        for event in commands
    }
    return tuple(
        HookState(event, plan.PRESENT if present[event] else plan.INSTALLED, path)
        for event in commands
    )


def _install_files(
    layout: RepositoryLayout, store: str, old: HookManifest
) -> tuple[HookState, ...]:
    config_hooks.remove_hook_sections(layout, remove_final_newline=old.bare_end)
    where = hooks_dir.find_hooks_folder(layout)
    if old.folder not in ("", where.folder):
        _remove_files(layout, old)  # core.hooksPath has moved since
        old = HookManifest(FILES, "", review=old.review)
    planned = [_plan_event(where, event, old) for event in _events(old)]
    makes = not where.reason and not os.path.isdir(where.folder)
    foreign = tuple(planned_file.hook.event for planned_file in planned if planned_file.foreign)
    made_folder = old.made_folder or makes
    manifest.write_hook_manifest(
        store, HookManifest(FILES, where.folder, made_folder, foreign=foreign, review=old.review)
    )
    if makes:
        os.mkdir(where.folder)
    _write_files(planned)
    if not where.reason:
        _remove_set_aside(where.folder)
    return tuple(planned_file.hook for planned_file in planned)


def _events(known: HookManifest) -> tuple[str, ...]:
    """The events of the hooks that are installed, or are to be."""
    return (*EVENTS, known.review) if known.review else EVENTS


def _plan_event(where: HooksFolder, event: str, old: HookManifest) -> PlannedHookFile:
    file, file_kind = foreign_file.read_file_snapshot(os.path.join(where.folder, event))
    reason = where.reason or (f"it is {file_kind}" if file_kind else "")
    return plan.plan_hook_installation(
        event, file, reason, file_predates_gitmem=event in old.foreign
    )


def _write_files(planned: Iterable[PlannedHookFile]) -> None:
    changes = []
    for planned_file in planned:
        if planned_file.is_change:
            file, folder = planned_file.file, os.path.dirname(planned_file.file.target)
            if not planned_file.foreign:
                # A new hook gets the folder's mode, as hooks from git's template do.
                file = replace(file, mode=os.stat(folder).st_mode & 0o777)
            changes.append(FileEdit(file, planned_file.content, keeps_owner=True))
    foreign_file.write_all_files(changes)


def _remove_files(layout: RepositoryLayout, old: HookManifest) -> tuple[HookState, ...]:
    """Remove gitmem's files and lines from all known hooks folders of the repository."""
    current = hooks_dir.find_hooks_folder(layout)
    named = (current.folder, old.folder, os.path.join(layout.common_dir, "hooks"))
    # The manifest may be forged, so its folder is checked like any other.
    places = [hooks_dir.resolve_hooks_folder(layout, folder) for folder in named if folder]
    folders = list(dict.fromkeys(place.folder for place in places if not place.reason))
    planned, hooks = [], []
    for event in (*EVENTS, *REVIEWS):
        removals = [
            plan.plan_hook_removal(
                event,
                foreign_file.read_file_snapshot(os.path.join(folder, event))[0],
                file_predates_gitmem=event in old.foreign,
            )
            for folder in folders
        ]
        planned += removals
        states = [planned_file.hook for planned_file in removals]
        # If all folders lie outside the repository, there may be hooks of ours or none.
        state, reason = (plan.DECLINED, current.reason) if old.folder else (plan.ABSENT, "")
        states.append(HookState(event, state, os.path.join(current.folder, event), reason))
        present = [hook for hook in states[: len(folders)] if hook.state != plan.ABSENT]
        if present or event in _events(old):
            hooks.append((present or states)[0])
    _write_files(planned)
    for folder in folders:
        _remove_set_aside(folder)
    if old.made_folder and old.folder in folders:
        with suppress(OSError):
            os.rmdir(old.folder)
    return tuple(hooks)


def _remove_set_aside(folder: str) -> None:
    """Remove gitmem's hooks that another tool renamed and may still run, repeating events."""
    for name in [event + end for event in (*EVENTS, *REVIEWS) for end in _SET_ASIDE]:
        file, _ = foreign_file.read_file_snapshot(os.path.join(folder, name))
        if file.content is not None and plan.is_gitmem_hook_file(file.content):
            os.unlink(file.target)


def _remove_old_scripts(store: str) -> None:
    """Remove the scripts that older versions ran from ``.gitmem``, which a clone may contain."""
    folder = os.path.join(store, _OLD_SCRIPTS)
    if os.path.islink(folder):
        return
    for name in EVENTS:
        with suppress(OSError):
            os.unlink(os.path.join(folder, name))
    with suppress(OSError):
        os.rmdir(folder)
