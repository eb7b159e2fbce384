"""What every file of a worktree defines, by name alone: for who wants all of it at once."""

from __future__ import annotations

from gitmem.store.code.indexed_files import as_path
from gitmem.store.db.connection import Database


def every(database: Database, tree: str) -> list[tuple[str, str, str]]:
    """(path, container, name) of all definitions, by path and name."""
    rows = database.rows(
        "SELECT DISTINCT p.path, s.container, s.name FROM paths p CROSS JOIN symbols s "
        "ON s.blob = p.blob WHERE p.tree = ? ORDER BY p.path, s.container, s.name",
        (tree,),
    )
    return [(as_path(path), container, name) for path, container, name in rows]
