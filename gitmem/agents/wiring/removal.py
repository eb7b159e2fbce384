"""Taking gitmem out of the files of hosts: for setup one worktree, for deinit each in turn."""

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress

from gitmem.agents.hosts.host import MCP, PARTS, PROJECT, SCOPES, USER
from gitmem.agents.hosts.host_paths import Bases
from gitmem.agents.hosts.table import BY_NAME
from gitmem.agents.wiring import (
    apply,
    host_approval,
    host_targets,
    impostors,
    plan,
    surroundings,
)
from gitmem.agents.wiring.apply import Ground
from gitmem.agents.wiring.commit_safety import kept_out
from gitmem.agents.wiring.host_targets import Target
from gitmem.agents.wiring.plan import Step
from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.model.frozen import replace
from gitmem.store.db import preflight, projects
from gitmem.store.file import registration

_LISTED = 3  # other projects that are named


def remove(
    app: App,
    bases: Bases,
    ground: Ground,
    agents: Collection[str] = (),
    *,
    scope: str = "",
    dry_run: bool = False,
) -> list[Step]:
    """Take out what is on record, of all agents or of some; the steps that were taken.

    For agents that are named, what stands in their files without a record goes as well. ``scope``
    empty: of both, but of the user's only where no other project of theirs uses it too. Raises what
    reading and writing the files raises; then nothing was written.
    """
    names = agents or tuple(BY_NAME)
    candidates = list(_candidates(bases, names)) if agents else []
    here = surroundings.known(app, bases, ground)

    def decide() -> list[Step]:
        shared = not scope and ground.project and others(app)
        scopes = (scope,) if scope else (PROJECT,) if shared else SCOPES
        records = {where: files for where, files in ground.records().items() if where in scopes}
        there = [target for target in candidates if target.scope in records]
        steps = plan.remove(here, names, records, there, ground.look)
        return steps + kept_out(app, ground, steps, personal=True)

    return decide() if dry_run else apply.run(ground, decide)


def left(
    app: App, bases: Bases, ground: Ground, agents: Collection[str] = (), *, dry_run: bool = False
) -> list[str]:
    """What a person has to know after a removal: what it left that has gitmem's name.

    Impostors, which are not gitmem's to take out, and approvals of hosts that start gitmem's server
    no more.
    """
    names = agents or tuple(BY_NAME)
    here = surroundings.known(app, bases, ground)
    found = [each for name in names for each in impostors.of_host(here, BY_NAME[name], ground.look)]
    notes = [f"Still there: {each.message}. {each.hint}" for each in found]
    served = set() if dry_run else _wired(ground, {MCP}, SCOPES)
    for name in names:
        if name not in served:
            notes += host_approval.named(bases, BY_NAME[name])
    return list(dict.fromkeys(notes))


def _wired(ground: Ground, parts: Collection[str], scopes: Collection[str]) -> set[str]:
    """The agents of which setup wrote some parts in some scopes."""
    records = ground.records()
    written = [record for scope in scopes for record in records.get(scope, {}).values()]
    return {piece.agent for record in written for piece in record.pieces if piece.part in parts}


def others(app: App) -> list[str]:
    """The roots of this user's other projects that have a store.

    By the list of projects and by the places at which stores were seen: lists of earlier versions
    name one clone of a repository only.
    """
    roots = set(registration.places(app.settings.stores_folder))
    try:
        here = app.layout.store_root
    except GitmemError:
        here = ""
    with suppress(GitmemError):  # a damaged list of projects keeps nobody from leaving
        store = app.global_store()
        roots |= {project.root for project in projects.known(store)} if store else set()
    return sorted(
        root for root in roots - {here} if os.path.isdir(os.path.join(root, preflight.FOLDER))
    )


def staying(app: App, agents: Collection[str]) -> str:
    """What of some agents stays in the user's own files since other projects use it, and how it
    goes all the same; empty where nothing stays.
    """
    _, ground = surroundings.surroundings(app, sys.platform)
    wired = _wired(ground, PARTS, (USER,)) if ground.project else set()
    names = [name for name in BY_NAME if name in wired and (not agents or name in agents)]
    users = others(app) if names else []
    if not users:
        return ""
    titles = " and ".join(BY_NAME[name].title for name in names)
    use = f"{', '.join(users[:_LISTED])}{' and others' * (len(users) > _LISTED)}"
    again = f"gitmem setup {' '.join(names)} --remove --scope user"
    return (
        f"What {titles} read{'s' * (len(names) == 1)} in your home folder stays, since it is used "
        f"by {use}. To take it out as well: {again}"
    )


def _candidates(bases: Bases, names: Collection[str]) -> Iterator[Target]:
    """Where hooks and entries could stand, whoever put them there; every form of each place."""
    for local in (".local", ""):
        form = replace(bases, local=local)
        for scope in SCOPES:
            for name in names:
                yield from host_targets.targets(form, [BY_NAME[name]], ("gitmem",), scope)[0]
                yield from host_targets.skills(form, [BY_NAME[name]], scope)[0]
