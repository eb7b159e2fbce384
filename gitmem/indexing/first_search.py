"""The first search in a worktree that is not indexed: what can be answered at once.

Worktrees of one repository share nearly all content, so what another one has indexed becomes
searchable here with one row for each file. Where nothing is indexed at all, a person at a terminal
waits for a whole index.
"""

from contextlib import suppress

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import listing
from gitmem.indexing import moved_tree, pipeline, refresh
from gitmem.indexing.index_settings import index_settings
from gitmem.store.code import indexed_files, shared_paths
from gitmem.store.code.indexed_files import WorktreeIndexState

# Milliseconds that a reader waits for whoever writes; the drain does it all again.
_WAIT_MS = 200


def prepare_first_search(app: App) -> None:
    """Prepare the index before a search, if this worktree has none yet.

    The index of another worktree is used for files with the same content; errors are ignored. If
    nothing is indexed at all and a person waits at a terminal, all files are indexed; only this may
    raise GitmemError.
    """
    if app.store.read_only:
        return
    if indexed_files.indexed_worktrees(app.store):
        with suppress(GitmemError), app.store.lock_timeout(_WAIT_MS, sync_commits=False):
            if not moved_tree.adopt_moved_worktree(app):
                copy_index_from_worktrees(app)
    elif app.ask is not None:
        refresh.refresh_index(app, allow_long_wait=False)


def copy_index_from_worktrees(app: App) -> int:
    """Index the files whose content another worktree of this store has; returns their number.

    Nothing is split or embedded again; the next refresh indexes the other files. 0 if this worktree
    has an index. Raises GitmemError.
    """
    store = app.store
    refuse = index_settings(app.settings).refusal_reason
    found = listing.list_files(
        app.layout, refuse, ignore_file=pipeline.name_of_ignore_file(app.layout)
    )
    with store.write():
        if indexed_files.worktree_index_state(store, app.worktree) is not None:
            return 0  # a refresh was quicker
        shown = shared_paths.link_paths_to_indexed_blobs(store, app.worktree, found.blobs)
        indexed_files.set_worktree_index_state(
            store, app.worktree, WorktreeIndexState("", "", "building", 0)
        )
    return shown
