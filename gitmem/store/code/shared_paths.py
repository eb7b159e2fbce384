"""Showing in one worktree what another one shows: same path, same content, no new text."""

from __future__ import annotations

from collections.abc import Mapping

from gitmem.store.code.indexed_files import as_text
from gitmem.store.db.connection import Database

# Worktrees that are looked at: the first mostly has everything.
_MOST_LENDERS = 3


def lend(database: Database, tree: str, blobs: Mapping[str, str]) -> int:
    """Let a tree show those of its files (path -> blob id) that others show alike; how many.

    In a transaction of the caller. The full text is as before: each piece keeps its paths.
    """
    lenders = database.rows(
        "SELECT tree FROM trees WHERE tree <> ? AND state = 'whole' ORDER BY at DESC LIMIT ?",
        (tree, _MOST_LENDERS),
    )
    if not lenders:
        return 0
    import json  # noqa: PLC0415 - once in the life of a worktree

    wanted = json.dumps({as_text(path): blob for path, blob in blobs.items()})
    before = database.connection.total_changes()
    for (lender,) in lenders:
        database.run(
            "INSERT OR IGNORE INTO paths (tree, path, blob, language) "
            "SELECT ?, p.path, p.blob, p.language FROM json_each(?) AS w "
            "JOIN paths AS p ON p.tree = ? AND p.path = w.key "
            "JOIN blobs AS b ON b.id = p.blob AND b.oid = w.value",
            (tree, wanted, lender),
        )
    return database.connection.total_changes() - before
