"""Every worktree of a repository, wired alike: those that are there, and those to come.

Hosts read most of their files in the worktree in which they are started. What setup writes to one
goes to all; what the user chose for later ones lies in the user's own folder of this store, where
no repository can write, and the process that follows git's hooks does it (``wire_new``).
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
from gitmem.agents.wiring.commit_safety import kept_out
from gitmem.agents.wiring.host_targets import Skipped
from gitmem.app import App
from gitmem.errors import GitmemError, Unavailable
from gitmem.files import atomic_write
from gitmem.files.plain_file import read_own
from gitmem.git import work_trees
from gitmem.model.frozen import dataclass
from gitmem.store.db import preflight
from gitmem.store.file import registration

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from gitmem.agents.hosts.host_paths import Bases
    from gitmem.agents.wiring.apply import Ground
    from gitmem.agents.wiring.host_targets import Target
    from gitmem.agents.wiring.plan import Step

_NAME, _LARGEST = "worktrees", 1 << 16


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be written: for which hosts, starting gitmem by which ``words``.

    ``personal``: the files name this machine's gitmem. ``replaces``: also what only has gitmem's
    name.
    """

    hosts: tuple[Host, ...]
    words: tuple[str, ...]
    scope: str = ""
    skills: bool = False
    personal: bool = True
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """What was done in one worktree, or would be."""

    bases: Bases
    steps: list[Step]
    targets: list[Target]
    skipped: list[Skipped]


def others(app: App) -> Iterator[App]:
    """The other worktrees of the repository that are there, the main one first; each is closed."""
    here = app.layout.worktree or app.layout.store_root
    for tree in work_trees.roots(app.layout):
        if tree != here:
            other = App(app.settings, app.clock, tree, agent=app.agent, entropy=app.entropy)
            try:
                yield other
            finally:
                other.close()


def write(
    app: App, system: str, order: Order, *, dry_run: bool = False, also_user: bool = True
) -> Written:
    """Wire hosts in one worktree. What they read in the main one is left to the turn of that.

    Without ``also_user`` nothing is done in the user's own files.
    Raises what ``surroundings.writable``, ``plan.setup`` and ``apply.run`` raise; then nothing was
    written.
    """
    bases, ground = surroundings.writable(app, system, order.scope, personal=order.personal)
    targets, skipped = host_targets.targets(bases, order.hosts, order.words, order.scope)
    if order.skills:
        own, without = host_targets.skills(bases, order.hosts, order.scope)
        targets, skipped = [*targets, *own], [*skipped, *without]
    if not also_user:
        targets = [one for one in targets if one.scope == PROJECT]
    skipped += _out_of_reach(app, ground, targets)
    known = surroundings.known(app, bases, ground, order.words)

    def decide() -> list[Step]:
        records = ground.records()
        steps = plan.setup(known, targets, records, ground.look, replace=order.replaces)
        steps = [one for one in steps if one.scope != PROJECT or ground.is_here(one.path)]
        return steps + kept_out(app, ground, steps, personal=order.personal)

    steps = decide() if dry_run else apply.run(ground, decide)
    return Written(bases, steps, targets, skipped)


def _out_of_reach(app: App, ground: Ground, targets: list[Target]) -> Iterator[Skipped]:
    """What a host reads beside a bare ``.git``, where no worktree is."""
    away = [one for one in targets if one.scope == PROJECT and not ground.is_here(one.path)]
    if not away or ground.main in work_trees.roots(app.layout):
        return
    for one in away:
        title = BY_NAME[one.agent].title
        reason = f"{title} reads it in {ground.main}, which is no worktree: --scope user"
        yield Skipped(one.agent, one.part, reason)


def choose(app: App, order: Order) -> None:
    """Have worktrees that are added later wired like this, until ``forget``.

    Raises Unavailable where there is no store, ReadOnly, DiskFull.
    """
    known = chosen(app)
    names = {host.name for host in (*(known.hosts if known else ()), *order.hosts)}
    _save(_file(app), order, sorted(names))


def chosen(app: App) -> Order | None:
    """What the user chose for worktrees that are added later; None for nothing."""
    try:
        told = json.loads(read_own(_file(app), _LARGEST))
        hosts = tuple(BY_NAME[name] for name in told["agents"])
        words = tuple(str(one) for one in told["words"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    personal, skills = told.get("personal") is not False, told.get("skills") is True
    return Order(hosts, words, "", skills, personal) if hosts and words else None


def forget(app: App, agents: Collection[str]) -> None:
    """Later worktrees are not wired for these agents any more, or for any where none is named.

    Raises ReadOnly.
    """
    known = chosen(app)
    if known is None:
        return
    left = [host.name for host in known.hosts if agents and host.name not in agents]
    _save(_file(app), known, left)


def wire_new(app: App, tree: str) -> bool:
    """Wire a worktree that was just added, if the user chose so; whether it was done."""
    order = chosen(app)
    if order is None:
        return False
    with suppress(GitmemError):  # status says in that worktree what is not there
        write(app.elsewhere(tree), sys.platform, order, also_user=False)
        return True
    return False


def _file(app: App) -> str:
    """Where the choice for this repository's store is kept; empty where there is no such place."""
    stores = app.settings.stores_folder
    store, _ = registration.place(stores, app.layout.store_root)
    folder = registration.folder_of(stores, store)
    return os.path.join(folder, _NAME) if folder else ""


def _save(path: str, order: Order, agents: list[str]) -> None:
    """Keep an order for these agents, or none where there are none."""
    if not path:
        raise Unavailable(
            "What is to become of later worktrees cannot be noted: there is no store here.",
            "Run `gitmem init` first, then this again.",
        )
    try:
        if not agents:
            os.unlink(path)
            return
        content = {
            "agents": agents,
            "words": order.words,
            "personal": order.personal,
            "skills": order.skills,
        }
        atomic_write.replace(path, json.dumps(content).encode(), 0o600)
    except OSError as error:
        raise preflight.refused(error, f"The file {path}") from error
