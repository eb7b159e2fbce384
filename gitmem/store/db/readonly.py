"""Opening a store whose folder cannot be written, or in which nothing is to be written.

Without a writable folder SQLite cannot make the shared-memory file of WAL mode. Where the WAL is
empty, the file alone is complete and is read as immutable; otherwise a private copy is read.
"""

from __future__ import annotations

import os
import shutil
import tempfile

import apsw

from gitmem.errors import Unavailable
from gitmem.store.db import preflight
from gitmem.store.db.connection import Database
from gitmem.store.db.sqlite_errors import sqlite_errors_as_gitmem_errors


def connect_readonly(store_path: str) -> Database:
    """The store at ``store_path``, opened to read only, or a private copy if its log has changes.

    Raises Unavailable where no copy can be made.
    """
    log = store_path + "-wal"
    with sqlite_errors_as_gitmem_errors(store_path):
        if not os.path.exists(log) or os.path.getsize(log) == 0:
            return connect_immutable(store_path)
        return _copied(store_path, log)


def connect_beside_writers(store_path: str) -> Database:
    """A store, opened to read while others may write to it; nothing is written beside it.

    Raises Unavailable where a private copy is needed and cannot be made.
    """
    with sqlite_errors_as_gitmem_errors(store_path):
        locks = all(os.path.exists(store_path + side) for side in preflight.SIDES[:2])
        if locks or not preflight.uses_write_ahead_log(store_path):
            return _read_only(store_path, "mode=ro&readonly_shm=1")
    return connect_readonly(store_path)


def _copied(path: str, log: str) -> Database:
    try:
        scratch = tempfile.mkdtemp(prefix="gitmem-")
        copy = os.path.join(scratch, preflight.FILE_NAME)
        shutil.copyfile(path, copy)
        shutil.copyfile(log, copy + "-wal")
    except OSError as error:
        raise Unavailable(
            f"The store {path} cannot be read from a read-only folder: {error.strerror}.",
            "Give gitmem a writable temporary folder, or make .gitmem writable.",
        ) from error
    connection = apsw.Connection(copy, apsw.SQLITE_OPEN_READWRITE)
    database = Database(path, connection, read_only=True)
    database.scratch = scratch
    return database


def connect_immutable(store_path: str) -> Database:
    """A store file that nobody writes to, opened to read; makes no locks and no other files."""
    return _read_only(store_path, "immutable=1")


def _read_only(path: str, how: str) -> Database:
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(f"file:{quoted}?{how}", flags)
    return Database(path, connection, read_only=True)
