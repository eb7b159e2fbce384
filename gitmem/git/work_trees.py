"""The worktrees that one repository has: the main one and those that are linked to it."""

from __future__ import annotations

import os

from gitmem.errors import NotARepository
from gitmem.git.discovery import read_small
from gitmem.git.layout import Layout, find


def roots(layout: Layout) -> list[str]:
    """The roots of all worktrees of the repository that are there, the main one first."""
    linked = os.path.join(layout.common_dir, "worktrees")
    names = sorted(os.listdir(linked)) if os.path.isdir(linked) else []
    # Each names its tree's file .git; a newer git may write that path relative.
    named = [
        os.path.join(linked, name, told)
        for name in names
        if (told := read_small(os.path.join(linked, name, "gitdir")).rstrip("\n"))
    ]
    main = [] if layout.bare or layout.plain else [layout.store_root]
    found = [*main, *(os.path.realpath(os.path.dirname(path)) for path in named)]
    return [top for top in dict.fromkeys(found) if _belongs(top, layout)]


def _belongs(top: str, layout: Layout) -> bool:
    try:
        return os.path.isdir(top) and find(top).common_dir == layout.common_dir
    except NotARepository:
        return False
