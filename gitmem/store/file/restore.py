"""Restoring a backup while other processes may have the store open."""

from __future__ import annotations

import os
from contextlib import suppress

import apsw

from gitmem.errors import GitmemError, NotFound, StoreBusy, StoreDamaged
from gitmem.files import durable
from gitmem.store.db import preflight, projects, seals
from gitmem.store.db.connection import BUSY_MS, make_busy_handler
from gitmem.store.db.sqlite_errors import sqlite_errors_as_gitmem_errors
from gitmem.store.file import sealing
from gitmem.store.file.backup import write_backup
from gitmem.store.file.exchange import replace_store_with_copy
from gitmem.store.file.opening import open_store, open_store_for_adoption
from gitmem.store.file.registration import Keyring


def restore_store(backup_path: str, store_path: str, old_store_path: str, keyring: Keyring) -> str:
    """Replace the content of the store at ``store_path`` by that of a backup.

    Returns the path where the old content was saved: ``old_store_path``, or a name that says that
    it is damaged. Processes that have the store open see the old or the new content; a store that
    does not open is moved away. Raises NotFound, ForeignFile, StoreTooNew or StoreDamaged for a
    backup that is not an undamaged store; then nothing is changed.
    """
    # Named after the process, so that the file of a killed restore is removed at once.
    copy = f"{store_path}.{os.getpid()}.restoring"
    try:
        delete_database(copy)
        _checked_copy(backup_path, copy, keyring)
        saved = _overwrite(copy, store_path, old_store_path, keyring)
        if not saved:
            saved = old_store_path
            replace_store_with_copy(copy, store_path, old_store_path)
        return saved
    except OSError as error:
        raise preflight.write_failure_error(error, f"The store {store_path}") from error
    finally:
        with suppress(OSError):
            delete_database(copy)


def refuse_busy_store(store_path: str) -> None:
    """Raise StoreBusy while another process writes to a store, even a damaged one."""
    try:
        with sqlite_errors_as_gitmem_errors(store_path):
            connection = apsw.Connection(store_path, apsw.SQLITE_OPEN_READWRITE)
            try:
                # The log is evidence: closing must not write it into the file.
                connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                connection.set_busy_handler(make_busy_handler(BUSY_MS))
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("ROLLBACK")
            finally:
                connection.close()
    except StoreBusy:
        raise
    except (GitmemError, apsw.Error):
        return  # nobody can write to it any more


def delete_database(database_path: str) -> None:
    """Delete a database file that nobody uses, with its write-ahead log. Raises OSError."""
    for suffix in ("", *preflight.SIDES):
        with suppress(FileNotFoundError):
            os.unlink(database_path + suffix)


def _checked_copy(source: str, copy: str, keyring: Keyring) -> None:
    if not os.path.isfile(source):
        raise NotFound(f"There is no file {source}.", "Run `gitmem backup --list`.")
    # Its folder may be another user's, such as /tmp: the file is read once, into a private copy.
    preflight.check_store_copy_owner_and_format(source)
    durable.copy_file_synced(source, copy)
    database = open_store_for_adoption(copy, keyring)
    try:
        # Made by a gitmem without seals. Rows of another store are not sealed: they are not trusted
        # until somebody adopts the store.
        if database.key and not database.seal:
            sealing.seal_all_rows(database)
        if database.key:
            # Lines waiting in the logs were written after the backup, with seals.
            for log in (seals.SESSIONS, seals.SPOOL):
                projects.require_sealed_log_lines(database, log)
        problems = database.column("PRAGMA integrity_check")
        database.rows("PRAGMA journal_mode = DELETE")
    finally:
        database.close()
    if problems != ["ok"]:
        raise StoreDamaged(f"The backup {source} is damaged.", "Choose another backup.")


def _overwrite(copy: str, path: str, aside: str, keyring: Keyring) -> str:
    """Where the present store was saved before it was overwritten; empty where it could not be."""
    try:
        present = open_store(path, keyring)
    except StoreBusy:
        # Moving a store that others use would lose what they write.
        raise
    except GitmemError:
        return ""
    try:
        saved = write_backup(present, aside)
        with sqlite_errors_as_gitmem_errors(path):
            original = apsw.Connection(copy, apsw.SQLITE_OPEN_READONLY)
            try:
                with present.connection.backup("main", original, "main") as job:
                    job.step()
            finally:
                original.close()
    except StoreDamaged:
        return ""
    finally:
        present.close()
    return saved
