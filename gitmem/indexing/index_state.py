"""Whether the index is that of what is checked out; light, since every search tells it."""

import os

from gitmem.app import App
from gitmem.store.code import tree_state

# A state, in words for people.
SAID = {
    "current": "the index is up to date",
    "stale": "the index is out of date",
    "unknown": "this worktree is not indexed yet",
}


def told(state: str, refreshing: bool) -> str:
    """A clause about an index that is behind, and what is done about it or has to be."""
    return f"{SAID[state]}: {'indexing now' if refreshing else 'run `gitmem index`'}"


def stamp(app: App) -> str:
    """Time stamp and size of git's index file: they change when what is tracked does."""
    try:
        found = os.stat(os.path.join(app.layout.git_dir, "index"))
    except OSError:
        return ""
    return f"{found.st_mtime_ns:x}.{found.st_size:x}"


def recognise(app: App) -> bool:
    """Whether this worktree, not known by its path, is one that was moved here; its index came too.

    It is known by git's index, whose time stamp to the nanosecond and size moved with it.
    """
    store, now = app.store, stamp(app)
    if store.read_only or not now:
        return False
    from gitmem.store.code import shared_paths  # noqa: PLC0415 - a moved worktree only

    old = [one for one in shared_paths.at(store, app.head.commit or "", now) if one != app.worktree]
    if len(old) != 1 or os.path.isdir(old[0]):
        return False
    with store.write():
        if tree_state.state(store, app.worktree) is None:
            shared_paths.carry(store, old[0], app.worktree)
    return True


def state(app: App) -> str:
    """``current``, ``stale`` or ``unknown``: whether the index is that of what is checked out."""
    known = tree_state.state(app.store, app.worktree) if app.has_store else None
    if known is None or known.state != "whole":
        return "unknown"
    same = known.head == (app.head.commit or "") and known.stamp == stamp(app)
    return "current" if same else "stale"
