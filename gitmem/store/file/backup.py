"""Backups: copies of the store made while it is in use.

A backup is made by SQLite's own ``VACUUM INTO``: one compact file, consistent although others
write. A plain copy of the file would miss what is still in the write-ahead log. Each backup is
verified when it is made.
"""

from __future__ import annotations

import os
from contextlib import suppress

from gitmem.errors import Conflict
from gitmem.files.free_name import unused_path
from gitmem.store.db import preflight
from gitmem.store.file import copy_check

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.store.db.connection import Database

FOLDER = "backups"
DAMAGED = "-damaged.db"


def backup_folder(store_path: str) -> str:
    """The path of the folder for backups of the store at ``store_path``: ``backups`` beside it."""
    return os.path.join(os.path.dirname(store_path), FOLDER)


def list_backups(store_path: str) -> list[str]:
    """The paths of all backups in the folder ``backups`` beside a store, the oldest name first."""
    folder = backup_folder(store_path)
    if not os.path.isdir(folder):
        return []
    names = [name.removesuffix(".db") for name in os.listdir(folder) if name.endswith(".db")]
    # Sorted without the ending: the second backup of a second has "-1" before it.
    return [os.path.join(folder, name + ".db") for name in sorted(names)]


def is_backup_of_damaged_store(path: str) -> bool:
    """Whether a backup's name says that the store was damaged when the backup was made."""
    return path.endswith(DAMAGED)


def write_backup(database: Database, backup_path: str) -> str:
    """Copy the open store to the new file ``backup_path``; returns the path of the copy.

    The copy is verified; that of a damaged store gets another name, ending in ``-damaged.db``.
    Raises Conflict where the target exists, ReadOnly or DiskFull where it cannot be written,
    StoreDamaged where the store cannot be copied.
    """
    from gitmem.files.durable import sync_to_disk  # noqa: PLC0415 - not needed to list backups

    if os.path.lexists(backup_path):
        raise Conflict(
            f"{backup_path} exists already.", "Name another file; nothing was overwritten."
        )
    folder = os.path.dirname(os.path.abspath(backup_path))
    temporary = os.path.join(folder, f".{os.path.basename(backup_path)}.{os.getpid()}.tmp")
    try:
        preflight.make_private_folder(folder)
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        os.close(descriptor)
        database.rows("VACUUM INTO ?", (temporary,))
        if copy_check.copy_problems(temporary):
            backup_path = unused_path(backup_path.removesuffix(".db"), DAMAGED)
        sync_to_disk(temporary)
        os.rename(temporary, backup_path)
        sync_to_disk(folder)
    except OSError as error:
        raise preflight.write_failure_error(error, f"The backup {backup_path}") from error
    finally:
        with suppress(OSError):
            os.unlink(temporary)
    return backup_path


def back_up_before_migration(database: Database, version: int) -> str:
    """Write a backup named ``schema-VERSION-NN.db`` beside the store; returns its path."""
    number = 1
    while True:
        name = f"schema-{version}-{number:02d}.db"
        target = os.path.join(backup_folder(database.path), name)
        if not os.path.lexists(target):
            # Another process that leaves the same version may take the name meanwhile.
            with suppress(Conflict):
                return write_backup(database, target)
        number += 1


def prune_backups(store_path: str, file_name_prefix: str, keep_count: int) -> list[str]:
    """Delete all but the ``keep_count`` newest backups named ``PREFIX-...``; returns deleted paths.

    ``store_path`` is that of the store. Backups of a damaged store are counted separately, so that
    no undamaged backup is deleted because of them.
    """
    backups = [
        name
        for name in list_backups(store_path)
        if os.path.basename(name).startswith(f"{file_name_prefix}-")
    ]
    good = [name for name in backups if not is_backup_of_damaged_store(name)]
    bad = [name for name in backups if is_backup_of_damaged_store(name)]
    doomed = [*good[: max(0, len(good) - keep_count)], *bad[: max(0, len(bad) - keep_count)]]
    for name in doomed:
        os.unlink(name)
    return doomed
