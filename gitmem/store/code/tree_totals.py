"""Sizes of the files of a worktree."""

from __future__ import annotations

from gitmem.store.code.indexed_files import as_path
from gitmem.store.db.connection import Database

Row = tuple[str, str, int, int]


def files(database: Database, tree: str, under: str = "") -> list[Row]:
    """Language, lines and bytes of every indexed file, or of those below a folder.

    As (path, language, lines, bytes).
    """
    rows = database.rows(
        "SELECT p.path, p.language, b.lines, b.bytes FROM paths p JOIN blobs b ON b.id = p.blob "
        "WHERE p.tree = ?1 AND (?2 = '' OR substr(p.path, 1, length(?2)) = ?2) ORDER BY p.path",
        (tree, f"{under}/" if under else ""),
    )
    return [(as_path(path), language, lines, size) for path, language, lines, size in rows]
