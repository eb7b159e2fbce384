"""Detecting a write-ahead log of another store beside this one.

SQLite accepts any log beside a file and writes its pages into the file, which would destroy it. A
log does not say to which file it belongs; but nearly every write moves the store's counter, and the
store's id is on the same page.
"""

from __future__ import annotations

import os

from gitmem.store.db.sqlite_errors import damaged_error

# A row of ``meta``: three bytes of header for a text of 5 and one of 32 letters, then the texts.
_BEFORE = b"\x03\x17\x4dstore"
_ID_LENGTH = 32
# The table is one of the first in the file.
_BEGINNING = 1 << 18


def refuse_foreign_log(path: str) -> None:
    """Raise StoreDamaged where the log beside a store names another store."""
    if has_foreign_log(path):
        raise damaged_error(path, "the write-ahead log beside it belongs to another store")


def has_foreign_log(path: str) -> bool:
    """Whether the log beside a store names another store.

    Checked only where there is no shared-memory file: while a process has the store open, or after
    it crashed, there is one, and the log is SQLite's own.
    """
    log = path + "-wal"
    if os.path.exists(path + "-shm") or not os.path.exists(log):
        return False
    try:
        with open(log, "rb") as file:
            theirs = _ids(file.read())
        with open(path, "rb") as file:
            ours = _ids(file.read(_BEGINNING))
    except OSError:
        return False
    return bool(theirs and ours) and ours.isdisjoint(theirs)


def _ids(data: bytes) -> set[bytes]:
    ids = set()
    at = data.find(_BEFORE)
    while at >= 0:
        start = at + len(_BEFORE)
        ids.add(data[start : start + _ID_LENGTH])
        at = data.find(_BEFORE, start)
    return ids
