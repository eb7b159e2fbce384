"""SQL conditions on the sub-project that memories and sessions belong to.

Only the end of a key is compared: the repository may have had another key when a memory was saved,
or the memory may come from another clone. A session's worktree ends with its sub-project likewise.
"""

from __future__ import annotations

from gitmem.model.project_key import MARK, split_project_key
from gitmem.store.db.connection import Database

# The slashes of a URL scheme are not the mark of a sub-project.
_KEY = "replace({column}, '://', ':')"
_SHARED = f"instr({_KEY}, '{MARK}') = 0"


def whole_repository_sql_condition(column: str = "m.project") -> tuple[str, list[object]]:
    """(SQL condition that a row belongs to no sub-project, its values); ``column`` has the key."""
    return _SHARED.format(column=column), []


def subproject_sql_condition(
    subproject_name: str, column: str = "m.project"
) -> tuple[str, list[object]]:
    """(SQL condition that a row belongs to the sub-project of this name, list of its values).

    ``column`` has the project's key, or the worktree of a session.
    """
    end = MARK + subproject_name
    return f"substr({_KEY.format(column=column)}, ?) = ?", [-len(end), end]


def subproject_or_repository_sql_condition(
    subproject_name: str, column: str = "m.project"
) -> tuple[str, list[object]]:
    """(SQL condition that a row belongs to a sub-project or to the whole repository, its values).

    With an empty name: only to the whole repository. ``column`` is as in
    ``subproject_sql_condition``.
    """
    if not subproject_name:
        return whole_repository_sql_condition(column)
    own, values = subproject_sql_condition(subproject_name, column)
    return f"({whole_repository_sql_condition(column)[0]} OR {own})", values


def memory_counts_by_project(database: Database) -> dict[str, int]:
    """A dict: repository's key -> number of memories of it and its sub-projects, without global."""
    totals: dict[str, int] = {}
    for key, count in database.rows(
        "SELECT project, count(*) FROM memories WHERE scope = 'project' GROUP BY project"
    ):
        if isinstance(key, str):
            totals[split_project_key(key)[0]] = totals.get(split_project_key(key)[0], 0) + count
    return totals


def subproject_names(database: Database) -> list[str]:
    """The names of the sub-projects that memories belong to, sorted."""
    # Split here: SQL would split the key of every row, and take three times as long.
    keys = database.column("SELECT DISTINCT project FROM memories")
    # A damaged row may hold anything.
    return sorted({split_project_key(key)[1] for key in keys if isinstance(key, str)} - {""})
