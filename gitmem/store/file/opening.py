"""Opening an existing store: checked before SQLite reads it, then migrated."""

from __future__ import annotations

import os

import apsw

from gitmem.errors import NotInitialized, Unavailable
from gitmem.store.db import preflight
from gitmem.store.db.connection import BUSY_MS, Database, harden
from gitmem.store.db.sqlite_errors import no_room_to_read, translated_errors
from gitmem.store.file import migrate

# SQLite before 3.51.3 can corrupt a WAL file that many processes write and checkpoint.
OLDEST_SQLITE = 3051003


def open_store(path: str, *, busy_ms: int = BUSY_MS) -> Database:
    """Open an existing store, checked and migrated.

    Raises NotInitialized (no file), NotOurs, StoreDamaged, StoreTooNew, StoreBusy, Unavailable.
    """
    check_sqlite()
    if not os.path.lexists(path):
        raise NotInitialized(
            f"There is no gitmem store at {path}.", "Run `gitmem init` in the repository."
        )
    preflight.refuse_newer(path, preflight.check(path), migrate.HEADER_VERSION)
    database = _connect(path, busy_ms)
    try:
        with translated_errors(path):
            migrate.bring_up_to_date(database)
            database.device = database.value("SELECT value FROM meta WHERE key = 'device'") or ""
    except BaseException:
        database.close()
        raise
    return database


def _connect(path: str, busy_ms: int) -> Database:
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOMUTEX
    writable = os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)
    if writable:
        with translated_errors(path):
            opened = Database(path, apsw.Connection(path, flags), read_only=False)
            if _can_be_used(opened, busy_ms):
                return opened
        opened.close()
    # Imported here: a read-only checkout is rare, and its modules are not light.
    from gitmem.store.db import readonly  # noqa: PLC0415

    found = harden(readonly.connect(path), busy_ms)
    found.full = writable
    return found


def _can_be_used(database: Database, busy_ms: int) -> bool:
    """Whether it can be read as usual; on a full disk there may be no room for shared memory."""
    try:
        harden(database, busy_ms)
        database.connection.pragma("user_version")
    except (apsw.IOError, apsw.FullError) as error:
        if not no_room_to_read(error):
            raise
        return False
    return True


def check_sqlite() -> None:
    """Raise Unavailable where the SQLite in use is too old to be safe."""
    if apsw.SQLITE_VERSION_NUMBER < OLDEST_SQLITE:
        raise Unavailable(
            f"SQLite {apsw.sqlite_lib_version()} has a bug that can corrupt the store.",
            "Install a newer apsw: `pip install -U apsw`.",
        )
