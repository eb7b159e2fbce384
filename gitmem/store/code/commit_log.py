"""Indexed commits of a stretch of time, of an author or below a path, the newest first."""

from __future__ import annotations

from gitmem.store.code.commits import IndexedCommit
from gitmem.store.db.connection import Database


def between(
    database: Database,
    *,
    since: int = 0,
    until: int | None = None,
    path: str = "",
    author: str = "",
    limit: int = 10_000,
) -> list[IndexedCommit]:
    """Commits made from ``since`` to ``until`` (milliseconds, both included), newest first.

    ``path`` is a file or a folder that they changed, ``author`` a part of a name, in any case.
    """
    clauses, values = ["at >= ?"], list[object]([since])
    if until is not None:
        clauses.append("at <= ?")
        values.append(until)
    if path:
        clauses.append(
            "(instr(char(10) || paths || char(10), ?) > 0 OR instr(char(10) || paths, ?) > 0)"
        )
        values += [f"\n{path}\n", f"\n{path}/"]
    rows = database.rows(
        "SELECT sha, author, at, subject, body, paths, hash, id FROM commits "
        f"WHERE {' AND '.join(clauses)} ORDER BY at DESC, id LIMIT ?",
        (*values, limit if not author else -1),
    )
    part = author.lower()
    commits = [
        IndexedCommit(
            sha, name, at, subject, body, tuple(paths.split("\n")) if paths else (), *rest
        )
        for sha, name, at, subject, body, paths, *rest in rows
        if part in name.lower()
    ]
    return commits[:limit]
