"""Reusing the indexed paths of a worktree for another one, or after its folder was moved."""

from __future__ import annotations

from collections.abc import Mapping

from gitmem.store.code.indexed_files import encode_path_for_database
from gitmem.store.db.connection import Database

# Tables with rows for each worktree, all of which can be made again.
_OF_TREES = ("paths", "verdicts", "elsewhere", "elsewhere_of", "trees", "graph_trees")
# Worktrees examined: the first mostly has everything.
_MOST_LENDERS = 3


def link_paths_to_indexed_blobs(
    database: Database, worktree: str, blob_ids_by_path: Mapping[str, str]
) -> int:
    """Index those paths of a worktree that another worktree has with the same content.

    ``blob_ids_by_path`` maps paths to git's blob ids. Returns how many paths were added. Opens no
    transaction.
    """
    lenders = database.rows(
        "SELECT tree FROM trees WHERE tree <> ? AND state = 'whole' ORDER BY at DESC LIMIT ?",
        (worktree, _MOST_LENDERS),
    )
    if not lenders:
        return 0
    import json  # noqa: PLC0415 - once in the life of a worktree

    blob_by_path = json.dumps(
        {encode_path_for_database(path): blob for path, blob in blob_ids_by_path.items()}
    )
    before = database.connection.total_changes()
    for (lender,) in lenders:
        database.run(
            "INSERT OR IGNORE INTO paths (tree, path, blob, language) "
            # CROSS keeps the order: SQLite would read the whole JSON again for each path.
            "SELECT ?, p.path, p.blob, p.language FROM json_each(?) AS w "
            "CROSS JOIN paths AS p ON p.tree = ? AND p.path = w.key "
            "JOIN blobs AS b ON b.id = p.blob AND b.oid = w.value",
            (worktree, blob_by_path, lender),
        )
    return database.connection.total_changes() - before


def worktrees_indexed_at(database: Database, head_commit: str, git_index_stamp: str) -> list[str]:
    """The worktrees that are wholly indexed at ``head_commit`` and this ``git_index_stamp``.

    The stamp is a text for the state of git's index file (``git.mtimes.index_file_stamp``).
    """
    question = "SELECT tree, stamp FROM trees WHERE head = ? AND state = 'whole'"
    rows = database.rows(question, (head_commit,))
    return [tree for tree, stamp in rows if stamp.partition("@")[0] == git_index_stamp]


def move_worktree_rows(database: Database, old_worktree: str, new_worktree: str) -> None:
    """Give all that is indexed or cached of one worktree to another, as after its folder was moved.

    Where the new worktree has a row already, the old one is deleted.
    """
    for table in _OF_TREES:
        database.run(
            f"UPDATE OR IGNORE {table} SET tree = ? WHERE tree = ?", (new_worktree, old_worktree)
        )
        database.run(f"DELETE FROM {table} WHERE tree = ?", (old_worktree,))
