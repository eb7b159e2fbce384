"""Purging memories from the backups and copies of a store, after they were purged from itself."""

import os

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.maintenance import outside_copies
from gitmem.store.db.connection import Database
from gitmem.store.file import backup, leftovers
from gitmem.store.file.opening import open_store_for_adoption
from gitmem.store.file.registration import Keyring
from gitmem.store.memory import memories, memory_writes
from gitmem.store.session import exchanges, sessions


def purge_memories_from_all_copies(
    app: App, database: Database, memory_ids: list[str]
) -> tuple[list[str], list[str]]:
    """Delete memories or sessions, by id, from all backups and outside copies of a store.

    Returns the paths of the files that were cleaned, and of those that could not be.
    """
    leftovers.remove_leftover_files(database.path, app.now)
    cleaned: list[str] = []
    remaining: list[str] = []
    for copy in backup.list_backups(database.path):
        (cleaned if _clean_backup(copy, app.keys, memory_ids, app.now) else remaining).append(copy)
    done, left = outside_copies.purge_memories_from_copies(app, database, memory_ids)
    return [*cleaned, *done], [*remaining, *left]


def _clean_backup(path: str, keys: Keyring, ids: list[str], now: int) -> bool:
    file_status = os.stat(path)
    try:
        # Opened without checking seals, which older backups lack: nothing of it is shown.
        database = open_store_for_adoption(path, keys)
    except GitmemError:
        return False
    try:
        with database.write():
            for id in ids:
                if memories.row_number_of_memory(
                    database, id
                ) is not None or sessions.session_exists(database, id):
                    memory_writes.purge_memory(database, id, at_ms=now)
            exchanges.delete_conversations(database, ids)
            exchanges.merge_exchange_text_index(database)
        memory_writes.erase_deleted_text_from_file(database)
    except GitmemError:
        return False
    finally:
        database.close()
        # The file keeps its time, by which the newest backup is found.
        os.utime(path, ns=(file_status.st_atime_ns, file_status.st_mtime_ns))
    return True
