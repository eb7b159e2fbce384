"""Which commits took the place of others: by amend, rebase, squash merge or cherry-pick.

Canonical, since it cannot be found out again once git has collected the old commits. How often the
table was added to stands in ``meta``, so that a reader sees at once whether it grew: what another
process found out meanwhile counts here too, though HEAD is where it was.
"""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.store.db.connection import Database

# "first": the first commit of a branch on which something was said before it had one.
HOWS = ("amend", "rebase", "squash", "cherry-pick", "first")
# Note in the store: changes whenever the table grows.
MARK = "rewritten"


def add(database: Database, pairs: Iterable[tuple[str, str]], how: str, *, at: int) -> int:
    """Note pairs of (old commit, new commit) in a transaction of the caller; how many were new.

    ``how`` is one of ``HOWS``, ``at`` milliseconds. The first word on a pair stays.
    """
    # Imported here: who reads needs no writing of memories.
    from gitmem.store.db import projects  # noqa: PLC0415
    from gitmem.store.memory.memory_writes import next_counter  # noqa: PLC0415

    assert how in HOWS
    added = 0
    for old, new in pairs:
        if old != new:
            added += database.run(
                "INSERT OR IGNORE INTO rewritten (old, new, how, at, device, counter) "
                "VALUES (?,?,?,?,?,?)",
                (old, new, how, at, database.device, next_counter(database)),
            )
    if added:
        projects.set_meta(database, MARK, str(next_counter(database)))
    return added


def edges(database: Database, commits: Iterable[str]) -> list[tuple[str, str]]:
    """All pairs (old, new) on the ways that lead from some commits to what took their places."""
    return database.rows(
        "WITH RECURSIVE later (id) AS (SELECT value FROM json_each(?) "
        "UNION SELECT r.new FROM later JOIN rewritten r ON r.old = later.id) "
        "SELECT r.old, r.new FROM later JOIN rewritten r ON r.old = later.id",
        (array(commits),),
    )


def firsts(database: Database) -> dict[str, str]:
    """Birth that waited for its branch's first commit -> that commit."""
    return dict(database.rows("SELECT old, new FROM rewritten WHERE how = 'first'"))


def touching(database: Database, commits: Iterable[str]) -> list[tuple[str, str, str, int]]:
    """(old, new, how, when in milliseconds) of the pairs that hold any of some commits."""
    return database.rows(
        "WITH asked (id) AS (SELECT value FROM json_each(?)) "
        "SELECT old, new, how, at FROM rewritten WHERE old IN asked UNION "
        "SELECT old, new, how, at FROM rewritten WHERE new IN asked AND how <> 'first' "
        "ORDER BY at, old, new",
        (array(commits),),
    )


def array(ids: Iterable[str]) -> str:
    """Ids as a JSON array."""
    given = list(ids)
    if not given:
        return "[]"
    if not "".join(given).isalnum():
        import json  # noqa: PLC0415 - ids of git and of ours need no escaping

        return json.dumps(given)
    return '["' + '","'.join(given) + '"]'
