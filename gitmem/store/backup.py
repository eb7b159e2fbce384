"""Copies of the store made while it is in use, and going back to one.

A copy is SQLite's own ``VACUUM INTO``: one compact file, consistent although others write. A bare
copy of the file would miss what is still in the write-ahead log.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

import apsw

from gitmem.errors import Conflict, GitmemError, NotFound, StoreBusy, StoreDamaged
from gitmem.store import files
from gitmem.store.faults import told

if TYPE_CHECKING:
    from gitmem.store.connection import Database

FOLDER = "backups"
_PARTS = ("", "-wal", "-shm")


def folder_of(path: str) -> str:
    """Where the backups of a store are kept unless told otherwise."""
    return os.path.join(os.path.dirname(path), FOLDER)


def stored(path: str) -> list[str]:
    """The backups in a store's own folder, oldest first."""
    folder = folder_of(path)
    if not os.path.isdir(folder):
        return []
    names = [name.removesuffix(".db") for name in os.listdir(folder) if name.endswith(".db")]
    # Sorted without the ending: the second backup of a second has "-1" before it.
    return [os.path.join(folder, name + ".db") for name in sorted(names)]


def write(database: Database, target: str) -> int:
    """Copy the store to ``target``; its size in bytes.

    Written beside the target, synced, then renamed. Raises Conflict where the target exists,
    ReadOnly or DiskFull where it cannot be written.
    """
    if os.path.lexists(target):
        raise Conflict(f"{target} exists already.", "Name another file; nothing was overwritten.")
    folder = os.path.dirname(os.path.abspath(target))
    temporary = os.path.join(folder, f".{os.path.basename(target)}.{os.getpid()}.tmp")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        os.close(descriptor)
        database.rows("VACUUM INTO ?", (temporary,))
        _sync(temporary)
        os.rename(temporary, target)
        _sync(folder)
    except OSError as error:
        raise files.refused(error, f"The backup {target}") from error
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)
    return os.path.getsize(target)


def before_migration(database: Database, version: int) -> str:
    """A backup named after the schema version that is about to be left."""
    number = 1
    while True:
        name = f"schema-{version}-{number:02d}.db"
        target = os.path.join(folder_of(database.path), name)
        if not os.path.lexists(target):
            # Another process that leaves the same version may take the name meanwhile.
            with suppress(Conflict):
                write(database, target)
                return target
        number += 1


def prune(path: str, prefix: str, keep: int) -> list[str]:
    """Delete all but the ``keep`` newest backups of a store whose names begin so; those deleted.

    Only what gitmem made by itself is ever deleted: give the prefix of the automatic ones.
    """
    own = [name for name in stored(path) if os.path.basename(name).startswith(f"{prefix}-")]
    doomed = own[: max(0, len(own) - keep)]
    for name in doomed:
        os.unlink(name)
    return doomed


def restore(source: str, path: str, aside: str) -> None:
    """Give the store at ``path`` the content of the backup ``source``.

    What stands there now is kept as ``aside``. A store that still opens is overwritten page by
    page under SQLite's own locks, so that processes which have it open see the old or the new
    content and nothing between; one that does not is moved. Raises NotFound, NotOurs,
    StoreTooNew or StoreDamaged for a source that is not a whole store; then nothing is changed.
    """
    copy = f"{path}.restoring"
    try:
        _remove(copy)
        _checked_copy(source, copy)
        if not _overwrite(copy, path, aside):
            _exchange(copy, path, aside)
    except OSError as error:
        raise files.refused(error, f"The store {path}") from error
    finally:
        _remove(copy)


def _remove(path: str) -> None:
    for suffix in _PARTS:
        if os.path.lexists(path + suffix):
            os.unlink(path + suffix)


def _checked_copy(source: str, copy: str) -> None:
    from gitmem.store.connection import open_store  # noqa: PLC0415 - it opens through migrate

    if not os.path.isfile(source):
        raise NotFound(f"There is no file {source}.", "Run `gitmem backup --list`.")
    # Its folder may be anyone's, such as /tmp: only the file is read, once, into a private copy.
    files.check_file(source)
    _copy(source, copy)
    database = open_store(copy)
    try:
        problems = [row[0] for row in database.rows("PRAGMA integrity_check")]
        database.rows("PRAGMA journal_mode = DELETE")
    finally:
        database.close()
    if problems != ["ok"]:
        raise StoreDamaged(f"The backup {source} is damaged.", "Choose another backup.")


def _overwrite(copy: str, path: str, aside: str) -> bool:
    """Whether the present store could be saved and overwritten in place."""
    from gitmem.store.connection import open_store  # noqa: PLC0415 - it opens through migrate

    try:
        present = open_store(path)
    except StoreBusy:
        # Moving a store away under those who use it would lose what they write.
        raise
    except GitmemError:
        return False
    try:
        write(present, aside)
        original = apsw.Connection(copy, apsw.SQLITE_OPEN_READONLY)
        try:
            with told(path), present.connection.backup("main", original, "main") as job:
                job.step()
        finally:
            original.close()
    except StoreDamaged:
        return False
    finally:
        present.close()
    return True


def _copy(source: str, target: str) -> None:
    with open(source, "rb") as reader:
        descriptor = os.open(target, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as writer:
            while chunk := reader.read(1 << 20):
                writer.write(chunk)
            writer.flush()
            os.fsync(writer.fileno())


def _exchange(copy: str, path: str, aside: str) -> None:
    connection = apsw.Connection(copy, apsw.SQLITE_OPEN_READWRITE)
    try:
        # The content may overwrite a store in any mode; a file in its place has to have its own.
        connection.pragma("journal_mode", files.journal_mode(os.path.dirname(path)))
    finally:
        connection.close()
    os.makedirs(os.path.dirname(aside), mode=0o700, exist_ok=True)
    for suffix in _PARTS:
        if os.path.lexists(path + suffix):
            os.rename(path + suffix, aside + suffix)
    os.rename(copy, path)
    _sync(os.path.dirname(path))


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
