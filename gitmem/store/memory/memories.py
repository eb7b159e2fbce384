"""Reading memories, their history, use and links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitmem.errors import MemoryDamaged, StoreDamaged
from gitmem.model.memory import EarlierMemoryVersion, Link, Memory
from gitmem.store.db.connection import Database, Row
from gitmem.store.db.sealed_rows import rows_with_valid_seal, sealed_columns
from gitmem.store.memory.filters import STATE_SQL, MemoryFilter
from gitmem.store.memory.memory_rows import (
    COLUMNS,
    memory_from_json_line,
    memory_from_row,
    read_memories,
    record_unreadable_memory,
    unreadable_memory_error,
    verify_rows,
)

# How many of the newest memories ``select_memories`` sorts by weight: sorting all would read them
# all.
WEIGHED = 200
_LINK = sealed_columns("links")


def get_memory(database: Database, id: str) -> Memory | None:
    """The memory with exactly this id; None if there is none.

    Raises MemoryDamaged if it is damaged or was not written by this store.
    """
    try:
        row = database.row(f"SELECT {COLUMNS} FROM memories WHERE id = ?", (id,))
    except StoreDamaged as error:
        if isinstance(error.__cause__, UnicodeDecodeError):
            raise unreadable_memory_error(
                id, database.path, "is damaged: a text is not UTF-8"
            ) from error
        raise
    return None if row is None else memory_from_row(row, database)


def get_undamaged_memory(database: Database, memory_id: str) -> Memory | None:
    """The memory with exactly this id; None if there is none, or it cannot be trusted.

    In that case ``database.left_out`` maps its id to the reason.
    """
    try:
        return get_memory(database, memory_id)
    except MemoryDamaged as error:
        record_unreadable_memory(database, memory_id, error.reason)
        return None


def row_number_of_memory(database: Database, memory_id: str) -> int | None:
    """The row number of a memory, even a damaged one; None if there is none."""
    seq: int | None = database.value("SELECT seq FROM memories WHERE id = ?", (memory_id,))
    return seq


def select_memories(
    database: Database,
    filter: MemoryFilter,
    *,
    limit: int,
    offset: int = 0,
    order: str = "created_at",
) -> list[Memory]:
    """The memories that pass the filter: at most ``limit`` after the first ``offset``.

    ``order`` is created_at or updated_at (newest first), importance, uses or weight (largest
    first). By weight only the newest 200 are considered. Of equals the newest comes first.
    """
    assert order in ("created_at", "updated_at", "importance", "weight", "uses")
    clause, values = filter.sql_condition()
    if order == "weight":
        newest = f"SELECT m.seq FROM memories AS m WHERE {clause} ORDER BY m.created_at DESC"
        sql_tail = (
            f"WHERE m.seq IN ({newest}, m.seq DESC LIMIT {WEIGHED}) "
            "ORDER BY m.weight DESC, m.created_at DESC, m.seq DESC LIMIT ? OFFSET ?"
        )
        return read_memories(database, sql_tail, (*values, limit, offset))
    then = "m.created_at DESC, " if order in ("importance", "uses") else ""
    used = "(SELECT count FROM usage WHERE memory = m.id)"
    first = used if order == "uses" else f"m.{order}"
    sql_tail = f"WHERE {clause} ORDER BY {first} DESC, {then}m.seq DESC LIMIT ? OFFSET ?"
    return read_memories(database, sql_tail, (*values, limit, offset))


def has_multiple_memories(database: Database) -> bool:
    """Whether the store has more than one memory, without counting them."""
    return bool(database.value("SELECT count(*) > 1 FROM (SELECT 1 FROM memories LIMIT 2)"))


def count_filtered_memories(database: Database, filter: MemoryFilter) -> int:
    """The number of memories that pass the filter."""
    clause, values = filter.sql_condition()
    return int(database.value(f"SELECT count(*) FROM memories AS m WHERE {clause}", (*values,)))


def oldest_memory_time(database: Database) -> int:
    """When the oldest memory was made, in milliseconds since 1970; 2**62 if there is none."""
    return int(database.value("SELECT coalesce(min(created_at), 1 << 62) FROM memories"))


def memory_counts_by_period(
    database: Database, filter: MemoryFilter, since_ms: int, period_ms: int
) -> list[tuple[int, int]]:
    """(period, number of memories that pass the filter and were made in it), in order.

    Periods of ``period_ms`` are numbered from 0 at ``since_ms``; empty ones are left out.
    """
    clause, values = filter.sql_condition()
    question = f"SELECT (m.created_at - ?) / ?, count(*) FROM memories AS m WHERE {clause}"
    return database.rows(f"{question} GROUP BY 1 ORDER BY 1", (since_ms, period_ms, *values))


def cited_paths(database: Database) -> list[str]:
    """The paths that memories cite, without repeats, as written: ``src/app.py:40-60`` or a path."""
    return database.column("SELECT DISTINCT p.value FROM memories AS m, json_each(m.paths) AS p")


def memories_by_row_number(
    database: Database, row_numbers: Sequence[int], filter: MemoryFilter
) -> list[Memory]:
    """The memories with these row numbers that pass the filter, in no order."""
    clause, values = filter.sql_condition()
    marks = ",".join("?" * len(row_numbers))
    return read_memories(
        database, f"WHERE m.seq IN ({marks}) AND {clause}", (*row_numbers, *values)
    )


def all_memories(database: Database) -> Iterator[Memory]:
    """Yield every memory, sorted by id; damaged ones are left out and noted."""
    last = ""
    while True:
        ids = database.rows("SELECT id FROM memories WHERE id > ? ORDER BY id LIMIT 1000", (last,))
        if not ids:
            return
        yield from read_memories(
            database, "WHERE id > ? AND id <= ? ORDER BY id", (last, ids[-1][0])
        )
        last = ids[-1][0]


def verify_all_memories(database: Database) -> None:
    """Check hash and origin of all memories; ``database.left_out``: id -> reason, of bad ones."""
    last = -(2**63)  # damage may have made any number of a row's
    question = f"SELECT {COLUMNS} FROM memories WHERE seq > ? ORDER BY seq LIMIT 1000"
    try:
        while rows := database.rows(question, (last,)):
            verify_rows(database, rows)
            last = rows[-1][0]
    except StoreDamaged:
        # One damaged text or page fails the whole query: the rest is read row by row.
        for _ in all_memories(database):
            pass


def earlier_versions(database: Database, memory_id: str) -> list[EarlierMemoryVersion]:
    """The earlier versions of a memory, oldest first.

    A version that is damaged or was not written by this store is left out; ``database.left_out``
    names the memory if it is damaged.
    """
    question = f"SELECT {sealed_columns('versions')} FROM versions WHERE memory = ?"
    try:
        rows = database.rows(f"{question} ORDER BY version", (memory_id,))
    except StoreDamaged:
        # A text that is not UTF-8 fails the whole query.
        rows = _readable(database, question, memory_id)
    # The hash first: it tells damage from a foreign row, and only undamaged rows have seals.
    snapshots = {}
    for row in rows:
        try:
            snapshots[row[1]] = memory_from_json_line(row[-2], database.path)
        except MemoryDamaged as error:
            record_unreadable_memory(database, memory_id, error.reason)
    undamaged = [row for row in rows if row[1] in snapshots]
    return [
        EarlierMemoryVersion(snapshots[row[1]], *row[2:-1])
        for row in rows_with_valid_seal(database, "versions", undamaged)
    ]


def _readable(database: Database, question: str, id: str) -> list[Row]:
    rows = []
    numbers = "SELECT version FROM versions WHERE memory = ? ORDER BY version"
    for (number,) in database.rows(numbers, (id,)):
        try:
            rows += database.rows(f"{question} AND version = ?", (id, number))
        except StoreDamaged:
            record_unreadable_memory(database, id, "damaged")
    return rows


def verify_all_versions(database: Database) -> None:
    """Check all earlier versions; ``database.left_out`` gets ids of memories with damaged ones."""
    last: tuple[str, int] = ("", 0)
    question = (
        f"SELECT {sealed_columns('versions')} FROM versions WHERE (memory, version) > (?, ?) "
        "ORDER BY memory, version LIMIT 1000"
    )
    while rows := database.rows(question, last):
        last = rows[-1][:2]
        for row in rows:
            try:
                memory_from_json_line(row[-2], database.path)
                rows_with_valid_seal(database, "versions", [row])
            except MemoryDamaged as error:
                record_unreadable_memory(database, row[0], error.reason)


def access_count_and_time(database: Database, memory_id: str) -> tuple[int, int | None]:
    """(how often a memory was shown, when it last was in milliseconds since 1970, or None)."""
    row = database.row("SELECT count, last_at FROM usage WHERE memory = ?", (memory_id,))
    return (0, None) if row is None else (row[0], row[1])


def has_anchored_memories(database: Database) -> bool:
    """Whether any memory cites a place in the code."""
    return database.row("SELECT 1 FROM anchors LIMIT 1") is not None


def has_archived_memory(database: Database) -> bool:
    """Whether any memory is archived."""
    return bool(database.value("SELECT EXISTS (SELECT 1 FROM memories WHERE archived_at NOT NULL)"))


def access_counts_and_times(
    database: Database, memory_ids: Sequence[str]
) -> dict[str, tuple[int, int | None]]:
    """Id -> (number of times the memory was shown, when it last was in milliseconds).

    Memories that were never shown are left out.
    """
    marks = ",".join("?" * len(memory_ids))
    rows = database.rows(
        f"SELECT memory, count, last_at FROM usage WHERE memory IN ({marks})", (*memory_ids,)
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def contradicted_ids_by_memory(
    database: Database, memory_ids: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """A dict: memory's id -> ids of active memories it may contradict, which nobody has decided."""
    marks = ",".join("?" * len(memory_ids))
    is_open = "kind = 'contradiction' AND resolved_at IS NULL"
    opponents: dict[str, tuple[str, ...]] = {}
    for id, other in database.rows(
        f"SELECT s.id, m.id FROM (SELECT memory AS id, other FROM suggestions WHERE memory IN "
        f"({marks}) AND {is_open} UNION SELECT other, memory FROM suggestions WHERE other IN "
        f"({marks}) AND {is_open}) AS s JOIN memories AS m ON m.id = s.other "
        f"WHERE {STATE_SQL['active']} ORDER BY m.id",
        (*memory_ids, *memory_ids),
    ):
        opponents[id] = (*opponents.get(id, ()), other)
    return opponents


def links_of_memory(database: Database, memory_id: str) -> list[Link]:
    """The links from and to a memory, oldest first."""
    rows = database.rows(
        f"SELECT {_LINK} FROM links WHERE source = ?1 OR target = ?1 ORDER BY id", (memory_id,)
    )
    return [Link(*row) for row in rows_with_valid_seal(database, "links", rows)]


def all_links(database: Database) -> list[Link]:
    """All links between memories, sorted by the link's id."""
    rows = database.rows(f"SELECT {_LINK} FROM links ORDER BY id")
    return [Link(*row) for row in rows_with_valid_seal(database, "links", rows)]
