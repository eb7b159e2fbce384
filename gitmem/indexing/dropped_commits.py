"""Indexed commits that no branch contains any more: squashed, rebased or deleted with a branch.

Answers leave them out, and the next index run deletes them. A run stores the tips of branches, so
that only commits of changed branches are checked.
"""

from collections.abc import Callable
from functools import cache, partial

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import history
from gitmem.git.mtimes import refs_folder_stamp
from gitmem.store.code import commits
from gitmem.store.db import projects

# Where branches ended at the last run, behind the stamp of where git keeps them.
TIPS = "commit_tips"


def find_dropped_commits(app: App) -> frozenset[str]:
    """The ids of indexed commits that since the last index run left all branches."""
    if app.layout.plain:
        return frozenset()
    stamp, _, noted = (projects.get_meta(app.store, TIPS) or "").partition(" ")
    if not noted or stamp == refs_folder_stamp(app.layout):
        return frozenset()
    try:
        cwd, head = app.layout.cwd, app.git_head.commit or ""
        return history.unreferenced_commits(
            cwd, set(noted.split()) - history.branch_tip_commits(cwd, head), head
        )
    except GitmemError:  # git does not answer: all that is indexed is shown
        return frozenset()


def make_dropped_commit_lookup(app: App) -> Callable[[], frozenset[str]]:
    """A function that returns the ids of indexed commits that have left all branches.

    It calls ``find_dropped_commits``, which may run git, when first called, and keeps the result.
    """
    return cache(partial(find_dropped_commits, app))


def delete_dropped_commits(app: App) -> int:
    """Delete commits that no branch contains any more from the index; returns their number.

    Also stores the tips of all branches, with which the next call compares.
    """
    head = app.git_head.commit
    if app.layout.plain or not head:
        return 0
    stamp = refs_folder_stamp(app.layout)
    before = projects.get_meta(app.store, TIPS) or ""
    tips = history.branch_tip_commits(app.layout.cwd, head)
    if before:
        gone = history.unreferenced_commits(app.layout.cwd, set(before.split()[1:]) - tips, head)
    else:
        gone = frozenset(commits.indexed_commit_ids(app.store)) - history.reachable_commits(
            app.layout.cwd
        )
    noted = f"{stamp} {' '.join(sorted(tips))}"
    if not gone and noted == before:
        return 0
    with app.store.write():
        projects.set_meta(app.store, TIPS, noted)
        return commits.delete_commits(app.store, gone)
