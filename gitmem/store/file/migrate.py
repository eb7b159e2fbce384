"""Creating the schema and migrating older stores.

The canonical half is migrated by numbered steps, all in one transaction, after a backup. The
derived half is dropped and rebuilt from the canonical rows whenever its version changes. The
header's ``user_version`` holds both: canonical * 1000 + derived.
"""

from __future__ import annotations

import apsw

from gitmem.errors import ForeignFile, ReadOnly
from gitmem.store.db import preflight, schema, seals
from gitmem.store.db.sqlite_errors import damaged_error

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.store.db.connection import Database

# The schema version from which on rows carry a seal.
FIRST_SEALED = 4
HEADER_VERSION = schema.VERSION * 1000 + schema.DERIVED_VERSION


def build_schema(
    connection: apsw.Connection, *, now_ms: int, device_id: str, store_seal: str = ""
) -> None:
    """Create all tables and indexes of a store in an empty database file.

    ``device_id`` is its id, 32 hexadecimal digits; ``store_seal`` that of ``seals.seal_of_store``;
    ``now_ms`` when it was made, in milliseconds.
    """
    connection.pragma("application_id", preflight.APPLICATION_ID)
    connection.pragma("user_version", HEADER_VERSION)
    connection.execute("BEGIN IMMEDIATE")
    for step in schema.STEPS:
        connection.execute(schema.schema_sql(step))
    for part in schema.DERIVED_FILES:
        connection.execute(schema.schema_sql(part))
    connection.executemany(
        "INSERT INTO meta (key, value) VALUES (?, ?)",
        [
            ("store", device_id),
            ("device", device_id),
            ("created_at", str(now_ms)),
            ("counter", "0"),
            ("seal", store_seal),
            (seals.SESSIONS, "1"),
            (seals.SPOOL, "1"),
        ],
    )
    connection.execute("COMMIT")


def migrate_store(database: Database) -> None:
    """Bring an older store to the present schema, after a backup; then check that it is gitmem's.

    Raises StoreTooNew, ForeignFile where the file holds tables that gitmem does not make, ReadOnly
    where an older store cannot be written.
    """
    # Read through SQLite: a change of the header may still be in the log and not in the file.
    header = database.connection.pragma("user_version")
    preflight.refuse_newer_store(database.path, header, HEADER_VERSION)
    if header != HEADER_VERSION:
        if database.read_only:
            raise ReadOnly(
                f"The store {database.path} has an older schema and cannot be written.",
                "Run `gitmem status` in its repository once, where .gitmem can be written.",
            )
        _upgrade(database, header // 1000)
    if schema.schema_fingerprint(database.connection) != schema.FINGERPRINT:
        _drop_statistics(database)
        if schema.schema_fingerprint(database.connection) != schema.FINGERPRINT:
            raise altered_schema_error(database.path)


def _drop_statistics(database: Database) -> None:
    """Drop the statistics of an ANALYZE: gitmem's queries are planned without them."""
    query = "SELECT name FROM sqlite_schema WHERE name GLOB 'sqlite_stat[1-4]'"
    names = database.column(query)
    if names and not database.read_only:
        with database.write():
            for name in names:
                database.run(f"DROP TABLE {name}")


def altered_schema_error(path: str) -> ForeignFile:
    """The error for a store whose tables are not exactly those that gitmem makes."""
    return ForeignFile(
        f"The store {path} contains tables that gitmem did not create.",
        "The store was not used. Move the file away, run `gitmem init`, and import what you trust.",
    )


def _upgrade(database: Database, version: int) -> None:
    # Imported here: needed once for each new version, not at every start.
    from gitmem.store.file import backup  # noqa: PLC0415
    from gitmem.store.memory import derived_rows  # noqa: PLC0415

    if version < schema.VERSION:
        refuse_wrong_header(database)
        backup.back_up_before_migration(database, version)
    with database.write():
        # Another process may have done it while this one waited for the lock.
        current = database.connection.pragma("user_version")
        preflight.refuse_newer_store(database.path, current, HEADER_VERSION)
        for step in schema.STEPS[current // 1000 :]:
            database.connection.execute(schema.schema_sql(step))
        # A step that leaves the derived half alone must not cost an index run.
        if current % 1000 != schema.DERIVED_VERSION:
            derived_rows.delete_indexed_files_and_commits(database)
            derived_rows.rebuild_derived_rows(database)
        if current != HEADER_VERSION:
            database.connection.pragma("user_version", HEADER_VERSION)
    # Dropped rows leave the log as well: up to derived version 4 they could hold secrets of indexed
    # files. With a reader at work, the last process to close the store empties the log.
    database.rows("PRAGMA wal_checkpoint(TRUNCATE)")


def refuse_wrong_header(database: Database) -> None:
    """Raise StoreDamaged if a store has tables of a newer schema than the version in its header."""
    connection = database.connection
    connection.execute("BEGIN")  # both from one state: another process may be migrating
    try:
        version = connection.pragma("user_version") // 1000
        objects = _objects(connection)
    finally:
        connection.execute("COMMIT")
    if _newer(version) & objects:
        how = f"its header says schema version {version}, but it holds tables of a newer one"
        raise damaged_error(database.path, how)


def _newer(version: int) -> set[str]:
    """The names of the objects that the steps after a version make."""
    empty = apsw.Connection(":memory:")
    try:
        for step in schema.STEPS[:version]:
            empty.execute(schema.schema_sql(step))
        before = _objects(empty)
        for step in schema.STEPS[version:]:
            empty.execute(schema.schema_sql(step))
        return _objects(empty) - before
    except apsw.SQLError:
        return set()  # a broken step raises its own error when it is applied
    finally:
        empty.close()


def _objects(connection: apsw.Connection) -> set[str]:
    return {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_schema")}
