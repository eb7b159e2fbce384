"""Checking a copy of a store: its structure, tables, seals, and the hash of every memory.

The file is only read: it is not migrated, and no log is left beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from gitmem.errors import GitmemError
from gitmem.store.db import preflight, projects, readonly, schema, seals
from gitmem.store.db.columns import columns_of_dataclass_fields
from gitmem.store.db.connection import BUSY_MS, Database, harden_connection
from gitmem.store.db.sealed_rows import SEALED, rows_with_valid_seal, sealed_columns
from gitmem.store.db.sqlite_errors import sqlite_errors_as_gitmem_errors
from gitmem.store.file import integrity
from gitmem.store.file.registration import Keyring
from gitmem.store.memory.memory_rows import FIELDS
from gitmem.text.quantity import quantity


def copy_problems(copy_path: str) -> list[str]:
    """A sentence for each fault of a copied store, which nobody writes to; empty if undamaged.

    For a copy by an older gitmem, what it has is checked; one by a newer gitmem is a fault.
    """
    try:
        version = preflight.check_store_copy_owner_and_format(copy_path)
        current_version = schema.VERSION * 1000 + schema.DERIVED_VERSION
        preflight.refuse_newer_store(copy_path, version, current_version)
        with _reading(copy_path) as database:
            # Damage is looked for here, not who wrote a row.
            database.unsealed = True
            return _problems(database, current=version == current_version)
    except GitmemError as error:
        return [error.message]
    except apsw.SQLError as error:
        return [str(error)]


def foreign_copy_reason(copy_path: str, keyring: Keyring, *, check_rows: bool = False) -> str:
    """Why a copy was not made by one of the user's stores, in a few words; empty if it was.

    ``keyring`` has the keys of their stores. ``check_rows``: check who wrote each row too.
    """
    try:
        with _reading(copy_path) as database:
            return _stranger(database, keyring) or (_foreign_rows(database) if check_rows else "")
    except (GitmemError, apsw.Error):
        return "it cannot be told whose it is"


def _stranger(database: Database, keyring: Keyring) -> str:
    store, seal = (projects.get_meta(database, name) or "" for name in ("store", "seal"))
    database.key = keyring.key_of_open_store(store, seal)
    if not database.key:
        return "no store of yours made it"
    return "" if seal == seals.seal_of_store(database.key, store) else "your store did not seal it"


def _foreign_rows(database: Database) -> str:
    if integrity.damaged_memories(database):
        return "it is damaged"
    for table in SEALED:
        rows_with_valid_seal(
            database, table, database.rows(f"SELECT {sealed_columns(table)} FROM {table}")
        )
    many = len(database.foreign)
    return f"{many} entries in it were not written by you" if many else ""


def copied_store_id(copy_path: str) -> str:
    """The id of the store that was copied to ``copy_path``; empty if the file does not have it."""
    try:
        with _reading(copy_path) as database:
            return projects.get_meta(database, "store") or ""
    except (GitmemError, apsw.Error):
        return ""


def has_gitmem_tables(database_path: str) -> bool:
    """Whether a file has exactly the tables of this version of gitmem; False if unreadable."""
    try:
        with _reading(database_path) as database:
            return schema.schema_fingerprint(database.connection) == schema.FINGERPRINT
    except (GitmemError, apsw.Error):
        return False


@contextmanager
def _reading(path: str) -> Iterator[Database]:
    with sqlite_errors_as_gitmem_errors(path):
        database = harden_connection(readonly.connect_immutable(path), BUSY_MS)
        try:
            yield database
        finally:
            database.close()


def _problems(database: Database, *, current: bool) -> list[str]:
    if current and schema.schema_fingerprint(database.connection) != schema.FINGERPRINT:
        return ["it holds other tables than gitmem makes"]
    structure_problems = [str(row[0]) for row in database.rows("PRAGMA integrity_check(3)")]
    if structure_problems != ["ok"]:
        return structure_problems
    names = {row[1] for row in database.rows("PRAGMA table_info(memories)")}
    if not names.issuperset((*columns_of_dataclass_fields(FIELDS), "seal")):
        return []  # rows of an earlier schema, which cannot be verified
    damaged = integrity.damaged_memories(database)
    many = quantity(len(damaged), "memory is damaged", "memories are damaged")
    return [f"{many}: {', '.join(damaged[:3])}"] if damaged else []
