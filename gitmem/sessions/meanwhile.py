"""What happened in git during a session that a host recorded: its branch, the commits made.

Computed when it is asked for, from the reflog of the worktree that the session was in.
"""

from __future__ import annotations

from collections.abc import Collection

from gitmem.app import App
from gitmem.clock import MINUTE
from gitmem.errors import GitmemError
from gitmem.git import head_log, layout
from gitmem.git.head import read_head
from gitmem.git.layout import RepositoryLayout
from gitmem.model.exchange import Conversation
from gitmem.store.code import commits
from gitmem.store.code.commits import IndexedCommit

# What was done is often committed a little later.
GRACE_MS = 15 * MINUTE


def branch_at_time(app: App, folder: str, time_ms: int) -> str:
    """The branch checked out in the worktree of ``folder`` at a time (ms since 1970), or ""."""
    place = _layout(app, folder)
    return (
        head_log.branch_checked_out_at(
            head_log.read_head_reflog(place), time_ms, read_head(place).branch or ""
        )
        if time_ms
        else ""
    )


def commits_during_session(
    app: App,
    conversation: Conversation,
    since_ms: int = 0,
    until_ms: int = 0,
    paths: Collection[str] = (),
) -> list[IndexedCommit]:
    """The stored commits that were made in a session's worktree while it ran, oldest first.

    ``conversation`` is the session as its agent program recorded it. ``since_ms`` and ``until_ms``
    (milliseconds since 1970) are those of a part of it; 0: its begin, and 15 minutes after its end.
    Where git's reflog does not reach back so far: the commits of that time that touch one of
    ``paths``.
    """
    since_ms = since_ms or conversation.started_at
    until_ms = until_ms or conversation.ended_at + GRACE_MS
    if not since_ms:
        return []
    moves = head_log.read_head_reflog(_layout(app, conversation.folder))
    if moves and moves[0].at_ms <= since_ms:
        commit_ids = head_log.commits_made_between(moves, since_ms // 1000 * 1000, until_ms)
        indexed = commits.commits_by_row_number(
            app.store, commits.commit_row_numbers_by_prefix(app.store, commit_ids)
        )
        by_id = {commit.sha: commit for commit in indexed.values()}
        return [by_id[sha] for sha in commit_ids if sha in by_id]
    touched = set(paths)
    return [
        commit
        for commit in reversed(
            commits.commits_in_period(app.store, since_ms=since_ms, until_ms=until_ms)
        )
        if not touched.isdisjoint(commit.paths)
    ]


def _layout(app: App, folder: str) -> RepositoryLayout:
    """The worktree that a folder is in, else the one asked from."""
    try:
        place = layout.find_repository(folder)
    except (GitmemError, OSError):
        return app.layout
    return place if place.common_dir == app.layout.common_dir else app.layout
