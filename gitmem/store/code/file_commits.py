"""Which indexed commits changed a file."""

from __future__ import annotations

from gitmem.store.code import commits
from gitmem.store.code.commits import IndexedCommit
from gitmem.store.db.connection import Database


def of_path(database: Database, path: str, limit: int) -> list[IndexedCommit]:
    """The newest commits that changed exactly this path, newest first."""
    rows = database.rows(
        "SELECT id FROM commits WHERE instr(char(10) || paths || char(10), ?) > 0 "
        "ORDER BY at DESC, id DESC LIMIT ?",
        (f"\n{path}\n", limit),
    )
    found = commits.by_number(database, [row[0] for row in rows])
    return [found[row[0]] for row in rows]
