"""Recognising a worktree whose folder was moved, so that its index is used again."""

import os

from gitmem.app import App
from gitmem.git.mtimes import index_file_stamp
from gitmem.store.code import tree_state


def adopt_moved_worktree(app: App) -> bool:
    """Give a worktree whose folder was moved the index of its old path; returns whether it was.

    It is recognised by its commit, and by the size and time of git's index file: one stored
    worktree has the same, and its folder is gone.
    """
    store, now = app.store, index_file_stamp(app.layout)
    if store.read_only or not now:
        return False
    from gitmem.store.code import shared_paths  # noqa: PLC0415 - a moved worktree only

    old = [
        path
        for path in shared_paths.worktrees_indexed_at(store, app.git_head.commit or "", now)
        if path != app.worktree
    ]
    if len(old) != 1 or os.path.isdir(old[0]):
        return False
    with store.write():
        if tree_state.worktree_index_state(store, app.worktree) is None:
            shared_paths.move_worktree_rows(store, old[0], app.worktree)
    return True
