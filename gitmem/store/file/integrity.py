"""Checks for damage: structure, hashes, the index against its sources, permissions."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from gitmem.errors import StoreDamaged
from gitmem.store.code import code_integrity
from gitmem.store.db import schema
from gitmem.store.db.connection import Database
from gitmem.store.memory import derived_rows, memories


def structure_problems(database: Database) -> list[str]:
    """The faults that SQLite's check finds in a store, a sentence each; empty if undamaged.

    Faults in tables that can be made again (indexes) are left out if all others are undamaged.
    """
    _reread_full_text(database)
    try:
        problems_in_file = [str(row[0]) for row in database.rows("PRAGMA integrity_check(20)")]
        dangling = _dangling_rows(database, derived=False)
    except StoreDamaged as error:
        return [error.message]
    problems = [] if problems_in_file == ["ok"] or _only_derived(database) else problems_in_file
    return problems + dangling


def _dangling_rows(database: Database, *, derived: bool) -> list[str]:
    """A sentence for the tables, derived or not, in which a row references a missing one."""
    tables = database.column("SELECT name FROM sqlite_schema WHERE type = 'table'")
    return [
        f"a row of {table} references a missing row"
        for table in tables
        if (table in schema.DERIVED_TABLES) == derived
        and database.rows(f'PRAGMA foreign_key_check("{table}")')
    ]


def first_memory_table_problem(database: Database) -> str:
    """The first fault of the tables of memories, as a sentence; empty if there is none.

    Much faster than ``structure_problems``, since the index of code is not read.
    """
    try:
        for table in ("memories", "versions", "links"):
            (found,) = database.rows(f'PRAGMA quick_check("{table}")')[:1]
            if found[0] != "ok":
                return str(found[0])
    except StoreDamaged as error:
        return error.message
    return ""


def _only_derived(database: Database) -> bool:
    """Whether every canonical table is undamaged, so that the rest can be rebuilt."""
    derived_names = tuple(schema.FULL_TEXT) + tuple(schema.DERIVED_TABLES)
    rows = database.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
    canonical = [name for (name,) in rows if not name.startswith(derived_names)]
    return all(_whole(database, name) for name in canonical) and not _whole_index(database)


def _whole_index(database: Database) -> bool:
    _reread_full_text(database)
    return all(_whole(database, name) for name in schema.FULL_TEXT)


def _reread_full_text(database: Database) -> None:
    """Have SQLite read how its full-text indexes are laid out.

    Its check goes by the layout that the connection read last, and reports what another process
    has written since as damage.
    """
    for table in schema.FULL_TEXT:
        with suppress(StoreDamaged):  # the check says which table it is
            database.rows(f'SELECT rowid FROM "{table}" LIMIT 1')


def _whole(database: Database, table: str) -> bool:
    return database.rows(f'PRAGMA integrity_check("{table}")') == [("ok",)]


def damaged_memories(database: Database) -> list[str]:
    """The ids, sorted, of memories whose content, now or in an earlier version, is damaged.

    That is, it does not match the stored hash, which SQLite's own check does not notice.
    """
    left_out_before, database.left_out = database.left_out, {}
    try:
        memories.verify_all_memories(database)
        _read_versions(database)
        return sorted(id for id, why in database.left_out.items() if why == "damaged")
    finally:
        database.left_out = left_out_before


def _read_versions(database: Database) -> None:
    try:
        memories.verify_all_versions(database)
    except StoreDamaged:
        # One memory at a time: an unreadable text must not hide the others.
        for (id,) in database.rows("SELECT id FROM memories ORDER BY id"):
            memories.earlier_versions(database, id)


def index_problems(database: Database) -> list[str]:
    """A sentence for each way in which the indexes of a store are wrong; empty if they are not."""
    try:
        index_damage = [] if _whole_index(database) else ["the full-text index is damaged"]
        problems = index_damage + derived_rows.derived_row_problems(
            database, unreadable_memory_count=len(damaged_memories(database))
        )
        problems += _dangling_rows(database, derived=True)
        return problems + code_integrity.checksum_problems(database)
    except StoreDamaged as error:
        return [error.message]


def rebuild_index(database: Database) -> int:
    """Make the indexes of all memories again; returns the number of memories. Reads no files."""
    with database.write():
        return derived_rows.rebuild_derived_rows(database)


def files_readable_by_others(path: str) -> list[str]:
    """The paths among a store's folder, file and logs that other users can access (POSIX only)."""
    if os.name != "posix":
        return []
    places = [os.path.dirname(path), path, path + "-wal", path + "-shm"]
    return [
        place
        for place in places
        if os.path.exists(place) and stat.S_IMODE(os.stat(place).st_mode) & 0o077
    ]


def tighten_permissions(paths: list[str]) -> None:
    """Make these files and folders accessible to their owner only."""
    for place in paths:
        os.chmod(place, 0o700 if os.path.isdir(place) else 0o600)
