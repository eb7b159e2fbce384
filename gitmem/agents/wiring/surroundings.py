"""Where hosts' files and gitmem's records of them lie, for one project and its user."""

import os
import shutil
import sys

from gitmem.agents.hosts.host import PROJECT, USER
from gitmem.agents.hosts.host_paths import Bases
from gitmem.agents.hosts.table import HOSTS
from gitmem.agents.wiring import impostors
from gitmem.agents.wiring.apply import Ground
from gitmem.agents.wiring.impostor_search import Impostor, Known
from gitmem.app import App
from gitmem.errors import NotARepository, Unavailable
from gitmem.files.foreign_file import is_below
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
        # As hosts find it: the folder of the common git directory, if that is called `.git`.
        above, name = os.path.split(layout.common_dir)
        main = above if layout.linked and name == ".git" else ""
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


def known(app: App, bases: Bases, ground: Ground, words: tuple[str, ...] = ()) -> Known:
    """What tells gitmem's entries from others of its name; ``words``: what setup writes down.

    The bare name is one of the ways to start it: it starts what its user would start.
    """
    path = app.settings.environment.get("PATH", "")
    ways = [words] if words else []
    ways += [program(path, sys.argv[0]), ("gitmem",)]
    ways += [(sys.executable, *flags, "-m", "gitmem") for flags in ((), ("-P",))]
    if on_path := shutil.which("gitmem", path=path):
        ways.append((os.path.abspath(on_path),))
    return Known(bases, tuple(dict.fromkeys(ways)), ground.believed())


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


def program(environment_path: str, argv0: str) -> tuple[str, ...]:
    """The words that start the gitmem that runs now, the first an absolute path.

    As it stands on the PATH, which an upgrade keeps; else its own place; else this Python.
    """
    found = os.path.abspath(argv0) if os.path.dirname(argv0) else shutil.which(argv0) or ""
    if os.path.basename(found).removesuffix(".exe") == "gitmem" and os.path.isfile(found):
        on_path = shutil.which("gitmem", path=environment_path)
        if on_path and os.path.isabs(on_path) and os.path.samefile(on_path, found):
            return (on_path,)
        return (found,)
    return (sys.executable, "-P", "-m", "gitmem")
