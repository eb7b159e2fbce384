"""Text that nothing shows any more: it leaves the store with the next index run.

What a file said before an edit, or before it was deleted, is kept only while a local branch ends
in it, so that switching branches reads nothing again. Its vectors stay until a prune: they hold no
text, and serve again should it come back.
"""

import os
import time

from gitmem.app import App
from gitmem.clock import DAY
from gitmem.git import branch_contents
from gitmem.indexing.pipeline import BREATH
from gitmem.store.code import chunks, indexed_files
from gitmem.store.db import projects

# Branches whose text is kept, those with the newest commits.
BRANCHES = 30
# Merging the full-text index of so many pieces takes 0.15 s of CPU; of more it is done once a day.
MERGED_AT_ONCE = 20_000
MERGED = "code_merged_at"


def drop(app: App) -> int:
    """Remove files that no worktree shows and no local branch ends in; how many."""
    store = app.store
    known = indexed_files.trees(store)
    there = [tree for tree in known if os.path.isdir(tree)]
    if len(there) < len(known):
        with store.write():
            indexed_files.forget_trees(store, there)
    if not indexed_files.unseen(store):
        return 0
    held = frozenset[str]()
    if not app.layout.plain:
        held = branch_contents.blobs(app.layout.cwd, BRANCHES)
    with store.write():
        dropped = indexed_files.drop_unseen(store, held)
    if dropped:
        _erase(app)
    return dropped


def _erase(app: App) -> None:
    """Take the words of what was dropped out of the file, and out of the log beside it."""
    store = app.store
    merged = int(projects.meta(store, MERGED) or 0)
    if chunks.count(store) > MERGED_AT_ONCE and app.now - merged < DAY:
        return
    while indexed_files.merge_text(store):
        time.sleep(BREATH)
    with store.write():
        projects.set_meta(store, MERGED, str(app.now))
    # Left to the next run where somebody reads just now.
    store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
