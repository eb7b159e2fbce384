"""Connecting agents in all worktrees of a repository, also in those added later.

Hosts read most of their files in the worktree in which they are started, so setup writes to all of
them. The choice for later worktrees is saved in the user's data folder, which no repository can
write to, and carried out by the process that follows git's hooks (``connect_new_worktree``).
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from gitmem.agents.hosts.host import PROJECT, Host
from gitmem.agents.hosts.table import BY_NAME
from gitmem.agents.wiring import apply, host_targets, plan, surroundings
from gitmem.agents.wiring.commit_safety import exclude_setup_files_from_commits
from gitmem.agents.wiring.host_targets import SkippedSetupPart
from gitmem.app import App
from gitmem.errors import GitmemError, Unavailable
from gitmem.files import atomic_write
from gitmem.files.plain_file import read_user_owned_file
from gitmem.git import work_trees
from gitmem.model.frozen import dataclass
from gitmem.store.db import preflight
from gitmem.store.file import registration

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from gitmem.agents.hosts.host_paths import PathTemplateFolders
    from gitmem.agents.wiring.apply import SetupFolders
    from gitmem.agents.wiring.host_targets import SetupTarget
    from gitmem.agents.wiring.plan import FileChange

_NAME, _LARGEST = "worktrees", 1 << 16


@dataclass(frozen=True, slots=True)
class SetupOptions:
    """What setup is to write: for which agent programs (``hosts``), and how they start gitmem.

    ``words`` is the command that starts gitmem; ``scope`` is project, user, or empty (as each
    program allows). ``personal``: the files name the gitmem of this machine. ``replaces``: replace
    entries that are named gitmem but start something else.
    """

    hosts: tuple[Host, ...]
    words: tuple[str, ...]
    scope: str = ""
    skills: bool = False
    personal: bool = True
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class SetupResult:
    """What setup did in one worktree, or would do in a dry run.

    ``steps`` are the changes of files, ``targets`` what was to be written where; ``skipped`` are
    the parts (mcp, hooks, rules, skills) for which an agent program has no file.
    """

    bases: PathTemplateFolders
    steps: list[FileChange]
    targets: list[SetupTarget]
    skipped: list[SkippedSetupPart]


def other_worktrees(app: App) -> Iterator[App]:
    """Yield an App for each other worktree of the repository, main first; closed after use."""
    own_root = app.layout.worktree or app.layout.store_root
    for tree in work_trees.worktree_roots(app.layout):
        if tree != own_root:
            other = App(app.settings, app.clock, tree, agent=app.agent, entropy=app.entropy)
            try:
                yield other
            finally:
                other.close()


def connect_hosts(
    app: App,
    system: str,
    options: SetupOptions,
    *,
    dry_run: bool = False,
    include_user_files: bool = True,
) -> SetupResult:
    """Set up agent programs in one worktree; the SetupResult says what was written and skipped.

    ``system`` is as in ``sys.platform``. ``dry_run``: nothing is written. Without
    ``include_user_files`` the user's own files are left alone. Files that lie in another, the main
    worktree are left out. Raises GitmemError, such as Conflict or ReadOnly; then nothing was
    written.
    """
    bases, folders = surroundings.writable_setup_folders(
        app, system, options.scope, personal=options.personal
    )
    targets, skipped = host_targets.setup_targets(
        bases, options.hosts, options.words, options.scope
    )
    if options.skills:
        skills, without = host_targets.skill_targets(bases, options.hosts, options.scope)
        targets, skipped = [*targets, *skills], [*skipped, *without]
    if not include_user_files:
        targets = [target for target in targets if target.scope == PROJECT]
    skipped += _out_of_reach(app, folders, targets)
    entry_identity = surroundings.own_entry_identity(app, bases, folders, options.words)

    def plan_changes() -> list[FileChange]:
        records = folders.setup_records_by_scope()
        steps = plan.plan_setup(
            entry_identity, targets, records, folders.read_file_snapshot, replace=options.replaces
        )
        steps = [
            step
            for step in steps
            if step.scope != PROJECT or folders.belongs_to_this_worktree(step.path)
        ]
        return steps + exclude_setup_files_from_commits(
            app, folders, steps, personal=options.personal
        )

    steps = plan_changes() if dry_run else apply.apply_changes(folders, plan_changes)
    return SetupResult(bases, steps, targets, skipped)


def _out_of_reach(
    app: App, folders: SetupFolders, targets: list[SetupTarget]
) -> Iterator[SkippedSetupPart]:
    """Parts that a host would read beside a bare ``.git``, where there is no worktree."""
    away = [
        target
        for target in targets
        if target.scope == PROJECT and not folders.belongs_to_this_worktree(target.path)
    ]
    if not away or folders.main in work_trees.worktree_roots(app.layout):
        return
    for target in away:
        title = BY_NAME[target.agent].title
        reason = f"{title} reads it in {folders.main}, which is no worktree: --scope user"
        yield SkippedSetupPart(target.agent, target.part, reason)


def save_setup_options(app: App, options: SetupOptions) -> None:
    """Record how agents are to be set up in worktrees that will be added to the repository later.

    Holds until ``forget_setup_options``. Raises Unavailable if the repository has no memory
    database, ReadOnly, DiskFull.
    """
    earlier = load_setup_options(app)
    names = {host.name for host in (*(earlier.hosts if earlier else ()), *options.hosts)}
    _save(_choice_path(app), options, sorted(names))


def load_setup_options(app: App) -> SetupOptions | None:
    """The recorded SetupOptions for worktrees that are added later; None if there are none."""
    try:
        content = json.loads(read_user_owned_file(_choice_path(app), _LARGEST))
        hosts = tuple(BY_NAME[name] for name in content["agents"])
        words = tuple(str(word) for word in content["words"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    personal, skills = content.get("personal") is not False, content.get("skills") is True
    return SetupOptions(hosts, words, "", skills, personal) if hosts and words else None


def forget_setup_options(app: App, agents: Collection[str]) -> None:
    """Stop setting up these agents (empty: all) in worktrees added later. Raises ReadOnly."""
    earlier = load_setup_options(app)
    if earlier is None:
        return
    remaining = [host.name for host in earlier.hosts if agents and host.name not in agents]
    _save(_choice_path(app), earlier, remaining)


def connect_new_worktree(app: App, worktree_folder: str) -> bool:
    """Set up agents in the worktree at ``worktree_folder`` if ``save_setup_options`` asked for it.

    Returns whether it did; errors are ignored.
    """
    order = load_setup_options(app)
    if order is None:
        return False
    with suppress(GitmemError):  # `gitmem setup --status` in that worktree shows what is missing
        connect_hosts(
            app.for_worktree(worktree_folder), sys.platform, order, include_user_files=False
        )
        return True
    return False


def _choice_path(app: App) -> str:
    """The file of the choice for this repository's store; empty if there is no store."""
    stores = app.settings.stores_folder
    store, _ = registration.store_and_settings_ids_at(stores, app.layout.store_root)
    folder = registration.store_data_folder(stores, store)
    return os.path.join(folder, _NAME) if folder else ""


def _save(path: str, options: SetupOptions, agents: list[str]) -> None:
    """Save an order for these agents; without agents remove the file."""
    if not path:
        raise Unavailable(
            "gitmem is not set up here, so it cannot set up agents in worktrees added later.",
            "Run `gitmem init`, then repeat the command.",
        )
    try:
        if not agents:
            os.unlink(path)
            return
        content = {
            "agents": agents,
            "words": options.words,
            "personal": options.personal,
            "skills": options.skills,
        }
        atomic_write.replace_file(path, json.dumps(content).encode(), 0o600)
    except OSError as error:
        raise preflight.write_failure_error(error, f"The file {path}") from error
