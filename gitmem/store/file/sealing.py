"""Sealing all rows of a store, when it gets seals or when a person adopts it."""

from __future__ import annotations

from collections.abc import Iterator

from gitmem.errors import StoreDamaged
from gitmem.store.db import projects, seals
from gitmem.store.db.connection import Database, Row
from gitmem.store.db.sealed_rows import SEALED, sealed_columns
from gitmem.store.memory.memory_rows import COLUMNS, memory_from_row

_META = "seal"


def seal_all_rows(database: Database) -> int:
    """Give every row a seal, which proves that this store wrote it; returns how many got none.

    Those are damaged memories, which stay as they are. The caller vouches for the content: it is
    the user's own file, or the user said so.
    """
    damaged_count = 0
    with database.write():
        before, database.unsealed = database.unsealed, True
        try:
            damaged_count = _seal_memories(database)
        finally:
            database.unsealed = before
        for table in SEALED:
            _seal_table(database, table)
        projects.set_meta(database, _META, seals.seal_of_store(database.key, database.store))
    database.seal = seals.seal_of_store(database.key, database.store)
    database.foreign.clear()
    return damaged_count


def _seal_memories(database: Database) -> int:
    damaged_count = 0
    update = "UPDATE memories SET seal = ? WHERE seq = ?"
    for rows in _batches(database, f"SELECT {COLUMNS} FROM memories", "seq"):
        sealed = []
        for row in rows:
            try:
                memory_from_row(row, database)
            except StoreDamaged:
                damaged_count += 1
            else:
                sealed.append((seals.seal_of_memory(database, row[-2]), row[0]))
        database.connection.executemany(update, sealed)
    return damaged_count


def _batches(database: Database, question: str, key: str) -> Iterator[list[Row]]:
    last = -1
    while rows := database.rows(f"{question} WHERE {key} > ? ORDER BY {key} LIMIT 1000", (last,)):
        yield rows
        last = rows[-1][0]


def _seal_table(database: Database, table: str) -> None:
    # The first two columns identify a row in each of these tables.
    first, second = SEALED[table][:2]
    update = f"UPDATE {table} SET seal = ? WHERE {first} = ? AND {second} = ?"
    rows = database.rows(f"SELECT {sealed_columns(table)} FROM {table}")
    database.connection.executemany(
        update, [(seals.seal_of_row(database, table, row[:-1]), *row[:2]) for row in rows]
    )
