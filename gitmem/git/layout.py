"""Finding the parts of a repository, from git's own small files.

Made for a fast start: no process, no dulwich, a dozen stats and one short file. The known forms are
read directly (ordinary, ``.git`` file, linked worktree, submodule, bare, separate git directory);
for a repository format that this module does not know ``git rev-parse`` is run. Every command needs
the layout before it can open the store, and importing ``dulwich.repo`` alone takes more CPU time
than a whole warm command; a test compares the two on every form.

``store_root``, the folder that holds ``.gitmem/``, is the same from every worktree of one
repository:

* in a bare repository it is the repository itself;
* ``core.worktree`` names the main worktree where it is set (submodules);
* a common directory called ``.git`` is in the main worktree;
* any other one (``git init --separate-git-dir``) belongs to the main worktree whose ``.git`` file
  names it. git does not record which worktree that is, so ``root_note`` leaves a note in the git
  directory, by which linked worktrees find it.

Everything that leads out of a folder (a ``.git`` file or link, ``commondir``, ``core.worktree``,
the note) may have been made by a stranger. So a folder counts as a repository's only where the
repository names it too, as in git's own layouts: ``gitdir`` of a linked worktree, ``core.worktree``
of a submodule. A separate git directory names none; it is accepted unless it is another folder's.

A plain folder, outside any repository, can have a store too. An empty git directory in its
``.gitmem/`` marks it: with that git lists the folder's files by its own ignore rules, and finds no
commits. A repository takes precedence, however far above, so that a clone cannot bring a folder
that counts as the user's.
"""

from __future__ import annotations

import os

from gitmem.errors import Conflict, ForeignFile, NotARepository
from gitmem.git import plain_config
from gitmem.git.discovery import (
    find_common_dir,
    folder_and_parents,
    is_git_dir,
    is_git_dir_of_folder,
    is_same_folder,
    read_git_file,
    read_small_text,
    real_folder_path,
    refuse_pipes_and_devices,
)
from gitmem.git.runner import run_git
from gitmem.model.frozen import dataclass

# In a separate git directory: the root of the main worktree (``root_note``).
ROOT_NOTE = "gitmem-root"
# The empty git directory of a plain folder, in the folder of its store.
_PLAIN_GIT = os.path.join(".gitmem", "plain.git")
_KNOWN_EXTENSIONS = frozenset(
    {
        "noop",
        "noop-v1",
        "partialclone",
        "preciousobjects",
        "objectformat",
        "compatobjectformat",
        "worktreeconfig",
        "refstorage",
        "relativeworktrees",
    }
)


@dataclass(frozen=True, slots=True)
class RepositoryLayout:
    """The paths of a repository, absolute and without symbolic links.

    ``worktree`` is None in a bare repository. ``git_dir`` is this worktree's own, ``common_dir``
    the one that all worktrees share; ``store_root`` is the folder of ``.gitmem``. ``linked``: made
    by ``git worktree add``. ``plain``: no repository but a folder that gitmem serves; both git
    directories are an empty one that gitmem made.
    """

    worktree: str | None
    git_dir: str
    common_dir: str
    store_root: str
    bare: bool
    linked: bool
    submodule: bool
    plain: bool = False

    @property
    def cwd(self) -> str:
        """The folder to run git in: the worktree's root, else the git directory.

        In a plain folder (one without git) an empty git directory, so that git answers "no
        commits"; only listing files needs the folder itself.
        """
        return self.git_dir if self.plain else self.worktree or self.git_dir


def find_repository(start_path: str) -> RepositoryLayout:
    """The RepositoryLayout of the repository, or the plain folder, that holds ``start_path``.

    A plain folder is one without git in which ``gitmem init --folder`` was run. Raises
    NotARepository, also where ``start_path`` does not exist or git's own files are broken;
    ForeignFile where another program marked a plain folder, or a folder names a repository that
    does not name that folder.
    """
    folder = real_folder_path(start_path)
    places = folder_and_parents(folder)
    return _repository(places, folder) or _plain(places) or _no_repository(start_path)


def plain_folder_layout(start_path: str) -> RepositoryLayout:
    """The RepositoryLayout of a folder outside any repository that gitmem serves or may serve.

    Raises Conflict where it is inside a repository or another such folder.
    """
    folder = real_folder_path(start_path)
    places = folder_and_parents(folder)
    if taken := _repository(places, folder):
        raise Conflict(
            f"{folder} is inside the git repository {taken.worktree or taken.git_dir}.",
            "Run `gitmem init` without --folder: it sets up the whole repository.",
        )
    above = _plain(places)
    if above is not None and above.store_root != folder:
        raise Conflict(
            f"{folder} is inside {above.store_root}, which is set up as a plain folder.",
            "Use gitmem there; it covers the folders below.",
        )
    return _as_plain(folder)


def _repository(places: list[str], folder: str) -> RepositoryLayout | None:
    for place in places:
        git_path = os.path.join(place, ".git")
        git_dir = read_git_file(git_path) if os.path.isfile(git_path) else git_path
        if is_git_dir(git_dir):
            return _describe(os.path.realpath(git_dir), place, folder)
        if is_git_dir(place) and not place.endswith(os.sep + _PLAIN_GIT):
            return _describe(place, _worktree_of(place), folder)
    return None


def _plain(places: list[str]) -> RepositoryLayout | None:
    for place in places:
        if is_git_dir(marker := os.path.join(place, _PLAIN_GIT)):
            from gitmem.git import plain_marker  # noqa: PLC0415 - mostly a repository is found first

            if not plain_marker.is_git_dir_of_plain_folder(marker):
                raise ForeignFile(
                    f"{marker} was not made by gitmem, so nothing in that folder is used.",
                    "If you do not know where it comes from, remove the folder .gitmem.",
                )
            return _as_plain(place)
    return None


def _as_plain(folder: str) -> RepositoryLayout:
    git_dir = os.path.join(folder, _PLAIN_GIT)
    return RepositoryLayout(
        worktree=folder,
        git_dir=git_dir,
        common_dir=git_dir,
        store_root=folder,
        bare=False,
        linked=False,
        submodule=False,
        plain=True,
    )


def _no_repository(start: str) -> RepositoryLayout:
    raise NotARepository(
        f"{start} is not inside a git repository.",
        "Go to one, create one with `git init`, or use the folder as it is with "
        "`gitmem init --folder`.",
    )


def _worktree_of(git_dir: str) -> str | None:
    """The worktree of a git directory that is the start folder; None when it has none.

    A clone can bring a folder that looks like a bare repository, with a configuration of its
    choice: one inside another repository's worktree is refused (git's
    safe.bareRepository=explicit does the same).
    """
    above = os.path.dirname(git_dir)
    if os.path.basename(git_dir) == ".git":
        return above
    if back := _linked_root(git_dir):
        if os.path.lexists(back) and not is_git_dir_of_folder(back, git_dir):
            raise _borrowed_error(git_dir, back)
        return back
    for place in folder_and_parents(above):
        if is_git_dir(place):
            return None  # inside another git directory, as .git/modules/<name> is
        git_path = os.path.join(place, ".git")
        target = read_git_file(git_path) if os.path.isfile(git_path) else git_path
        if not is_git_dir(target):
            continue
        if os.path.realpath(target) == git_dir:
            return place
        raise NotARepository(
            f"{git_dir} is a git directory inside the worktree of {place}.",
            f"Run gitmem in {place}, or move that git directory out of it.",
        )
    return None


def _describe(git_dir: str, place: str | None, folder: str) -> RepositoryLayout:
    """The layout of a git directory found from ``folder``, with its ``.git`` in ``place``."""
    common = find_common_dir(git_dir)
    refuse_pipes_and_devices(git_dir, common)
    settings = _main_settings(common)
    _refuse_borrowed(git_dir, common, settings, place)
    if _is_strange(settings):
        return _ask_git(folder, settings)
    linked = common != git_dir
    bare = not linked and _is_bare(settings)
    worktree = place
    if not linked:
        named = _named_worktree(common, settings)
        worktree = None if bare else (named or place)
    return RepositoryLayout(
        worktree=worktree,
        git_dir=git_dir,
        common_dir=common,
        store_root=_store_root(common, settings, None if linked else place),
        bare=bare,
        linked=linked,
        submodule=_is_submodule(common, settings),
    )


def _refuse_borrowed(
    git_dir: str, common: str, settings: plain_config.ConfigValues, place: str | None
) -> None:
    """Raise ForeignFile where ``place`` names a repository of another folder."""
    if common != git_dir:
        _refuse_unlinked(git_dir, common, place)
        return
    named = None if _is_bare(settings) else _named_worktree(common, settings)
    if place is not None and git_dir != os.path.join(place, ".git"):
        _refuse_apart(git_dir, settings, place, named)
    if named and not is_git_dir_of_folder(named, git_dir):
        raise _borrowed_error(git_dir, named)


def _refuse_unlinked(git_dir: str, common: str, place: str | None) -> None:
    """As ``_refuse_borrowed``, of a linked worktree: its ``gitdir`` must name the folder."""
    is_registered = os.path.dirname(git_dir) == os.path.join(common, "worktrees")
    back = _linked_root(git_dir) if is_registered else ""
    if not back or place is None or not (place == back or is_same_folder(place, back)):
        raise ForeignFile(
            f"{place or git_dir} calls itself a worktree of {common}, where git has not registered "
            "that worktree, so gitmem does not use it.",
            "If you moved this worktree, run `git worktree repair` in it. If you do not know where "
            "the folder comes from, do not trust anything in it.",
        )


def _linked_root(git_dir: str) -> str:
    """The folder that ``<main>/.git/worktrees/<name>`` names as its own; empty without one."""
    path = read_small_text(os.path.join(git_dir, "gitdir")).strip()
    return os.path.realpath(os.path.dirname(os.path.join(git_dir, path))) if path else ""


def _refuse_apart(
    git_dir: str, settings: plain_config.ConfigValues, place: str, named: str | None
) -> None:
    """As ``_refuse_borrowed``, of a git directory that is not inside ``place``."""
    owner = os.path.dirname(git_dir)
    if named:
        free = is_same_folder(named, place)
    elif os.path.basename(git_dir) == ".git":
        free = False
    elif git_dir.startswith(os.path.join(place, "")):
        return  # all of it came with the folder
    else:
        owner = _noted_root(git_dir) or git_dir
        free = not _is_bare(settings) and (owner == git_dir or is_same_folder(owner, place))
    if not free:
        raise ForeignFile(
            f"The .git of {place} leads to the git directory {git_dir}, which does not "
            "belong to that folder, so gitmem does not use it.",
            _borrowed_hint(git_dir, named or owner),
        )


def _borrowed_hint(git_dir: str, held: str) -> str:
    """The hint for a borrowed git directory; never to take over one that has a worktree."""
    try:
        alone = os.path.dirname(git_dir) == held and os.listdir(held) == [".git"]
    except OSError:
        alone = False
    if alone:
        return (
            "If you made this with `git init --separate-git-dir`, have git note the folder: git "
            'config core.worktree "$PWD". If you do not know where it comes from, remove its .git.'
        )
    return f"Run gitmem in {held}. If you do not know where this .git comes from, remove it."


def _borrowed_error(git_dir: str, named: str) -> ForeignFile:
    return ForeignFile(
        f"The git directory {git_dir} names as its worktree {named}, which does not belong to "
        "that git directory, so gitmem does not use it.",
        f"Run gitmem in {named}, or correct core.worktree or the file gitdir in the git directory. "
        "If you do not know where that comes from, do not trust anything in it.",
    )


def _noted_root(common: str) -> str:
    """The main worktree in a separate git directory's note; empty where it is not valid."""
    noted = read_small_text(os.path.join(common, ROOT_NOTE)).rstrip("\r\n")
    return noted if noted and is_git_dir_of_folder(noted, common) else ""


def _main_settings(common: str) -> plain_config.ConfigValues:
    """The repository's own configuration, overridden by the main worktree's part.

    Extensions belong to a version of the format: git ignores them where no version is set.
    """
    settings = plain_config.read_config_file(os.path.join(common, "config"))
    versioned = "core.repositoryformatversion" in settings
    if versioned and plain_config.read_bool_value(settings, "extensions.worktreeconfig"):
        settings = {
            **settings,
            **plain_config.read_config_file(os.path.join(common, "config.worktree")),
        }
    return settings


def _is_strange(settings: plain_config.ConfigValues) -> bool:
    version = plain_config.last_value_of_key(settings, "core.repositoryformatversion") or "0"
    extensions = {key.partition(".")[2] for key in settings if key.startswith("extensions.")}
    return version not in ("0", "1") or (version == "1" and not extensions <= _KNOWN_EXTENSIONS)


def _is_bare(settings: plain_config.ConfigValues) -> bool:
    return plain_config.read_bool_value(settings, "core.bare")


def _named_worktree(common: str, settings: plain_config.ConfigValues) -> str | None:
    """The main worktree that ``core.worktree`` names, when it is there."""
    value = plain_config.last_value_of_key(settings, "core.worktree")
    path = os.path.realpath(os.path.join(common, value)) if value else None
    return path if path and os.path.isdir(path) else None


def _is_submodule(common: str, settings: plain_config.ConfigValues) -> bool:
    inside = f"{os.sep}modules{os.sep}" in common
    return inside and plain_config.last_value_of_key(settings, "core.worktree") is not None


def _store_root(common: str, settings: plain_config.ConfigValues, place: str | None) -> str:
    """The folder of ``.gitmem/`` (see the module); ``place``: the main worktree where known."""
    if _is_bare(settings):
        return common
    if named := _named_worktree(common, settings):
        if place is None and not is_git_dir_of_folder(named, common):
            raise _borrowed_error(common, named)
        return named
    if os.path.basename(common) == ".git":
        return os.path.dirname(common)
    return place or _noted_root(common) or common


def _ask_git(folder: str, settings: plain_config.ConfigValues) -> RepositoryLayout:
    """The layout by ``git rev-parse``, for a repository format newer than this module."""
    args = ["--path-format=absolute", "--git-dir", "--git-common-dir", "--is-bare-repository"]
    out = run_git(["rev-parse", *args, "--show-toplevel"], cwd=folder, allowed_statuses=(0, 128))
    lines = os.fsdecode(out).splitlines()
    if len(lines) not in (3, 4):  # a bare repository has no top level
        raise NotARepository(
            "This repository has a format that neither gitmem nor the installed git can read.",
            "Try a newer git.",
        )
    git_dir, common, bare = os.path.realpath(lines[0]), os.path.realpath(lines[1]), lines[2]
    worktree = os.path.realpath(lines[3]) if len(lines) == 4 else None
    if worktree and not is_git_dir_of_folder(worktree, git_dir):
        raise _borrowed_error(git_dir, worktree)
    return RepositoryLayout(
        worktree=worktree,
        git_dir=git_dir,
        common_dir=common,
        store_root=_store_root(common, settings, None if common != git_dir else worktree),
        bare=bare == "true",
        linked=common != git_dir,
        submodule=_is_submodule(common, settings),
    )
