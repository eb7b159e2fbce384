"""Creating a store: complete in a temporary file, then renamed into place."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress

import apsw

from gitmem.files.durable import sync_folder_entry
from gitmem.store.db import preflight, seals
from gitmem.store.db.connection import Database
from gitmem.store.db.sqlite_errors import sqlite_errors_as_gitmem_errors
from gitmem.store.file import migrate
from gitmem.store.file.opening import check_sqlite_version, open_store
from gitmem.store.file.registration import KEY_BYTES, Keyring

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable

_ID_BYTES = 16


def create_store(
    path: str, keyring: Keyring, *, now_ms: int, random_bytes: Callable[[int], bytes]
) -> Database:
    """Make a new store at ``path``, with its folder; returns it open.

    ``random_bytes(n)`` returns n random bytes, for its id and its key, which ``keyring`` stores.
    Raises ReadOnly, DiskFull, or Unavailable where no key can be stored; then there is nothing at
    ``path``.
    """
    check_sqlite_version()
    folder = os.path.dirname(path)
    preflight.create_store_folder(folder)
    device = random_bytes(_ID_BYTES).hex()
    seal = seals.seal_of_store(keyring.register_store(device, random_bytes(KEY_BYTES)), device)
    temporary = _empty_file(folder)
    try:
        with sqlite_errors_as_gitmem_errors(path):
            connection = apsw.Connection(temporary)
            try:
                migrate.build_schema(connection, now_ms=now_ms, device_id=device, store_seal=seal)
            finally:
                connection.close()
        _publish(temporary, path)
    finally:
        with suppress(OSError):
            os.unlink(temporary)
    database = open_store(path, keyring)
    with sqlite_errors_as_gitmem_errors(path):
        # WAL mode is set after the rename, which could not move its side files along. On a file
        # system without shared memory SQLite keeps the old mode.
        database.connection.pragma("journal_mode", preflight.choose_journal_mode(folder))
    return database


def _empty_file(folder: str) -> str:
    try:
        handle, path = tempfile.mkstemp(prefix=f".new-{os.getpid()}-", suffix=".db", dir=folder)
    except OSError as error:
        raise preflight.write_failure_error(error, f"The folder {folder}") from error
    os.close(handle)
    return path


def _publish(temporary: str, path: str) -> None:
    try:
        # Unlike rename, link never replaces a store that another process made meanwhile.
        os.link(temporary, path)
    except FileExistsError:
        return
    except OSError:
        if not os.path.lexists(path):
            os.rename(temporary, path)
    sync_folder_entry(path)
