"""Removing gitmem from the files of hosts, in one worktree or all."""

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress

from gitmem.agents.hosts.host import MCP, PARTS, PROJECT, SCOPES, USER
from gitmem.agents.hosts.host_paths import PathTemplateFolders
from gitmem.agents.hosts.table import BY_NAME
from gitmem.agents.wiring import (
    apply,
    host_approval,
    host_targets,
    impostors,
    plan,
    surroundings,
)
from gitmem.agents.wiring.apply import SetupFolders
from gitmem.agents.wiring.commit_safety import exclude_setup_files_from_commits
from gitmem.agents.wiring.host_targets import SetupTarget
from gitmem.agents.wiring.plan import FileChange
from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.model.frozen import replace
from gitmem.store.db import preflight, projects
from gitmem.store.file import registration

_LISTED = 3  # other projects that are named


def remove_setup(
    app: App,
    bases: PathTemplateFolders,
    folders: SetupFolders,
    agents: Collection[str] = (),
    *,
    scope: str = "",
    dry_run: bool = False,
) -> list[FileChange]:
    """Remove what setup wrote for all agents, or for some; returns the FileChanges.

    For named agents, unrecorded pieces in their files are removed as well. ``scope`` is project or
    user; empty: both, but the user's files only if no other project of the user has a store.
    ``dry_run``: nothing is written. Raises GitmemError; then nothing was written.
    """
    names = agents or tuple(BY_NAME)
    candidates = list(_candidates(bases, names)) if agents else []
    own = surroundings.own_entry_identity(app, bases, folders)

    def plan_changes() -> list[FileChange]:
        shared = not scope and folders.project and other_project_roots(app)
        scopes = (scope,) if scope else (PROJECT,) if shared else SCOPES
        records = {
            where: files
            for where, files in folders.setup_records_by_scope().items()
            if where in scopes
        }
        targets = [target for target in candidates if target.scope in records]
        steps = plan.plan_removal(own, names, records, targets, folders.read_file_snapshot)
        return steps + exclude_setup_files_from_commits(app, folders, steps, personal=True)

    return plan_changes() if dry_run else apply.apply_changes(folders, plan_changes)


def describe_leftovers(
    app: App,
    bases: PathTemplateFolders,
    folders: SetupFolders,
    agents: Collection[str] = (),
    *,
    dry_run: bool = False,
) -> list[str]:
    """Sentences on what a removal of gitmem's setup left in the files of agent programs.

    These are entries named gitmem that gitmem did not write, and approvals for a server of that
    name. ``dry_run``: the removal was not carried out, so nothing counts as still set up.
    """
    names = agents or tuple(BY_NAME)
    own = surroundings.own_entry_identity(app, bases, folders)
    strays = [
        entry
        for name in names
        for entry in impostors.find_impostors_of_host(
            own, BY_NAME[name], folders.read_file_snapshot
        )
    ]
    notes = [f"Still there: {entry.message}. {entry.hint}" for entry in strays]
    served = set() if dry_run else _wired_agents(folders, {MCP}, SCOPES)
    for name in names:
        if name not in served:
            notes += host_approval.describe_approvals(bases, BY_NAME[name])
    return list(dict.fromkeys(notes))


def _wired_agents(
    folders: SetupFolders, parts: Collection[str], scopes: Collection[str]
) -> set[str]:
    """The agents for which setup wrote one of the parts in one of the scopes."""
    records = folders.setup_records_by_scope()
    written = [record for scope in scopes for record in records.get(scope, {}).values()]
    return {piece.agent for record in written for piece in record.fragments if piece.part in parts}


def other_project_roots(app: App) -> list[str]:
    """The folders of this user's other projects that have a ``.gitmem``, sorted."""
    roots = set(registration.registered_store_roots(app.settings.stores_folder))
    try:
        own_root = app.layout.store_root
    except GitmemError:
        own_root = ""
    with suppress(GitmemError):  # a damaged list of projects must not prevent a removal
        store = app.global_store()
        roots |= (
            {project.root for project in projects.registered_projects(store)} if store else set()
        )
    return sorted(
        root for root in roots - {own_root} if os.path.isdir(os.path.join(root, preflight.FOLDER))
    )


def describe_shared_user_files(app: App, agents: Collection[str]) -> str:
    """A sentence on agents whose user files stay since other projects use them, or empty."""
    _, folders = surroundings.setup_folders(app, sys.platform)
    wired = _wired_agents(folders, PARTS, (USER,)) if folders.project else set()
    names = [name for name in BY_NAME if name in wired and (not agents or name in agents)]
    users = other_project_roots(app) if names else []
    if not users:
        return ""
    titles = " and ".join(BY_NAME[name].title for name in names)
    use = f"{', '.join(users[:_LISTED])}{' and others' * (len(users) > _LISTED)}"
    again = f"gitmem setup {' '.join(names)} --remove --scope user"
    return (
        f"What {titles} read{'s' * (len(names) == 1)} in your home folder stays, since it is used "
        f"by {use}. To take it out as well: {again}"
    )


def _candidates(bases: PathTemplateFolders, names: Collection[str]) -> Iterator[SetupTarget]:
    """All places where the agents' hooks, entries and skills could be."""
    for local in (".local", ""):
        form = replace(bases, local=local)
        for scope in SCOPES:
            for name in names:
                yield from host_targets.setup_targets(form, [BY_NAME[name]], ("gitmem",), scope)[0]
                yield from host_targets.skill_targets(form, [BY_NAME[name]], scope)[0]
