"""Translating SQLite's errors into gitmem's, by the class of the exception."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from gitmem.errors import (
    DiskFull,
    GitmemError,
    InvalidInput,
    ReadOnly,
    StoreBusy,
    StoreDamaged,
    Unavailable,
)

# Result codes that a user can act upon, by what is to be done. Those left out (SQLError,
# ConstraintError, MismatchError, MisuseError, RangeError) can only be mistakes of ours.
_BUSY = (apsw.BusyError, apsw.LockedError, apsw.ProtocolError, apsw.SchemaChangeError)
_DAMAGED = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)
_READ_ONLY = (apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError)
_OTHERS = (
    apsw.AbortError,
    apsw.CantOpenError,
    apsw.EmptyError,
    apsw.FullError,
    apsw.InternalError,
    apsw.InterruptError,
    apsw.IOError,
    apsw.NoLFSError,
    apsw.NoMemError,
    apsw.NotFoundError,
    apsw.TooBigError,
)

_SHARED_MEMORY = (
    apsw.SQLITE_IOERR_SHMSIZE,
    apsw.SQLITE_IOERR_SHMOPEN,
    apsw.SQLITE_IOERR_SHMMAP,
    apsw.SQLITE_IOERR_WRITE,
)


def translate_error(error: apsw.Error, path: str) -> GitmemError:
    """The GitmemError (StoreBusy, DiskFull ...) for an SQLite error in the store at ``path``."""
    if isinstance(error, _BUSY):
        return StoreBusy(
            f"The store {path} is busy: another process is writing to it.",
            "Try again in a moment; nothing was lost.",
        )
    if isinstance(error, _DAMAGED):
        return damaged_error(path, str(error))
    # SQLite recognises only one of the ways a disk can be full; a quota and a limit on the size of
    # files come as failed writes.
    failed_write = getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_WRITE
    if isinstance(error, apsw.FullError) or failed_write:
        return disk_full_error(path)
    if isinstance(error, _READ_ONLY):
        return ReadOnly(
            f"The store {path} cannot be written.",
            "Check the permissions of the folder .gitmem and of the file in it.",
        )
    if isinstance(error, apsw.TooBigError):
        return InvalidInput(
            f"The value is too large for the store {path}.", "Split the text into parts."
        )
    return _unavailable(error, path)


def _unavailable(error: apsw.Error, path: str) -> Unavailable:
    if isinstance(error, apsw.CantOpenError):
        return Unavailable(
            f"The store {path} cannot be opened.",
            "Check that the folder exists and that you may read and write it.",
        )
    if isinstance(error, apsw.NoMemError):
        return Unavailable(
            f"There is not enough memory to use the store {path}.",
            "Close other programs and run the command again; nothing was lost.",
        )
    if isinstance(error, apsw.NoLFSError):
        return Unavailable(
            f"The store {path} is larger than its file system can hold.",
            "Move the repository to another file system.",
        )
    return Unavailable(
        f"The store {path} could not be used: {error}.",
        "Run `gitmem doctor`; if it finds nothing, try again.",
    )


def disk_full_error(path: str) -> DiskFull:
    """The error for the store at ``path`` when the disk is full."""
    return DiskFull(
        f"The disk is full, or a quota is exhausted: {path} could not be written.",
        "Free some space and run the command again; nothing was lost.",
    )


def is_shared_memory_full(error: apsw.Error) -> bool:
    """Whether SQLite found no room for the shared-memory file that WAL readers need."""
    code = getattr(error, "extendedresult", 0)
    return isinstance(error, apsw.FullError) or code in _SHARED_MEMORY


def damaged_error(path: str, reason: str) -> StoreDamaged:
    """The error for an unreadable store; ``reason`` is named in brackets in its message."""
    return StoreDamaged(
        f"The store {path} is damaged ({reason}).",
        "Nothing was changed. `gitmem recover` makes a new store of what can be read and of the "
        "backups; `gitmem recover --dry-run` shows what that is.",
    )


EXPECTED = (*_BUSY, *_DAMAGED, *_READ_ONLY, *_OTHERS)


@contextmanager
def sqlite_errors_as_gitmem_errors(
    store_path: str, connection: apsw.Connection | None = None
) -> Iterator[None]:
    """Within the block, raise SQLite's errors that a user can act upon as GitmemErrors.

    Errors in our own SQL stay as they are, unless a full-text index of the ``connection`` is
    broken, which raises StoreDamaged. ``store_path`` is that of the store, for messages.
    """
    try:
        yield
    except EXPECTED as error:
        raise translate_error(error, store_path) from error
    except apsw.SQLError as error:
        if connection is not None and _index_is_broken(connection):
            raise damaged_error(store_path, "its full-text index cannot be opened") from error
        raise
    except UnicodeDecodeError as error:
        # SQLite returns whatever bytes are stored as a text.
        raise damaged_error(store_path, "a text is not UTF-8") from error


def _index_is_broken(connection: apsw.Connection) -> bool:
    """Whether even a query that reads no row of a full-text index fails."""
    from gitmem.store.db import schema  # noqa: PLC0415 - for a damaged store

    try:
        for table in schema.FULL_TEXT:
            connection.execute(f"SELECT 1 FROM {table} LIMIT 0")
    except apsw.Error:
        return True
    return False
