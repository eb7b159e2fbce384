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
    by_number = commits.by_number(database, [row[0] for row in rows])
    return [by_number[row[0]] for row in rows]


def named(database: Database, name: str) -> str:
    """The path, changed last, of a file known by its name alone, with its ending or without one.

    "" where no indexed commit changed such a file.
    """
    where = "instr('/' || replace(paths, char(10), char(10) || '/') || char(10), ?)"
    rows = database.rows(
        f"SELECT paths FROM commits WHERE {where} OR {where} ORDER BY at DESC, id DESC LIMIT 1",
        (f"/{name}.", f"/{name}\n"),
    )
    files = ((path, path.rpartition("/")[2]) for path in (rows[0][0].split("\n") if rows else ()))
    return next((path for path, file in files if name in (file, file.partition(".")[0])), "")
