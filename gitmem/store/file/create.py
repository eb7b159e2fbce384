"""Making a store: complete in a temporary file, then put in place in one step."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress

import apsw

from gitmem.files.durable import sync_name
from gitmem.store.db import preflight, seals
from gitmem.store.db.connection import Database
from gitmem.store.db.sqlite_errors import translated_errors
from gitmem.store.file import migrate
from gitmem.store.file.opening import check_sqlite, open_store
from gitmem.store.file.registration import KEY_BYTES, Keyring

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable

_ID_BYTES = 16


def create_store(
    path: str, keys: Keyring, *, now: int, entropy: Callable[[int], bytes]
) -> Database:
    """Make a new store in a temporary file, rename it into place, and open it.

    ``entropy(n)`` gives n random bytes: the device's and the store's id, and the store's key, which
    goes on the key ring. Raises ReadOnly, DiskFull, or Unavailable where no key can be kept; then
    nothing stands at ``path``.
    """
    check_sqlite()
    folder = os.path.dirname(path)
    preflight.create_folder(folder)
    device = entropy(_ID_BYTES).hex()
    seal = seals.of_store(keys.register(device, entropy(KEY_BYTES)), device)
    temporary = _empty_file(folder)
    try:
        with translated_errors(path):
            connection = apsw.Connection(temporary)
            try:
                migrate.build(connection, now=now, device=device, seal=seal)
            finally:
                connection.close()
        _publish(temporary, path)
    finally:
        with suppress(OSError):
            os.unlink(temporary)
    database = open_store(path, keys)
    with translated_errors(path):
        # A file cannot carry WAL mode through the rename above with its side files, so it is
        # set on the spot. On a file system that cannot share memory SQLite keeps the old mode.
        database.connection.pragma("journal_mode", preflight.journal_mode(folder))
    return database


def _empty_file(folder: str) -> str:
    try:
        handle, path = tempfile.mkstemp(prefix=f".new-{os.getpid()}-", suffix=".db", dir=folder)
    except OSError as error:
        raise preflight.refused(error, f"The folder {folder}") from error
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
    sync_name(path)
