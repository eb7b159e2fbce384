"""Finding the files of hosts and gitmem's records of them, for a project and its user."""

import os
import shutil
import sys

from gitmem.agents.hosts.host import PROJECT, USER
from gitmem.agents.hosts.host_paths import PathTemplateFolders
from gitmem.agents.hosts.table import HOSTS
from gitmem.agents.wiring import impostors
from gitmem.agents.wiring.apply import SetupFolders
from gitmem.agents.wiring.impostor_search import ImpostorEntry, OwnEntryIdentity
from gitmem.app import App
from gitmem.errors import NotARepository, Unavailable
from gitmem.files.foreign_file import is_inside_folder
from gitmem.model.frozen import replace
from gitmem.store.db import preflight


def setup_folders(app: App, system: str) -> tuple[PathTemplateFolders, SetupFolders]:
    """(PathTemplateFolders, SetupFolders): where agent programs' files and setup's records are.

    Outside a repository the project's folders are empty. ``system`` is as in ``sys.platform``.
    """
    project = store = tree = main = ""
    is_known = False
    try:
        layout = app.layout
        tree = os.path.basename(layout.git_dir) if layout.linked else ""
        project = layout.worktree or (layout.store_root if layout.plain else "")
        # As hosts find it: the folder that holds the common `.git`.
        above, name = os.path.split(layout.common_dir)
        main = above if layout.linked and name == ".git" else ""
        store = os.path.join(layout.store_root, preflight.FOLDER)
        is_known = app.is_registered_folder
    except NotARepository:
        pass
    user_store = app.settings.user_store
    data = os.path.dirname(os.path.dirname(user_store)) if user_store else ""
    bases = PathTemplateFolders(
        system, app.settings.home, project, app.settings.environment, data=data, main=main
    )
    start = os.path.realpath(app.start)
    if project and start != project and is_inside_folder(start, project):
        bases = replace(bases, folder=start)
    return bases, SetupFolders(project, store if project else "", data, tree, is_known, main)


def own_entry_identity(
    app: App, bases: PathTemplateFolders, folders: SetupFolders, gitmem_argv: tuple[str, ...] = ()
) -> OwnEntryIdentity:
    """The OwnEntryIdentity: commands that start gitmem and setup's records, to know its entries.

    ``gitmem_argv`` is the command that setup writes, empty if it writes none. The bare name
    ``gitmem`` counts.
    """
    path = app.settings.environment.get("PATH", "")
    ways = [gitmem_argv] if gitmem_argv else []
    ways += [running_gitmem_command(path, sys.argv[0]), ("gitmem",)]
    ways += [(sys.executable, *flags, "-m", "gitmem") for flags in ((), ("-P",))]
    if on_path := shutil.which("gitmem", path=path):
        ways.append((os.path.abspath(on_path),))
    return OwnEntryIdentity(
        bases, tuple(dict.fromkeys(ways)), folders.trusted_setup_records_by_scope()
    )


def find_impostors_of_all_hosts(app: App) -> list[ImpostorEntry]:
    """ImpostorEntries (named gitmem, not written by it) in files of agent programs, each once."""
    bases, folders = setup_folders(app, sys.platform)
    own = own_entry_identity(app, bases, folders)
    strays = [
        impostor
        for host in HOSTS
        for impostor in impostors.find_impostors_of_host(own, host, folders.read_file_snapshot)
    ]
    return list({impostor.message: impostor for impostor in reversed(strays)}.values())[::-1]


def writable_setup_folders(
    app: App, system: str, scope: str, *, personal: bool
) -> tuple[PathTemplateFolders, SetupFolders]:
    """Like ``setup_folders``, after checking that setup may write there.

    ``personal``: the files name this machine's gitmem. Raises NotARepository or Unavailable if the
    requested ``scope`` (project or user) does not exist, ForeignFile if git tracks ``.gitmem``.
    """
    try:
        app.refuse_tracked_store()
    except NotARepository:
        if scope == PROJECT:
            raise
    bases, folders = setup_folders(app, system)
    if scope == USER and not (bases.home and folders.data):
        raise Unavailable("There is no home folder to write to.", "Set HOME to your home folder.")
    # Without a data folder nothing could be recorded, and so nothing removed again.
    home = bases.home if folders.data else ""
    local = ".local" if personal else ""
    return replace(bases, home=home, local=local), folders


def running_gitmem_command(search_path: str, argv0: str) -> tuple[str, ...]:
    """The words of a command that starts the gitmem that runs now, by an absolute path.

    It is gitmem's path on ``search_path`` (the PATH); else that of ``argv0``; else Python's with
    ``-P -m gitmem``.
    """
    path = os.path.abspath(argv0) if os.path.dirname(argv0) else shutil.which(argv0) or ""
    if os.path.basename(path).removesuffix(".exe") == "gitmem" and os.path.isfile(path):
        on_path = shutil.which("gitmem", path=search_path)
        if on_path and os.path.isabs(on_path) and os.path.samefile(on_path, path):
            return (on_path,)
        return (path,)
    return (sys.executable, "-P", "-m", "gitmem")
