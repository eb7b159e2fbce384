"""Taking gitmem out of the files of hosts: for setup one worktree, for deinit each in turn."""

import os
from collections.abc import Collection, Iterator

from gitmem.agents.hosts.host import SCOPES, USER
from gitmem.agents.hosts.host_paths import Bases
from gitmem.agents.hosts.table import BY_NAME
from gitmem.agents.wiring import apply, host_targets, plan, surroundings
from gitmem.agents.wiring.apply import Ground
from gitmem.agents.wiring.commit_safety import kept_out
from gitmem.agents.wiring.host_targets import Target
from gitmem.agents.wiring.plan import Step
from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.store.db import preflight, projects


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
    empty: of both, but for what serves other projects of this user's too. Raises what reading and
    writing the files raises; then nothing was written.
    """
    names = agents or tuple(BY_NAME)
    candidates = list(_candidates(bases, names)) if agents else []
    shared = frozenset(one for one in names if not BY_NAME[one].has_cwd)

    here = surroundings.known(app, bases, ground)

    def decide() -> list[Step]:
        records = {
            where: known for where, known in ground.records().items() if scope in ("", where)
        }
        stays = shared if scope == "" and shared and others(app) else frozenset()
        steps: list[Step] = []
        for where, known in records.items():
            out = [one for one in names if where != USER or one not in stays]
            there = [one for one in candidates if one.scope == where and one.agent in out]
            steps += plan.remove(here, out, {where: known}, there, ground.look)
        return steps + kept_out(app, ground, steps, personal=True)

    return decide() if dry_run else apply.run(ground, decide)


def others(app: App) -> list[str]:
    """The roots of this user's other projects that have a store."""
    try:
        store = app.global_store()
        known = projects.known(store) if store else []
        here = app.layout.store_root
    except GitmemError:
        return []  # a damaged list of projects keeps nobody from leaving
    roots = {one.root for one in known} - {here}
    return sorted(root for root in roots if os.path.isdir(os.path.join(root, preflight.FOLDER)))


def _candidates(bases: Bases, names: Collection[str]) -> Iterator[Target]:
    """Where hooks and entries could stand, whoever put them there; every form of each place."""
    for local in (".local", ""):
        form = Bases(bases.system, bases.home, bases.project, bases.environment, local)
        for scope in SCOPES:
            for name in names:
                yield from host_targets.targets(form, [BY_NAME[name]], ("gitmem",), scope)[0]
                yield from host_targets.skills(form, [BY_NAME[name]], scope)[0]
