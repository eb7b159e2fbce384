"""Finding the sessions of an entity: an agent, a branch, a commit, a file."""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.store.db.columns import json_array
from gitmem.store.db.connection import Database

# The columns that may be asked for.
COLUMNS = ("agent", "branch", "worktree", "head_start", "head_end")


def sessions_by_column(
    database: Database, column: str, values: Iterable[str]
) -> list[tuple[str, str]]:
    """(value, session's id) of sessions with any of these values in a column, newest first.

    ``column`` is agent, branch, worktree, head_start or head_end.
    """
    assert column in COLUMNS
    return database.rows(
        f"SELECT {column}, id FROM sessions WHERE {column} IN (SELECT value FROM json_each(?)) "
        "ORDER BY started_at DESC, id DESC",
        (json_array(values),),
    )


def sessions_viewing_files(database: Database, paths: Iterable[str]) -> list[tuple[str, str]]:
    """(path, session's id) for each session that viewed one of these files, latest view first."""
    return database.rows(
        "SELECT path, session FROM session_files WHERE path IN (SELECT value FROM json_each(?)) "
        "ORDER BY viewed_at DESC, session DESC",
        (json_array(paths),),
    )


def viewed_files_by_session(
    database: Database, session_ids: Iterable[str]
) -> dict[str, list[tuple[str, int]]]:
    """A dict: session's id -> [(path, time in ms)] of the files it viewed, newest first."""
    rows = database.rows(
        "SELECT session, path, viewed_at FROM session_files "
        "WHERE session IN (SELECT value FROM json_each(?)) ORDER BY session, viewed_at DESC, path",
        (json_array(session_ids),),
    )
    files: dict[str, list[tuple[str, int]]] = {}
    for id, path, at in rows:
        files.setdefault(id, []).append((path, at))
    return files
