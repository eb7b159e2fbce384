"""Finding the indexed commits of an entity: an author, an issue or a file."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gitmem.store.db.columns import json_array
from gitmem.store.db.connection import Database

_FEW = 4  # paths searched by SQLite; for more, all lists of paths are read once


def row_numbers_of_commits(database: Database, shas: Iterable[str]) -> list[int]:
    """The row numbers, sorted, of the indexed commits among those with these full ids."""
    return database.column(
        "SELECT id FROM commits WHERE sha IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json_array(shas),),
    )


def commits_of_authors(database: Database, authors: Iterable[str]) -> list[tuple[str, int]]:
    """The commits of some authors as (author, row number), the newest first."""
    return database.rows(
        "SELECT author, id FROM commits WHERE author IN (SELECT value FROM json_each(?)) "
        "ORDER BY at DESC, id DESC",
        (json_array(authors),),
    )


def commits_naming_issues(database: Database, issues: Iterable[str]) -> list[tuple[str, int]]:
    """(issue, commit's row number) of commits that name these issues (``#12``), newest first."""
    return database.rows(
        "SELECT i.issue, c.id FROM commit_issues AS i JOIN commits AS c ON c.id = i.commit_id "
        "WHERE i.issue IN (SELECT value FROM json_each(?)) ORDER BY c.at DESC, c.id DESC",
        (json_array(issues),),
    )


def commits_changing_paths(database: Database, paths: Collection[str]) -> list[tuple[str, int]]:
    """(path, commit's row number) of each commit that changed one of these files, newest first.

    A folder does not stand for its files. For a few paths the commits are sorted path by path.
    """
    if len(paths) <= _FEW:
        return [(path, number) for path in sorted(paths) for number in _changing(database, path)]
    rows = database.rows("SELECT id, paths FROM commits ORDER BY at DESC, id DESC")
    chosen = set(paths)
    return [(path, number) for number, text in rows for path in text.split("\n") if path in chosen]


def _changing(database: Database, path: str) -> list[int]:
    return database.column(
        "SELECT id FROM commits WHERE instr(char(10) || paths || char(10), ?) > 0 "
        "ORDER BY at DESC, id DESC",
        (f"\n{path}\n",),
    )


def resolve_author_name(database: Database, name_or_prefix: str) -> str:
    """The full name of an author, from the name in any case or its unambiguous beginning.

    Empty if no indexed commit has such an author, or several names start so.
    """
    rows = database.rows("SELECT DISTINCT author FROM commits ORDER BY author")
    low = name_or_prefix.lower()
    same = [row[0] for row in rows if row[0].lower() == low]
    begin = [row[0] for row in rows if low and row[0].lower().startswith(low)]
    return next(iter(same or (begin if len(begin) == 1 else [])), "")


def commit_titles(database: Database, shas: Iterable[str]) -> dict[str, tuple[str, int]]:
    """A dict: commit id -> (subject, time in milliseconds since 1970), of indexed commits."""
    rows = database.rows(
        "SELECT sha, subject, at FROM commits WHERE sha IN (SELECT value FROM json_each(?))",
        (json_array(shas),),
    )
    return {sha: (subject, at) for sha, subject, at in rows}
