"""From SQLite's result codes to gitmem's errors, in one place.

The class of the exception decides, never the words of its message.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from gitmem.errors import DiskFull, GitmemError, ReadOnly, StoreBusy, StoreDamaged, Unavailable


def translate(error: apsw.Error, path: str) -> GitmemError:
    """The gitmem error for a SQLite error met on the store at ``path``."""
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return StoreBusy(
            f"The store {path} is busy: another process is writing to it.",
            "Try again in a moment; nothing was lost.",
        )
    if isinstance(error, apsw.CorruptError | apsw.NotADBError):
        return StoreDamaged(
            f"The store {path} is damaged ({error}).",
            "Nothing was changed. Run `gitmem doctor` to see what can be saved, or "
            "`gitmem restore-backup` to go back to the last backup.",
        )
    if isinstance(error, apsw.FullError):
        return DiskFull(
            f"The disk is full: {path} could not grow.",
            "Free some space and run the command again; nothing was lost.",
        )
    if isinstance(error, apsw.ReadOnlyError | apsw.PermissionsError):
        return ReadOnly(
            f"The store {path} cannot be written.",
            "Check the permissions of the folder .gitmem and of the file in it.",
        )
    if isinstance(error, apsw.CantOpenError):
        return Unavailable(
            f"The store {path} cannot be opened.",
            "Check that the folder exists and that you may read and write it.",
        )
    return Unavailable(
        f"The store {path} could not be used: {error}.",
        "Run `gitmem doctor`; if it finds nothing, try again.",
    )


EXPECTED = (
    apsw.BusyError,
    apsw.LockedError,
    apsw.CorruptError,
    apsw.NotADBError,
    apsw.FullError,
    apsw.ReadOnlyError,
    apsw.PermissionsError,
    apsw.CantOpenError,
    apsw.IOError,
    apsw.InterruptError,
)


@contextmanager
def told(path: str) -> Iterator[None]:
    """Within the block, the SQLite errors a user can act upon become gitmem errors.

    Errors in our own SQL stay what they are: bugs.
    """
    try:
        yield
    except EXPECTED as error:
        raise translate(error, path) from error
