"""Which folders are this repository's, and which files of a host may hold its sessions.

Links are not followed and files of other users are not read, whatever a variable or a link says.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase

from gitmem.app import App
from gitmem.errors import ForeignFile, NotARepository
from gitmem.files.foreign_file import is_inside_folder
from gitmem.git import layout, work_trees
from gitmem.model import project_key
from gitmem.model.frozen import dataclass
from gitmem.store.session import sessions
from gitmem.transcripts.record import relative_to_root

LINKS, FOREIGN, UNREADABLE = "links", "foreign", "unreadable"


@dataclass(frozen=True, slots=True)
class RepositoryFolders:
    """The root folders of a repository's worktrees, by which sessions are told to belong to it.

    ``former`` are roots of earlier times, which count only if they no longer exist.
    """

    roots: tuple[str, ...]
    former: tuple[str, ...]
    common_dir: str

    def contains_folder(self, folder: str) -> bool:
        """Return whether a folder is in this repository: below a root, but not in another one."""
        if not os.path.isabs(folder):
            return False
        real = os.path.realpath(folder)
        if any(is_inside_folder(real, root) for root in self.roots):
            return not os.path.isdir(real) or self._is_own(real)
        return not os.path.lexists(folder) and any(
            is_inside_folder(folder, root) for root in self.former
        )

    def _is_own(self, folder: str) -> bool:
        if folder in self.roots:
            return True
        try:
            return layout.find_repository(folder).common_dir == self.common_dir
        except (NotARepository, ForeignFile, OSError):
            return False

    def relative_path(self, path: str, working_folder: str) -> str:
        """Return a path relative to the root that it is below, else absolute.

        A relative ``path`` is taken from ``working_folder``.
        """
        return relative_to_root((*self.roots, *self.former), path, working_folder)


def find_repository_folders(app: App) -> RepositoryFolders:
    """Return the folders of the repository's worktrees, present and former."""
    roots = tuple(work_trees.worktree_roots(app.layout)) or (app.layout.store_root,)
    former_roots = {
        project_key.split_project_key(place)[0] for place in sessions.session_worktrees(app.store)
    }
    former = sorted(place for place in former_roots - {*roots} if not os.path.lexists(place))
    return RepositoryFolders(roots, tuple(former), app.layout.common_dir)


def dashed_name_of_folder(path: str) -> str:
    """Return the name of the folder in which Claude Code stores transcripts of work in ``path``."""
    return re.sub(r"[^A-Za-z0-9]", "-", path)


def find_transcript_files(
    agent_folder: str,
    path_patterns: tuple[str, ...],
    repository_folders: RepositoryFolders,
    skipped_counts: Counter[str],
    *,
    folders_named_by_path: bool,
) -> Iterator[str]:
    """Yield the paths of transcript files below ``agent_folder`` that fit a pattern.

    ``folders_named_by_path``: folders there are named after the paths worked in, so that those of
    other repositories are skipped. Files skipped are counted by reason in ``skipped_counts``.
    """
    agent_folder = os.path.realpath(agent_folder)
    if not _is_own(agent_folder, skipped_counts):
        return
    links: set[str] = set()
    folder_names = (
        [
            dashed_name_of_folder(place)
            for place in (*repository_folders.roots, *repository_folders.former)
        ]
        if folders_named_by_path
        else [""]
    )
    for pattern in path_patterns:
        first, *rest = pattern.split("/")
        for folder in _entries(agent_folder, first, skipped_counts, links, folders=True):
            name = os.path.basename(folder)
            if any(name == of or name.startswith(f"{of}-" if of else "") for of in folder_names):
                yield from _below(folder, rest, skipped_counts, links)
    skipped_counts[LINKS] += len(links)


def _below(folder: str, parts: list[str], counts: Counter[str], links: set[str]) -> Iterator[str]:
    first, *rest = parts
    for path in _entries(folder, first, counts, links, folders=bool(rest)):
        if rest:
            yield from _below(path, rest, counts, links)
        elif _is_own(path, counts):
            yield path


def _entries(
    folder: str, pattern: str, counts: Counter[str], links: set[str], *, folders: bool
) -> list[str]:
    """The folders, or the files, in a folder that fit a pattern; links are added to ``links``."""
    paths = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not fnmatchcase(entry.name, pattern):
                    continue
                if entry.is_symlink():
                    links.add(entry.path)
                elif entry.is_dir() if folders else entry.is_file():
                    paths.append(entry.path)
    except OSError:
        counts[UNREADABLE] += 1
    return sorted(paths)


def _is_own(path: str, counts: Counter[str]) -> bool:
    """Whether a file belongs to the user who runs this; others are counted."""
    try:
        owner = os.lstat(path).st_uid
    except OSError:
        counts[UNREADABLE] += 1
        return False
    # Root may read any file, so for root this check protects nothing.
    if os.name == "posix" and os.geteuid() not in (0, owner):
        counts[FOREIGN] += 1
        return False
    return True
