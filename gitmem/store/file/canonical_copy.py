"""Copying the canonical half of a store, without transcripts, into a small database without index.

It is a store file whose header says that it has no derived half, so opening it as a store builds
one from the memories. It is written in one read transaction: others may write meanwhile.
"""

from __future__ import annotations

import os

import apsw

from gitmem.errors import StoreDamaged
from gitmem.store.db import preflight, schema
from gitmem.store.db.connection import BUSY_MS, Database, harden_connection
from gitmem.store.db.sqlite_errors import damaged_error, sqlite_errors_as_gitmem_errors
from gitmem.store.memory import memory_writes

# Canonical version * 1000 + version of the derived half, of which there is none.
_HEADER_VERSION = schema.VERSION * 1000


def write_canonical_copy(store_path: str, copy_path: str) -> tuple[int, int]:
    """Copy the rows of a store that cannot be made again (no indexes, no transcripts) to a file.

    Returns (number of memories, size in bytes). The copy is checked for damage and for the number
    of rows. Raises StoreDamaged, StoreBusy, DiskFull, ReadOnly; then ``copy_path`` may hold half a
    copy.
    """
    copy = _new(copy_path)
    try:
        count = _fill(copy, store_path)
    finally:
        copy.close()
    return count, os.path.getsize(copy_path)


def serialize_canonical_copy(store_path: str) -> tuple[int, bytes]:
    """(number of memories, the bytes that ``write_canonical_copy`` would write), without a file."""
    copy = _new(":memory:")
    try:
        return _fill(copy, store_path), copy.connection.serialize("main")
    finally:
        copy.close()


def open_serialized_copy(copy_bytes: bytes) -> Database:
    """Open the bytes of a store's copy in memory; returns it. Raises StoreDamaged, StoreTooNew."""
    copy = _open(":memory:")
    with sqlite_errors_as_gitmem_errors(":memory:"):
        copy.connection.deserialize("main", copy_bytes)
        # It is set on a file, not on a connection.
        copy.connection.pragma("secure_delete", True)
    _check(copy, "the copy")
    return copy


def purge_memories_from_copy(copy_path: str, memory_ids: list[str], *, purged_ms: int) -> int:
    """Delete memories from the store's copy at ``copy_path``, leaving only their ids as tombstones.

    Returns how many memories are left. ``purged_ms`` is in milliseconds. Raises GitmemError.
    """
    preflight.check_store_copy_owner_and_format(copy_path)
    copy = _open(copy_path)
    try:
        _check(copy, copy_path)
        return purge_memories_from_open_copy(copy, memory_ids, purged_ms=purged_ms)
    finally:
        copy.close()


def purge_memories_from_open_copy(copy: Database, memory_ids: list[str], *, purged_ms: int) -> int:
    """Delete memories from an open copy of a store; returns how many memories are left in it."""
    with copy.write():
        for id in memory_ids:
            memory_writes.purge_rows_of_memory(copy, id, at_ms=purged_ms)
    return _count(copy)


def _count(copy: Database) -> int:
    return int(copy.value("SELECT count(*) FROM memories"))


def _new(target: str) -> Database:
    copy = _open(target)
    connection = copy.connection
    with sqlite_errors_as_gitmem_errors(target):
        connection.pragma("application_id", preflight.APPLICATION_ID)
        connection.pragma("user_version", _HEADER_VERSION)
        for step in schema.STEPS:
            connection.execute(schema.schema_sql(step))
    return copy


def _open(path: str) -> Database:
    """Open an unfinished copy: no other process has it, and the caller syncs the whole file."""
    with sqlite_errors_as_gitmem_errors(path):
        copy = harden_connection(Database(path, apsw.Connection(path), read_only=False), BUSY_MS)
        copy.connection.pragma("journal_mode", "MEMORY")
        copy.connection.pragma("synchronous", "OFF")
    return copy


def _fill(copy: Database, source: str) -> int:
    # ATTACH would create a missing file.
    preflight.check_store_copy_owner_and_format(source)
    # All rows come from one state, and the order of the tables is not that of the references.
    copy.connection.pragma("foreign_keys", False)
    copy.rows("ATTACH ? AS source", (source,))
    # Not IMMEDIATE, which would take the write lock of both files.
    copy.run("BEGIN")
    named = copy.column("SELECT name FROM main.sqlite_schema WHERE type = 'table'")
    for table in [name for name in named if not name.startswith(schema.OF_TRANSCRIPTS)]:
        copy.run(f"INSERT INTO main.{table} SELECT * FROM source.{table}")
        made, expected = (
            copy.value(f"SELECT count(*) FROM {side}.{table}") for side in ("main", "source")
        )
        if made != expected:
            raise damaged_error(
                source, f"{table} holds {expected} rows, of which {made} can be read"
            )
    copy.run("COMMIT")
    copy.run("DETACH source")
    problems = copy.column("PRAGMA integrity_check(3)")
    if problems != ["ok"]:
        raise StoreDamaged(
            f"A complete copy of the store {source} could not be made: {problems[0]}.",
            "The copies made before are kept. Run `gitmem doctor`.",
        )
    return _count(copy)


def _check(copy: Database, path: str) -> None:
    """Raise StoreDamaged, ForeignFile or StoreTooNew where the file is no copy of this version."""
    header = copy.connection.pragma("user_version")
    preflight.refuse_newer_store(path, header, schema.VERSION * 1000 + schema.DERIVED_VERSION)
    if copy.connection.pragma("application_id") != preflight.APPLICATION_ID:
        raise damaged_error(path, "it is no copy of a store")
    copy.device = str(copy.value("SELECT value FROM meta WHERE key = 'device'") or "")
