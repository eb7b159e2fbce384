"""Finding the memories of an entity: an author, an agent, a session, a branch, a file."""

from __future__ import annotations

import json
from collections.abc import Iterable

from gitmem.store.db.columns import json_array
from gitmem.store.db.connection import Database

# The columns that may be asked for.
COLUMNS = ("agent", "author", "session", "branch", "commit_id", "project")


def memories_by_column(
    database: Database, column: str, values: Iterable[str]
) -> list[tuple[str, str]]:
    """(value, memory's id) of memories with any of these values in a column, newest first.

    ``column`` is agent, author, session, branch, commit_id or project.
    """
    assert column in COLUMNS
    return database.rows(
        f"SELECT {column}, id FROM memories WHERE {column} IN (SELECT value FROM json_each(?)) "
        "ORDER BY created_at DESC, id DESC",
        (json_array(values),),
    )


def memories_about_path(database: Database, path: str) -> list[str]:
    """The ids of memories that cite a path, lines in it or a file below it, newest first."""
    sought = json.dumps(path, ensure_ascii=False)[:-1]
    return database.column(
        "SELECT id FROM memories WHERE instr(paths, ?) OR instr(paths, ?) OR instr(paths, ?) "
        "ORDER BY created_at DESC, id DESC",
        (sought + '"', sought + '/"', sought + ":"),
    )


def memories_of_errors_fixed_by_commits(database: Database, commit_ids: Iterable[str]) -> list[str]:
    """The ids of memories of errors that were fixed by one of these commits, by their metadata."""
    return database.column(
        "SELECT id FROM memories WHERE instr(metadata, '\"fixed_by\"') AND "
        "json_extract(metadata, '$.fixed_by') IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json_array(commit_ids),),
    )
