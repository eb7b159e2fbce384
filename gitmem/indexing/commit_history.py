"""Indexing commits: message and changed paths, read from one streamed ``git log``."""

from __future__ import annotations

from collections.abc import Iterator

from gitmem.errors import NotFound
from gitmem.git import history
from gitmem.git.display import display_path
from gitmem.git.layout import RepositoryLayout
from gitmem.git.log_output import Commit
from gitmem.indexing.pipeline import Progress
from gitmem.store.code import commits, embedded_text
from gitmem.store.code.commits import IndexedCommit
from gitmem.store.db.connection import Database
from gitmem.store.db.content_hash import hash_text

BATCH = 200
MOST_PATHS = 200


def index_new_commits(
    layout: RepositoryLayout,
    database: Database,
    head: str,
    last_indexed_commit: str,
    max_commits: int,
    progress: Progress,
) -> int:
    """Index the commits that ``head`` reaches and the index lacks; returns their number.

    ``last_indexed_commit`` is the commit up to which all are indexed, or "": what it reaches is not
    read again. At most ``max_commits`` are read; ``progress(phase, done, total)`` is called on the
    way.
    """
    if head == last_indexed_commit:
        return 0
    # Few new commits are looked up one by one.
    known = frozenset[str]() if last_indexed_commit else commits.indexed_commit_ids(database)
    added, batch = 0, list[IndexedCommit]()
    for commit in _log(layout, head, last_indexed_commit, max_commits):
        if commit.sha not in known:
            batch.append(make_indexed_commit(commit))
        if len(batch) >= BATCH:
            added += _store(database, batch)
            progress("commits", added, 0)
            batch = []
    added += _store(database, batch)
    if added:
        progress("commits", added, added)
    return added


def make_indexed_commit(commit: Commit) -> IndexedCommit:
    """The IndexedCommit for a commit that was read from git."""
    text = embedded_text.commit_text_to_embed(commit.subject, commit.body)
    return IndexedCommit(
        sha=commit.sha,
        author=commit.author,
        at=commit.committed_time * 1000,
        subject=commit.subject,
        body=commit.body,
        # As they are shown: one may hold a newline, or bytes that are no text.
        paths=tuple(map(display_path, commit.paths[:MOST_PATHS])),
        hash=hash_text(text),
    )


def _log(layout: RepositoryLayout, head: str, before: str, most: int) -> Iterator[Commit]:
    if before:
        try:
            yield from history.list_commits(
                layout.cwd, since_commit=before, until=head, limit=most, with_paths=True
            )
            return
        except NotFound:
            pass  # collected after a rewrite: read all, and skip what is known
    yield from history.list_commits(layout.cwd, until=head, limit=most, with_paths=True)


def _store(database: Database, batch: list[IndexedCommit]) -> int:
    if not batch:
        return 0
    with database.write():
        return commits.add_commits(database, batch)
