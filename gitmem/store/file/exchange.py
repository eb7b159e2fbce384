"""Replacing the file of a store so that a kill at any moment loses neither file.

SQLite would write the log of the old file into the new one. So the old files are moved first, and
for a moment there is no store. Before that the complete new file is put beside it, under a name of
its own (``INCOMING``); a process that finds only that file finishes the exchange.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import apsw

from gitmem.errors import ReadOnly, StoreBusy
from gitmem.files import durable
from gitmem.files.lock import try_lock_file
from gitmem.store.db import preflight
from gitmem.store.db.sqlite_errors import sqlite_errors_as_gitmem_errors

_WAIT_SECONDS, _PAUSE_SECONDS = 10.0, 0.01


def replace_store_with_copy(copy_path: str, store_path: str, old_store_path: str) -> None:
    """Move a store and its log to ``old_store_path``, and the copy to ``store_path`` in its place.

    If the process is killed between, ``finish_store_replacement`` completes it. Raises OSError,
    StoreBusy, and StoreDamaged or another GitmemError for an unusable copy.
    """
    with sqlite_errors_as_gitmem_errors(copy_path):
        connection = apsw.Connection(copy_path, apsw.SQLITE_OPEN_READWRITE)
        try:
            # A copy has any journal mode; in its new place it needs the one that works there.
            connection.pragma(
                "journal_mode", preflight.choose_journal_mode(os.path.dirname(store_path))
            )
        finally:
            connection.close()
    durable.sync_to_disk(copy_path)
    with lock_store_folder(store_path):
        # First: from here on the process that finishes the exchange removes the log at the path.
        _keep_log(store_path, old_store_path)
        os.rename(copy_path, store_path + preflight.INCOMING)
        durable.sync_to_disk(os.path.dirname(store_path))
        try:
            if os.path.lexists(store_path):
                os.makedirs(os.path.dirname(old_store_path), mode=0o700, exist_ok=True)
                os.rename(store_path, old_store_path)
            _enter(store_path)
        except OSError:
            discard_replacement_copy(store_path)
            raise


def finish_store_replacement(store_path: str) -> bool:
    """Finish a ``replace_store_with_copy`` that was killed; returns whether there is a store now.

    To be called only where there is no store. Raises ReadOnly where it cannot be finished,
    ForeignFile where the copy is not the user's, StoreBusy.
    """
    incoming = store_path + preflight.INCOMING
    if os.path.lexists(incoming):
        try:
            with lock_store_folder(store_path):
                if not os.path.lexists(store_path) and os.path.lexists(incoming):
                    preflight.check_path_owner(incoming, must_be_regular_file=True)
                    _enter(store_path)
        except OSError as error:
            raise ReadOnly(
                f"Replacing the store {store_path} was interrupted, and the new file "
                f"cannot be moved into place: {error.strerror}.",
                f"Nothing is lost: the new file is {incoming}. Make the folder writable and run "
                "the command again.",
            ) from error
    return os.path.lexists(store_path)


def discard_replacement_copy(store_path: str) -> None:
    """Delete the copy that a killed ``replace_store_with_copy`` left beside a store that is there.

    To be called inside ``lock_store_folder``. Raises OSError.
    """
    if os.path.lexists(store_path):
        with suppress(FileNotFoundError):
            os.unlink(store_path + preflight.INCOMING)


@contextmanager
def lock_store_folder(store_path: str) -> Iterator[None]:
    """Within the block no other process replaces a store's file. Raises OSError, StoreBusy."""
    try:
        handle = os.open(os.path.dirname(store_path), os.O_RDONLY)
    except PermissionError:
        if os.name == "posix":
            raise
        yield  # Windows opens no folders
        return
    try:
        until = time.monotonic() + _WAIT_SECONDS
        while not _locked(handle):
            if time.monotonic() > until:
                raise StoreBusy(
                    f"Another process is replacing the store {store_path}.",
                    "Try again in a moment.",
                )
            time.sleep(_PAUSE_SECONDS)
        yield
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        return try_lock_file(handle)
    except OSError:
        return True  # a file system without locks


def _enter(path: str) -> None:
    for side in preflight.SIDES:
        with suppress(FileNotFoundError):
            os.unlink(path + side)
    os.rename(path + preflight.INCOMING, path)
    durable.sync_to_disk(os.path.dirname(path))


def _keep_log(path: str, aside: str) -> None:
    """Link the side files of a store to names beside ``aside``."""
    present = [side for side in preflight.SIDES if os.path.lexists(path + side)]
    if not present:
        return
    os.makedirs(os.path.dirname(aside), mode=0o700, exist_ok=True)
    if not os.path.lexists(path):
        # A log without a store would be taken for the remains of a killed exchange.
        os.close(os.open(aside, os.O_CREAT | os.O_WRONLY, 0o600))
    for side in present:
        _link(path + side, aside + side)
    durable.sync_to_disk(os.path.dirname(aside))


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except (OSError, NotImplementedError):
        if not os.path.isfile(source) or os.path.islink(source):
            return  # no log of SQLite's
        durable.copy_file_synced(source, target)
