"""Indexed commits: messages and changed paths, read by number, time, author or path."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from gitmem.model.frozen import dataclass, replace
from gitmem.store.code import embedded_text
from gitmem.store.db.connection import Database
from gitmem.store.db.content_hash import hash_text
from gitmem.store.db.full_text import identifier_parts
from gitmem.store.db.redaction_gate import redact_text
from gitmem.text import identifiers, issues


@dataclass(frozen=True, slots=True)
class IndexedCommit:
    """An indexed commit: id, author's name, time in milliseconds, message and changed ``paths``.

    ``hash`` (16 bytes) is that of the text its vector is made of, ``id`` its row number or 0.
    """

    sha: str
    author: str
    at: int
    subject: str
    body: str
    paths: tuple[str, ...]
    hash: bytes
    id: int = 0


def indexed_commit_ids(database: Database) -> set[str]:
    """The ids of all indexed commits."""
    return set(database.column("SELECT sha FROM commits"))


def add_commits(database: Database, commits: Iterable[IndexedCommit]) -> int:
    """Store commits, secrets redacted, with their full-text rows; returns how many were new."""
    added = 0
    for commit in map(_redacted, commits):
        subject, body = commit.subject, commit.body
        number = database.value(
            "INSERT INTO commits (sha, author, at, subject, body, paths, hash) "
            "VALUES (?,?,?,?,?,?,?) ON CONFLICT (sha) DO NOTHING RETURNING id",
            (
                commit.sha,
                commit.author,
                commit.at,
                subject,
                body,
                "\n".join(commit.paths),
                commit.hash,
            ),
        )
        if number is None:
            continue
        added += 1
        words = " ".join(identifiers.words_and_identifier_parts(" ".join(commit.paths)))
        parts = " ".join(identifier_parts(f"{subject} {body}"))
        database.connection.execute(
            "INSERT INTO commit_text (rowid, subject, body, paths, parts) VALUES (?,?,?,?,?)",
            (number, subject, body, words, parts),
        )
        # Paths in the same table would count in the length of a message: a commit that touches much
        # would hardly be found by what it says (gitlog: 0.76 without them, 0.71 with).
        database.connection.execute(
            "INSERT INTO commit_message (rowid, subject, body, parts) VALUES (?,?,?,?)",
            (number, subject, body, parts),
        )
        database.connection.executemany(
            "INSERT INTO commit_issues (issue, commit_id) VALUES (?,?)",
            [(issue, number) for issue in issues.issue_references(f"{subject}\n{body}")],
        )
    return added


def _redacted(indexed_commit: IndexedCommit) -> IndexedCommit:
    """The commit without secrets, with the hash of the redacted text."""
    subject, body = redact_text(indexed_commit.subject), redact_text(indexed_commit.body)
    paths = redact_text("\n".join(indexed_commit.paths), keep_line_count=True)
    same = (subject, body) == (indexed_commit.subject, indexed_commit.body)
    return replace(
        indexed_commit,
        author=redact_text(indexed_commit.author),
        subject=subject,
        body=body,
        paths=tuple(path for path in paths.split("\n") if path),
        hash=indexed_commit.hash
        if same
        else hash_text(embedded_text.commit_text_to_embed(subject, body)),
    )


def delete_commits(database: Database, shas: Iterable[str]) -> int:
    """Remove the commits with these full ids from the index; returns how many were there."""
    deleted = 0
    for sha in shas:
        row = database.row("DELETE FROM commits WHERE sha = ? RETURNING id", (sha,))
        if row is not None:
            database.run("DELETE FROM commit_text WHERE rowid = ?", (row[0],))
            database.run("DELETE FROM commit_message WHERE rowid = ?", (row[0],))
            database.run("DELETE FROM commit_issues WHERE commit_id = ?", (row[0],))
            deleted += 1
    return deleted


def commit_row_numbers_in_period(
    database: Database, since_ms: int, author_substring: str, until_ms: int | None = None
) -> set[int]:
    """The row numbers of the commits of a period whose author's name contains a text.

    The case of letters is ignored. Both times (milliseconds) are included; None: no end.
    """
    question = "SELECT id, author FROM commits WHERE at >= ?1 AND (?2 IS NULL OR at <= ?2)"
    rows = database.rows(question, (since_ms, until_ms))
    part = author_substring.lower()
    return {number for number, name in rows if part in name.lower()}


def issues_of_commits(database: Database, row_numbers: Sequence[int]) -> list[str]:
    """The issues that some commits name (``#12``, ``ABC-3``), sorted, without repeats."""
    marks = ",".join("?" * len(row_numbers))
    return database.column(
        f"SELECT DISTINCT issue FROM commit_issues WHERE commit_id IN ({marks}) ORDER BY issue",
        (*row_numbers,),
    )


def commit_row_numbers_by_issue(
    database: Database, issues: Sequence[str], max_commits_per_issue: int
) -> dict[str, list[int]]:
    """A dict: issue (``#12``) -> row numbers of the commits that name it.

    Issues that none or more than ``max_commits_per_issue`` commits name are left out.
    """
    marks = ",".join("?" * len(issues))
    rows = database.rows(
        f"SELECT issue, group_concat(commit_id) FROM commit_issues WHERE issue IN ({marks}) "
        "GROUP BY issue HAVING count(*) <= ?",
        (*issues, max_commits_per_issue),
    )
    return {issue: [int(number) for number in numbers.split(",")] for issue, numbers in rows}


def _select(database: Database, rest: str, values: Sequence[object]) -> list[IndexedCommit]:
    question = f"SELECT sha, author, at, subject, body, paths, hash, id FROM commits {rest}"
    return [
        IndexedCommit(
            sha, author, at, subject, body, tuple(paths.split("\n")) if paths else (), *rest
        )
        for sha, author, at, subject, body, paths, *rest in database.rows(question, (*values,))
    ]


def commits_by_row_number(
    database: Database, row_numbers: Sequence[int]
) -> dict[int, IndexedCommit]:
    """A dict: row number -> commit, of the stored ones among these row numbers."""
    marks = ",".join("?" * len(row_numbers))
    return {
        commit.id: commit for commit in _select(database, f"WHERE id IN ({marks})", row_numbers)
    }


def commits_of_path(database: Database, path: str, limit: int) -> list[IndexedCommit]:
    """The newest commits that changed exactly this path, newest first."""
    where = "WHERE instr(char(10) || paths || char(10), ?) > 0"
    return _select(database, f"{where} ORDER BY at DESC, id DESC LIMIT ?", (f"\n{path}\n", limit))


def latest_path_with_file_name(database: Database, file_name: str) -> str:
    """The path of a file of which only the name is known, with or without extension.

    Of several paths the one that a commit changed last; empty if no indexed commit changed any.
    """
    where = "instr('/' || replace(paths, char(10), char(10) || '/') || char(10), ?)"
    paths = database.value(
        f"SELECT paths FROM commits WHERE {where} OR {where} ORDER BY at DESC, id DESC LIMIT 1",
        (f"/{file_name}.", f"/{file_name}\n"),
    )
    files = ((path, path.rpartition("/")[2]) for path in (paths or "").split("\n"))
    return next((path for path, file in files if file_name in (file, file.partition(".")[0])), "")


def commit_row_numbers_by_prefix(database: Database, id_prefixes: Iterable[str]) -> list[int]:
    """The row number for each prefix with which the id of exactly one indexed commit begins."""
    unambiguous = []
    for id in id_prefixes:
        sql = "SELECT id FROM commits WHERE sha >= ?1 AND sha < ?1 || 'g' LIMIT 2"
        numbers = database.column(sql, (id,))
        unambiguous += numbers if len(numbers) == 1 else []
    return unambiguous


def count_commits(database: Database) -> int:
    """The number of indexed commits."""
    return int(database.value("SELECT count(*) FROM commits"))


def times_and_changed_paths_of_commits(
    database: Database, row_numbers: Sequence[int]
) -> list[tuple[int, int, list[str]]]:
    """(row number, time in milliseconds since 1970, changed paths) of the stored commits."""
    marks = ",".join("?" * len(row_numbers))
    rows = database.rows(
        f"SELECT id, at, paths FROM commits WHERE id IN ({marks})", (*row_numbers,)
    )
    return [(number, at, paths.split("\n") if paths else []) for number, at, paths in rows]


def changed_paths_of_commits(
    database: Database, row_numbers: Collection[int]
) -> list[tuple[int, list[str]]]:
    """(row number, changed paths) of many commits; commits without paths are left out."""
    rows = database.rows("SELECT id, paths FROM commits")
    return [
        (number, paths.split("\n")) for number, paths in rows if number in row_numbers and paths
    ]


def newest_commit_times_and_changed_paths(
    database: Database, limit: int
) -> list[tuple[int, int, list[str]]]:
    """The newest commits, newest first: (row number, time in milliseconds, changed paths)."""
    rows = database.rows("SELECT id FROM commits ORDER BY at DESC LIMIT ?", (limit,))
    return times_and_changed_paths_of_commits(database, [row[0] for row in rows])


def newest_commit_time(database: Database) -> int:
    """The time of the newest indexed commit in milliseconds; 0 if there is none."""
    return int(database.value("SELECT coalesce(max(at), 0) FROM commits"))


def oldest_commit_time(database: Database) -> int:
    """The time of the oldest indexed commit in milliseconds; 2**62 if there is none."""
    return int(database.value("SELECT coalesce(min(at), 1 << 62) FROM commits"))


def commits_in_period(
    database: Database,
    *,
    since_ms: int = 0,
    until_ms: int | None = None,
    path: str = "",
    author: str = "",
    limit: int = 10_000,
) -> list[IndexedCommit]:
    """The commits made from ``since_ms`` to ``until_ms`` (ms, both included), newest first.

    ``path`` is a file or a folder that they changed, ``author`` a part of a name, in any case.
    """
    clause, values = _in_period(since_ms, until_ms, path)
    rest = f"WHERE {clause} ORDER BY at DESC, id LIMIT ?"
    commits = _select(database, rest, (*values, -1 if author else limit))
    part = author.lower()
    return [commit for commit in commits if part in commit.author.lower()][:limit]


def commit_times_in_period(
    database: Database,
    *,
    since_ms: int = 0,
    until_ms: int | None = None,
    path: str = "",
    author: str = "",
) -> list[int]:
    """The times (ms) of the commits that ``commits_in_period`` would return, in no order."""
    clause, values = _in_period(since_ms, until_ms, path)
    if not author:
        return database.column(f"SELECT at FROM commits WHERE {clause}", (*values,))
    rows = database.rows(f"SELECT at, author FROM commits WHERE {clause}", (*values,))
    part = author.lower()
    return [at for at, name in rows if part in name.lower()]


def _in_period(since_ms: int, until_ms: int | None, path: str) -> tuple[str, list[object]]:
    """The condition on commits by their time and a changed file or folder, and its values."""
    clauses, values = ["at >= ?"], list[object]([since_ms])
    if until_ms is not None:
        clauses.append("at <= ?")
        values.append(until_ms)
    if path:
        clauses.append(
            "(instr(char(10) || paths || char(10), ?) > 0 OR instr(char(10) || paths, ?) > 0)"
        )
        values += [f"\n{path}\n", f"\n{path}/"]
    return " AND ".join(clauses), values
