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
    main = [] if layout.bare or layout.plain else [layout.store_root]
    found = [*main, *(_linked(layout, name) for name in names)]
    return [top for top in dict.fromkeys(found) if top and _belongs(top, layout)]


def named(layout: Layout, name: str) -> str:
    """The root of the linked worktree that git calls so; empty where there is none."""
    if not name or "/" in name or os.sep in name or name in (".", ".."):
        return ""
    top = _linked(layout, name)
    return top if top and _belongs(top, layout) else ""


def _linked(layout: Layout, name: str) -> str:
    """The root that git keeps under a linked worktree's name; empty where it keeps none."""
    at = os.path.join(layout.common_dir, "worktrees", name)
    # It names the tree's file .git; a newer git may write that path relative.
    told = read_small(os.path.join(at, "gitdir")).rstrip("\n")
    return os.path.realpath(os.path.dirname(os.path.join(at, told))) if told else ""


def _belongs(top: str, layout: Layout) -> bool:
    try:
        return os.path.isdir(top) and find(top).common_dir == layout.common_dir
    except NotARepository:
        return False
