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
from gitmem.githooks.manifest import Manifest
from gitmem.githooks.plan import Hook
from gitmem.githooks.shims import EVENTS, REVIEWS
from gitmem.model.frozen import replace
from gitmem.spool import git_events
from gitmem.store.db import preflight

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.git.layout import Layout
    from gitmem.githooks.hooks_dir import HooksFolder
    from gitmem.githooks.plan import PlannedHook

CONFIG, FILES = "config", "files"
# Suffixes under which pre-commit and lefthook keep the earlier hook.
_SET_ASIDE = (".legacy", ".old")
# The folder in .gitmem from which older versions ran scripts.
_OLD_SCRIPTS = "hooks"


def install(
    layout: Layout,
    command: Sequence[str],
    *,
    version: tuple[int, int] | None = None,
    homes: Mapping[str, str] | None = None,
    token: str = "",
    review: str = "",
) -> tuple[Hook, ...]:
    """Install the hooks; ``review`` is one of ``shims.REVIEWS``, or empty to leave it as it is.

    The hook of the other review is removed, and named among the hooks as such.

    ``command`` starts gitmem; its first word is an absolute path. ``homes`` are the values of
    ``shims.HOMES`` for a git that is started without them. ``token`` begins each line that hooks
    write. ``version`` is git's, asked for when None. Raises NotInitialized, ReadOnly, DiskFull,
    Unavailable.
    """
    store = store_folder(layout)
    if not os.path.isdir(store):
        raise NotInitialized("gitmem is not set up here.", "Run: gitmem init")
    old = manifest.read(store) or Manifest(FILES, "")
    gone: list[Hook] = []
    if review and old.review not in ("", review):
        gone = [hook for hook in uninstall(layout) if hook.event == old.review]
        old = replace(old, review="")
    old = replace(old, review=review or old.review)
    hooks_dir.find_hooks_folder(layout)  # raises before anything is written if git does not work
    configured = (version or hooks_dir.git_version(layout)) >= hooks_dir.CONFIG_HOOKS
    try:
        with suppress(FileExistsError):
            os.mkdir(os.path.join(store, git_events.SPOOL), 0o700)
        renewed = hook_script.write(layout, _script(layout, command, homes, token))
        hooks = (_install_config if configured else _install_files)(layout, store, old)
        _remove_old_scripts(store)
    except OSError as error:
        raise preflight.write_failure_error(error, "A git hook") from error
    if not renewed:
        return (*hooks, *gone)
    return tuple(
        replace(hook, state=plan.INSTALLED) if hook.state == plan.PRESENT else hook
        for hook in (*hooks, *gone)
    )


def uninstall(layout: Layout) -> tuple[Hook, ...]:
    """Remove the hooks, both from files and from the configuration.

    The state of each is removed, absent, or declined if gitmem's lines were damaged.
    """
    store = store_folder(layout)
    old = manifest.read(store) or Manifest(FILES, "")
    try:
        hooks = _remove_files(layout, old)
        in_config = config_hooks.remove(layout, bare_end=old.bare_end)
        hook_script.remove(layout)
        _remove_old_scripts(store)
        git_events.remove_empty_spool(os.path.join(store, git_events.SPOOL))
        manifest.remove(store)
    except OSError as error:
        raise preflight.write_failure_error(error, "A git hook") from error
    path = config_hooks.config_file(layout)
    return tuple(
        Hook(hook.event, plan.REMOVED, path) if hook.event in in_config else hook for hook in hooks
    )


def status(
    layout: Layout,
    command: Sequence[str],
    *,
    version: tuple[int, int] | None = None,
    where: HooksFolder | None = None,
    homes: Mapping[str, str] | None = None,
    token: str = "",
) -> tuple[Hook, ...]:
    """The state of each hook: installed, outdated, absent or declined. Writes nothing.

    ``version`` is git's and ``where`` its hooks folder, both asked for when None.
    """
    store = store_folder(layout)
    where = where or hooks_dir.find_hooks_folder(layout)
    old = manifest.read(store) or Manifest(FILES, "")
    by_config = (version or hooks_dir.git_version(layout)) >= hooks_dir.CONFIG_HOOKS
    settings = config_hooks.read(layout) if by_config else {}
    drift = hook_script.find_drift(layout, _script(layout, command, homes, token))
    hooks = []
    for event in _events(old):
        hook = plan.as_status(_plan_event(where, event, old))
        if config_hooks.is_set(settings, event, shims.config_command(event)):
            hook = Hook(event, plan.INSTALLED, config_hooks.config_file(layout))
        elif by_config and hook.state == plan.DECLINED:
            hook = Hook(event, plan.ABSENT, hook.path)
        if drift and hook.state == plan.INSTALLED:
            hook = replace(hook, state=plan.OUTDATED, reason=drift)
        hooks.append(hook)
    return tuple(hooks)


def renew(layout: Layout, token: str) -> bool:
    """Make the script write ``token``, changing nothing else; False if hooks have no script.

    Raises ReadOnly, DiskFull, ForeignFile.
    """
    content = hook_script.read(layout)
    if not content:
        return manifest.read(store_folder(layout)) is None
    command = shims.start_command(content)
    if command and token.encode() not in content:
        try:
            hook_script.write(layout, _script(layout, command, None, token))
        except OSError as error:
            raise preflight.write_failure_error(error, "A git hook") from error
    return True


def _script(
    layout: Layout, command: Sequence[str], homes: Mapping[str, str] | None, token: str
) -> bytes:
    """The content that the script should have; it keeps earlier homes that are not set now."""
    earlier = shims.home_folders_in(hook_script.read(layout))
    own = {}
    for name, folder in earlier.items():
        with suppress(OSError):
            # Not a folder of another user, which would hold that user's keys.
            if os.name != "posix" or os.stat(folder).st_uid == os.geteuid():
                own[name] = folder
    # Without the store's key, as for another user, the present token has to be trusted.
    token = token or shims.token_in(hook_script.read(layout))
    return shims.script(relative_store_path(layout), command, own | dict(homes or {}), token)


def store_folder(layout: Layout) -> str:
    """The path of the folder ``.gitmem``, in which the hooks also record their events."""
    return os.path.join(layout.store_root, preflight.FOLDER)


def relative_store_path(layout: Layout) -> str:
    """The relative path from the git directory that all worktrees share to ``.gitmem``."""
    way = os.path.relpath(store_folder(layout), layout.common_dir)
    return way.replace(os.sep, "/")


def _install_config(layout: Layout, store: str, old: Manifest) -> tuple[Hook, ...]:
    _remove_files(layout, old)  # files for an older git; else each event would be noted twice
    commands = {event: shims.config_command(event) for event in _events(old)}
    settings = config_hooks.read(layout)
    bare_end = old.bare_end if settings else config_hooks.has_bare_end(layout)
    manifest.write(store, Manifest(CONFIG, "", bare_end=bare_end, review=old.review))
    config_hooks.write(layout, commands)
    path = config_hooks.config_file(layout)
    present = {event: config_hooks.is_set(settings, event, commands[event]) for event in commands}
    return tuple(
        Hook(event, plan.PRESENT if present[event] else plan.INSTALLED, path) for event in commands
    )


def _install_files(layout: Layout, store: str, old: Manifest) -> tuple[Hook, ...]:
    config_hooks.remove(layout, bare_end=old.bare_end)
    where = hooks_dir.find_hooks_folder(layout)
    if old.folder not in ("", where.folder):
        _remove_files(layout, old)  # core.hooksPath has moved since
        old = Manifest(FILES, "", review=old.review)
    planned = [_plan_event(where, event, old) for event in _events(old)]
    makes = not where.reason and not os.path.isdir(where.folder)
    foreign = tuple(each.hook.event for each in planned if each.foreign)
    made = old.made_folder or makes
    manifest.write(store, Manifest(FILES, where.folder, made, foreign=foreign, review=old.review))
    if makes:
        os.mkdir(where.folder)
    _write_files(planned)
    if not where.reason:
        _remove_set_aside(where.folder)
    return tuple(each.hook for each in planned)


def _events(known: Manifest) -> tuple[str, ...]:
    """The events of the hooks that are installed, or are to be."""
    return (*EVENTS, known.review) if known.review else EVENTS


def _plan_event(where: HooksFolder, event: str, old: Manifest) -> PlannedHook:
    file, strange = foreign_file.read_file_state(os.path.join(where.folder, event))
    reason = where.reason or (f"it is {strange}" if strange else "")
    return plan.plan_installation(event, file, reason, known_foreign=event in old.foreign)


def _write_files(planned: Iterable[PlannedHook]) -> None:
    changes = []
    for each in planned:
        if each.is_change:
            file, folder = each.file, os.path.dirname(each.file.target)
            if not each.foreign:
                # A new hook gets the folder's mode, as hooks from git's template do.
                file = replace(file, mode=os.stat(folder).st_mode & 0o777)
            changes.append(FileEdit(file, each.content, keeps_owner=True))
    foreign_file.write_all_files(changes)


def _remove_files(layout: Layout, old: Manifest) -> tuple[Hook, ...]:
    """Remove gitmem's files and lines from all known hooks folders of the repository."""
    current = hooks_dir.find_hooks_folder(layout)
    named = (current.folder, old.folder, os.path.join(layout.common_dir, "hooks"))
    # The manifest may be forged, so its folder is checked like any other.
    places = [hooks_dir.check_folder(layout, folder) for folder in named if folder]
    folders = list(dict.fromkeys(place.folder for place in places if not place.reason))
    planned, hooks = [], []
    for event in (*EVENTS, *REVIEWS):
        here = [
            plan.plan_removal(
                event,
                foreign_file.read_file_state(os.path.join(folder, event))[0],
                known_foreign=event in old.foreign,
            )
            for folder in folders
        ]
        planned += here
        states = [each.hook for each in here]
        # If all folders lie outside the repository, there may be hooks of ours or none.
        state, reason = (plan.DECLINED, current.reason) if old.folder else (plan.ABSENT, "")
        states.append(Hook(event, state, os.path.join(current.folder, event), reason))
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
        file, _ = foreign_file.read_file_state(os.path.join(folder, name))
        if file.content is not None and plan.is_ours(file.content):
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
