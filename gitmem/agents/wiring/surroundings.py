"""Where hosts' files and gitmem's records of them lie, for one project and its user."""

import os
import sys

from gitmem.agents.hosts.host import PROJECT, USER
from gitmem.agents.hosts.host_paths import Bases
from gitmem.agents.hosts.table import HOSTS
from gitmem.agents.wiring import impostors, program
from gitmem.agents.wiring.apply import Ground
from gitmem.agents.wiring.impostor import Impostor, Known
from gitmem.app import App
from gitmem.errors import NotARepository, Unavailable
from gitmem.files.foreign_file import is_below
from gitmem.git.layout import Layout
from gitmem.model.frozen import replace
from gitmem.store.db import preflight


def surroundings(app: App, system: str) -> tuple[Bases, Ground]:
    """What can be seen from here: outside a repository there is no project.

    ``system`` is as ``sys.platform`` has it.
    """
    project = store = tree = main = ""
    is_known = False
    try:
        layout = app.layout
        tree = os.path.basename(layout.git_dir) if layout.linked else ""
        project = layout.worktree or (layout.store_root if layout.plain else "")
        main = _main(layout)
        store = os.path.join(layout.store_root, preflight.FOLDER)
        is_known = app.is_known_place
    except NotARepository:
        pass
    user_store = app.settings.user_store
    data = os.path.dirname(os.path.dirname(user_store)) if user_store else ""
    bases = Bases(
        system, app.settings.home, project, app.settings.environment, data=data, main=main
    )
    start = os.path.realpath(app.start)
    if project and start != project and is_below(start, project):
        bases = replace(bases, folder=start)
    return bases, Ground(project, store if project else "", data, tree, is_known, main)


def _main(layout: Layout) -> str:
    """The main worktree's folder where this one is linked; else empty.

    As hosts find it: the folder of the common git directory, if that is called ``.git``.
    """
    above, name = os.path.split(layout.common_dir)
    return above if layout.linked and name == ".git" else ""


def known(app: App, bases: Bases, ground: Ground, words: tuple[str, ...] = ()) -> Known:
    """What tells gitmem's entries from others of its name; ``words``: what setup writes down."""
    ways = program.ways(app.settings.environment.get("PATH", ""), sys.argv[0])
    ways = tuple(dict.fromkeys((words, *ways))) if words else ways
    return Known(bases, ways, ground.believed())


def all_impostors(app: App) -> list[Impostor]:
    """What only bears gitmem's name in all hosts' files, each thing once."""
    bases, ground = surroundings(app, sys.platform)
    here = known(app, bases, ground)
    found = [one for host in HOSTS for one in impostors.of_host(here, host, ground.look)]
    return list({one.message: one for one in reversed(found)}.values())[::-1]


def writable(app: App, system: str, scope: str, *, personal: bool) -> tuple[Bases, Ground]:
    """The same for whoever is going to write; ``personal``: files name this machine's gitmem.

    Raises NotARepository and Unavailable where the scope that was asked for is not there, and what
    ``refuse_tracked`` raises.
    """
    try:
        app.refuse_tracked()
    except NotARepository:
        if scope == PROJECT:
            raise
    seen, ground = surroundings(app, system)
    if scope == USER and not (seen.home and ground.data):
        raise Unavailable("There is no home folder to write to.", "Set HOME to your home folder.")
    # What cannot be put on record cannot be taken back.
    home = seen.home if ground.data else ""
    local = ".local" if personal else ""
    return replace(seen, home=home, local=local), ground
