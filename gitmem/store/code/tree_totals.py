"""Sizes of the files of a worktree, for sums over languages and folders."""

from __future__ import annotations

from gitmem.store.code.indexed_files import as_path
from gitmem.store.db.connection import Database

Row = tuple[str, str, int, int]


def files(database: Database, tree: str, under: str = "") -> list[Row]:
    """(path, language, lines, bytes) of every indexed file, below a folder if one is given."""
    rows = database.rows(
        "SELECT p.path, p.language, b.lines, b.bytes FROM paths p JOIN blobs b ON b.id = p.blob "
        "WHERE p.tree = ?1 AND (?2 = '' OR substr(p.path, 1, length(?2)) = ?2) ORDER BY p.path",
        (tree, f"{under}/" if under else ""),
    )
    return [(as_path(path), language, lines, size) for path, language, lines, size in rows]


def symbols(database: Database, tree: str, under: str = "") -> int:
    """The number of definitions in the indexed files, below a folder if one is given."""
    count: int = database.value(
        "SELECT count(*) FROM paths p JOIN symbols s ON s.blob = p.blob "
        "WHERE p.tree = ?1 AND (?2 = '' OR substr(p.path, 1, length(?2)) = ?2)",
        (tree, f"{under}/" if under else ""),
    )
    return count
