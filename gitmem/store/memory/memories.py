"""Reading memories, their history, use and links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitmem.model.memory import Link, Memory, Version
from gitmem.store.db.connection import Database
from gitmem.store.db.sealed_rows import own
from gitmem.store.db.sealed_rows import wanted as wanted_columns
from gitmem.store.memory.filters import STATE_SQL, Filter
from gitmem.store.memory.memory_rows import COLUMNS, digest, from_row, from_snapshot

_LINK = wanted_columns("links")


def get(database: Database, id: str) -> Memory | None:
    """The memory with exactly this id."""
    row = database.row(f"SELECT {COLUMNS} FROM memories WHERE id = ?", (id,))
    return None if row is None else from_row(row, database)


def select(
    database: Database, wanted: Filter, *, limit: int, offset: int = 0, order: str = "created_at"
) -> list[Memory]:
    """Memories that pass the filter, newest first by ``order`` (created_at or updated_at)."""
    assert order in ("created_at", "updated_at")
    clause, values = wanted.clause()
    rows = database.rows(
        f"SELECT {COLUMNS} FROM memories AS m WHERE {clause} "
        f"ORDER BY m.{order} DESC, m.seq DESC LIMIT ? OFFSET ?",
        (*values, limit, offset),
    )
    return [from_row(row, database) for row in rows]


def count(database: Database, wanted: Filter) -> int:
    """How many memories pass the filter."""
    clause, values = wanted.clause()
    return int(database.value(f"SELECT count(*) FROM memories AS m WHERE {clause}", (*values,)))


def by_seq(database: Database, numbers: Sequence[int], wanted: Filter) -> list[Memory]:
    """Those of the given rows that pass the filter, in no order."""
    clause, values = wanted.clause()
    marks = ",".join("?" * len(numbers))
    rows = database.rows(
        f"SELECT {COLUMNS} FROM memories AS m WHERE m.seq IN ({marks}) AND {clause}",
        (*numbers, *values),
    )
    return [from_row(row, database) for row in rows]


def same(database: Database, said: Memory) -> Memory | None:
    """A living memory with the same normalised text, kind and scope as the one that was said."""
    row = database.row(
        f"SELECT {COLUMNS} FROM memories AS m WHERE digest = ? AND ({STATE_SQL['active']} "
        f"OR {STATE_SQL['proposed']}) "
        "ORDER BY seq LIMIT 1",
        (digest(said),),
    )
    return None if row is None else from_row(row, database)


def every(database: Database) -> Iterator[Memory]:
    """Every memory in order of id, a thousand at a time."""
    last = ""
    while True:
        rows = database.rows(
            f"SELECT {COLUMNS} FROM memories WHERE id > ? ORDER BY id LIMIT 1000", (last,)
        )
        if not rows:
            return
        for row in rows:
            yield from_row(row, database)
        last = rows[-1][1]


def history(database: Database, id: str) -> list[Version]:
    """The earlier versions of a memory, oldest first, as they were written here.

    Raises StoreDamaged.
    """
    rows = database.rows(
        f"SELECT {wanted_columns('versions')} FROM versions WHERE memory = ? ORDER BY version",
        (id,),
    )
    # The hash first: damage is told apart from another hand, and only what is whole is sealed.
    said = {row[1]: from_snapshot(row[-2], database.path) for row in rows}
    return [Version(said[row[1]], *row[2:-1]) for row in own(database, "versions", rows)]


def usage(database: Database, id: str) -> tuple[int, int | None]:
    """How often a memory was handed out, and when last."""
    row = database.row("SELECT count, last_at FROM usage WHERE memory = ?", (id,))
    return (0, None) if row is None else (row[0], row[1])


def any_anchored(database: Database) -> bool:
    """Whether any memory stands on code."""
    return database.row("SELECT 1 FROM anchors LIMIT 1") is not None


def usages(database: Database, ids: Sequence[str]) -> dict[str, tuple[int, int | None]]:
    """By id how often some memories were handed out, and when last; those never are missing."""
    marks = ",".join("?" * len(ids))
    rows = database.rows(
        f"SELECT memory, count, last_at FROM usage WHERE memory IN ({marks})", (*ids,)
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def links(database: Database, id: str) -> list[Link]:
    """Links from and to a memory, oldest first."""
    rows = database.rows(
        f"SELECT {_LINK} FROM links WHERE source = ?1 OR target = ?1 ORDER BY id", (id,)
    )
    return [Link(*row) for row in own(database, "links", rows)]


def every_link(database: Database) -> list[Link]:
    """All links in order of id."""
    rows = database.rows(f"SELECT {_LINK} FROM links ORDER BY id")
    return [Link(*row) for row in own(database, "links", rows)]
