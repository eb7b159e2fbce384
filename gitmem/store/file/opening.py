"""Opening an existing store: checked before SQLite reads it, then migrated."""

from __future__ import annotations

import os
from contextlib import suppress

import apsw

from gitmem.errors import NotInitialized, Unavailable, UntrustedStore
from gitmem.store.db import preflight
from gitmem.store.db.connection import BUSY_MS, Database, harden_connection
from gitmem.store.db.sqlite_errors import (
    damaged_error,
    is_shared_memory_full,
    sqlite_errors_as_gitmem_errors,
)
from gitmem.store.file import migrate
from gitmem.store.file.registration import Keyring

# SQLite before 3.51.3 can corrupt a WAL file that many processes write and checkpoint.
OLDEST_SQLITE = 3051003


def open_store(
    store_path: str, keyring: Keyring, *, lock_timeout_ms: int = BUSY_MS, read_only: bool = False
) -> Database:
    """Open one of the user's own stores, checked and brought to the present schema; returns it.

    ``read_only``: nothing is written, not even beside the file; an older store is not migrated.
    Raises NotInitialized (no file), UntrustedStore (``keyring`` has no key for it), ForeignFile,
    StoreDamaged, StoreTooNew, StoreBusy, Unavailable, or ReadOnly for an older store that is only
    read.
    """
    database = _open_checked(store_path, lock_timeout_ms, only_read=read_only)
    database.key = keyring.key_of_open_store(database.store, database.seal)
    try:
        # A registered store has seals: an older file in its place is not the registered one.
        if not database.key:
            raise foreign_store_error(store_path)
        if _version(database) < migrate.FIRST_SEALED:
            with sqlite_errors_as_gitmem_errors(store_path):
                migrate.refuse_wrong_header(database)
            raise _older_error(store_path)
        _bring_up_to_date(database)
    except BaseException:
        database.close()
        raise
    return database


def open_store_for_adoption(store_path: str, keyring: Keyring) -> Database:
    """Open any store, also a stranger's, for a person to examine it or make it theirs; returns it.

    It is migrated, and its rows are accepted whoever wrote them. Its ``key`` is empty where
    ``keyring`` has none for it. Raises NotInitialized, ForeignFile, StoreDamaged, StoreTooNew,
    StoreBusy or Unavailable.
    """
    database = _open_checked(store_path, BUSY_MS)
    database.key, database.unsealed = keyring.key_of_open_store(database.store, database.seal), True
    try:
        _bring_up_to_date(database)
    except BaseException:
        database.close()
        raise
    return database


def _bring_up_to_date(database: Database) -> None:
    with sqlite_errors_as_gitmem_errors(database.path):
        migrate.migrate_store(database)


def _version(database: Database) -> int:
    # Read through SQLite: a change of the header may still be in the log and not in the file.
    with sqlite_errors_as_gitmem_errors(database.path):
        return int(database.connection.pragma("user_version")) // 1000


def read_store_id(store_path: str) -> tuple[str, int]:
    """(id, schema version) of the store at ``store_path``, without trusting or migrating it.

    Raises NotInitialized, ForeignFile, StoreDamaged, StoreTooNew, StoreBusy or Unavailable.
    """
    database = _open_checked(store_path, BUSY_MS)
    try:
        return database.store, _version(database)
    finally:
        database.close()


def foreign_store_error(store_path: str) -> UntrustedStore:
    """The error for the store at ``store_path`` if the user has no key for it: made by another."""
    return UntrustedStore(
        f"{os.path.dirname(store_path)} holds a gitmem store that was not made by you; nothing of "
        "it is used.",
        "If it is yours after all, such as a copy from another machine: `gitmem trust --store`.",
    )


def _older_error(path: str) -> UntrustedStore:
    """The error for a file with the id of a store of the user's but no seals: origin unknown."""
    return UntrustedStore(
        f"{os.path.dirname(path)} holds your store in the form of an older gitmem, without seals "
        "that show who made it; nothing of it is used.",
        "If you wrote or restored it with an older gitmem: `gitmem trust --store` shows what it "
        "holds and takes it over.",
    )


def _open_checked(path: str, lock_timeout_ms: int, *, only_read: bool = False) -> Database:
    """Open a store after checking its file, and read its id; not trusted nor migrated yet."""
    check_sqlite_version()
    if not os.path.lexists(path) and (only_read or not _finish_exchange(path)):
        raise NotInitialized(
            f"There is no gitmem store at {path}.", "Run `gitmem init` in the repository."
        )
    preflight.refuse_newer_store(
        path, preflight.check_store_file_owner_and_format(path), migrate.HEADER_VERSION
    )
    refuse_write_ahead_log_of_other_store(path)
    database = _connect(path, lock_timeout_ms, only_read=only_read)
    try:
        with sqlite_errors_as_gitmem_errors(path):
            noted = _read_notes(database)
    except BaseException:
        database.close()
        raise
    database.device = noted.get("device", "")
    # Stores of the first versions have no id apart from their device's.
    database.store = noted.get("store") or database.device
    database.seal = noted.get("seal", "")
    return database


def _finish_exchange(path: str) -> bool:
    """Whether a killed process had begun to put a store there, and that is now finished."""
    if not preflight.store_exists(path):
        return False
    from gitmem.store.file import exchange  # noqa: PLC0415 - after a kill

    return exchange.finish_store_replacement(path)


def _read_notes(database: Database) -> dict[str, str]:
    """The store's notes about itself. Raises ForeignFile where it has no such table."""
    try:
        rows = database.connection.execute(
            "SELECT key, value FROM meta WHERE key IN ('device', 'store', 'seal')"
        )
        return {str(key): str(value) for key, value in rows}
    except apsw.SQLError as error:
        raise migrate.altered_schema_error(database.path) from error


def _connect(path: str, lock_timeout_ms: int, *, only_read: bool = False) -> Database:
    if only_read:
        from gitmem.store.db import readonly  # noqa: PLC0415 - other projects are seldom read

        with sqlite_errors_as_gitmem_errors(path):
            return harden_connection(readonly.connect_beside_writers(path), lock_timeout_ms)
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOMUTEX
    writable = os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)
    if writable:
        with sqlite_errors_as_gitmem_errors(path):
            opened = Database(path, apsw.Connection(path, flags), read_only=False)
            if preflight.has_write_ahead_log_on_network_disk(path):
                _leave_log(opened.connection, lock_timeout_ms)
            if _can_be_used(opened, lock_timeout_ms):
                return opened
        opened.close()
    # Imported here: read-only checkouts are rare, and the modules are heavy.
    from gitmem.store.db import readonly  # noqa: PLC0415

    database = harden_connection(readonly.connect_readonly(path), lock_timeout_ms)
    database.full = writable
    return database


def _leave_log(connection: apsw.Connection, lock_timeout_ms: int) -> None:
    """Give a store a rollback journal for good, without ever using shared memory.

    Where others have it open it stays as it is, and `gitmem doctor` says so.
    """
    connection.set_busy_timeout(lock_timeout_ms)
    connection.pragma("locking_mode", "EXCLUSIVE")  # the index of the log is in this process alone
    with suppress(apsw.BusyError):
        connection.pragma("journal_mode", "DELETE")
    connection.pragma("locking_mode", "NORMAL")


def _can_be_used(database: Database, lock_timeout_ms: int) -> bool:
    """Whether it can be read normally; on a full disk there may be no room for shared memory."""
    try:
        harden_connection(database, lock_timeout_ms)
        database.connection.pragma("user_version")
    except (apsw.IOError, apsw.FullError) as error:
        if not is_shared_memory_full(error):
            raise
        return False
    return True


def check_sqlite_version() -> None:
    """Raise Unavailable if the SQLite library is too old to be safe."""
    if apsw.SQLITE_VERSION_NUMBER < OLDEST_SQLITE:
        raise Unavailable(
            f"SQLite {apsw.sqlite_lib_version()} has a bug that can corrupt the store.",
            "Install a newer apsw: `pip install -U apsw`.",
        )


# SQLite accepts any write-ahead log beside a file and writes its pages into it, which would destroy
# it. A log does not name its file, but nearly every write moves the store's counter, on the page
# that has the store's id too.
# A row of ``meta``: three bytes of header for a text of 5 and one of 32 letters, then the texts.
_BEFORE = b"\x03\x17\x4dstore"
_ID_LENGTH = 32
# The table is one of the first in the file.
_BEGINNING = 1 << 18


def refuse_write_ahead_log_of_other_store(path: str) -> None:
    """Raise StoreDamaged where the write-ahead log beside a store names another store."""
    if has_write_ahead_log_of_other_store(path):
        raise damaged_error(path, "the write-ahead log beside it belongs to another store")


def has_write_ahead_log_of_other_store(path: str) -> bool:
    """Whether the log beside a store names another store. False while a process has it open."""
    log = path + "-wal"
    if os.path.exists(path + "-shm") or not os.path.exists(log):
        return False
    try:
        with open(log, "rb") as file:
            theirs = _ids(file.read())
        with open(path, "rb") as file:
            ours = _ids(file.read(_BEGINNING))
    except OSError:
        return False
    return bool(theirs and ours) and ours.isdisjoint(theirs)


def _ids(data: bytes) -> set[bytes]:
    ids = set()
    at = data.find(_BEFORE)
    while at >= 0:
        start = at + len(_BEFORE)
        ids.add(data[start : start + _ID_LENGTH])
        at = data.find(_BEFORE, start)
    return ids
