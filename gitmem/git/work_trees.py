"""Finding the worktrees of a repository: the main one and the linked ones."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress

from gitmem.errors import ForeignFile, NotARepository
from gitmem.git.discovery import read_small_text
from gitmem.git.layout import RepositoryLayout, find_repository

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterator


def worktree_roots(layout: RepositoryLayout) -> list[str]:
    """The roots of all existing worktrees of the repository, the main one first."""
    linked = os.path.join(layout.common_dir, "worktrees")
    names = sorted(os.listdir(linked)) if os.path.isdir(linked) else []
    main = [] if layout.bare or layout.plain else [layout.store_root]
    tops = [*main, *(_linked(layout, name) for name in names)]
    return [top for top in dict.fromkeys(tops) if top and _belongs(top, layout)]


def find_linked_worktree(layout: RepositoryLayout, name: str) -> str:
    """The root of the linked worktree with this name in git; empty if there is none."""
    if not name or "/" in name or os.sep in name or name in (".", ".."):
        return ""
    top = _linked(layout, name)
    return top if top and _belongs(top, layout) else ""


def _linked(layout: RepositoryLayout, name: str) -> str:
    """The root noted under a linked worktree's name; empty where there is none."""
    at = os.path.join(layout.common_dir, "worktrees", name)
    # It is the path of the worktree's ``.git`` file; a newer git may write it relative.
    path = read_small_text(os.path.join(at, "gitdir")).rstrip("\n")
    return os.path.realpath(os.path.dirname(os.path.join(at, path))) if path else ""


def _belongs(top: str, layout: RepositoryLayout) -> bool:
    try:
        return os.path.isdir(top) and find_repository(top).common_dir == layout.common_dir
    except (NotARepository, ForeignFile):
        return False


@contextmanager
def temporary_index_copy(layout: RepositoryLayout) -> Iterator[str]:
    """A context with the path of a temporary copy of git's index, deleted at its end.

    For a git command that would write to the index and lock it, such as ``git diff``. The copy does
    not exist if there is no index yet. Raises OSError.
    """
    import shutil  # noqa: PLC0415 - only for what is not committed yet
    import tempfile  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="gitmem-") as folder:
        copied = os.path.join(folder, "index")
        with suppress(FileNotFoundError):  # before the first `git add`
            # With its time stamp, by which git knows which entries are too recent to trust.
            shutil.copy2(os.path.join(layout.git_dir, "index"), copied)
        yield copied
