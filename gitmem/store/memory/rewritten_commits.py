"""Which commits were replaced by which: by amend, rebase, squash merge or cherry-pick.

Canonical, since it cannot be recomputed once git has collected the old commits. ``meta`` holds a
mark that changes whenever the table grows, so that a reader notices what another process added
while HEAD stayed where it was.
"""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.store.db.columns import json_array
from gitmem.store.db.connection import Database

# "first": the first commit of a branch on which a memory was saved before it had any.
HOWS = ("amend", "rebase", "squash", "cherry-pick", "first")
# Key in ``meta`` of the mark that changes whenever the table grows.
MARK = "rewritten"


def add_rewritten_commits(
    database: Database, old_new_pairs: Iterable[tuple[str, str]], rewrite_cause: str, *, at_ms: int
) -> int:
    """Store pairs of (old commit, commit that replaced it); returns how many were new.

    In a transaction of the caller. ``rewrite_cause`` is amend, rebase, squash, cherry-pick or first
    (commit of a branch), ``at_ms`` milliseconds. A pair that is known keeps its first entry.
    """
    # Imported here: readers do not need the modules that write.
    from gitmem.store.db import projects  # noqa: PLC0415
    from gitmem.store.memory.memory_writes import advance_logical_clock  # noqa: PLC0415

    assert rewrite_cause in HOWS
    added = 0
    for old, new in old_new_pairs:
        if old != new:
            added += database.run(
                "INSERT OR IGNORE INTO rewritten (old, new, how, at, device, counter) "
                "VALUES (?,?,?,?,?,?)",
                (old, new, rewrite_cause, at_ms, database.device, advance_logical_clock(database)),
            )
    if added:
        projects.set_meta(database, MARK, str(advance_logical_clock(database)))
    return added


def replacement_chain(database: Database, commits: Iterable[str]) -> list[tuple[str, str]]:
    """(old, new) for each of these commits that was replaced, for its replacement, and so on."""
    return database.rows(
        "WITH RECURSIVE later (id) AS (SELECT value FROM json_each(?) "
        "UNION SELECT r.new FROM later JOIN rewritten r ON r.old = later.id) "
        "SELECT r.old, r.new FROM later JOIN rewritten r ON r.old = later.id",
        (json_array(commits),),
    )


def first_commits_of_new_branches(database: Database) -> dict[str, str]:
    """A dict: placeholder of a branch that had no commit -> the first commit it got.

    The placeholder, "+" and more, was stored as the commit of memories saved until then.
    """
    return dict(database.rows("SELECT old, new FROM rewritten WHERE how = 'first'"))


def rewrites_of_commits(
    database: Database, commits: Iterable[str]
) -> list[tuple[str, str, str, int]]:
    """(old, new, cause, time in milliseconds) of each replacement of or by some commits, by time.

    The cause is amend, rebase, squash, cherry-pick or first.
    """
    return database.rows(
        "WITH asked (id) AS (SELECT value FROM json_each(?)) "
        "SELECT old, new, how, at FROM rewritten WHERE old IN asked UNION "
        "SELECT old, new, how, at FROM rewritten WHERE new IN asked AND how <> 'first' "
        "ORDER BY at, old, new",
        (json_array(commits),),
    )
