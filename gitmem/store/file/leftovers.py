"""Deleting temporary files of backups, restores and new stores that killed processes left.

Each holds a copy of the store's content, and purged text must not survive in one.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress

from gitmem.clock import HOUR
from gitmem.errors import StoreBusy
from gitmem.store.db import preflight
from gitmem.store.file.backup import backup_folder
from gitmem.store.file.exchange import lock_store_folder

# Temporary names of backups, new stores, copies for a restore, and other atomically written files.
_NAMES = re.compile(
    r"\.(?P<backup>.+)\.(?P<pid>\d+)\.tmp"
    r"|\.new-(?:(?P<maker>\d+)-)?.+\.db"
    r"|.+\.db(?:\.(?P<restorer>\d+))?\.restoring"
    r"|.+\.gitmem-new"
)
# The log of a store that an exchange was about to move aside.
_ASIDE = re.compile(rf"(?P<store>before-.+\.db)(?:{'|'.join(preflight.SIDES)})")


def find_leftover_files(store_path: str, now_ms: int) -> list[str]:
    """The paths of temporary files that killed processes left beside a store or its backups.

    ``now_ms`` is in milliseconds. Files of a process that still runs count after an hour.
    """
    folders = (os.path.dirname(store_path), backup_folder(store_path))
    leftovers = [leftover for folder in folders for leftover in _in(folder, now_ms)]
    incoming = store_path + preflight.INCOMING
    if os.path.lexists(store_path) and os.path.lexists(incoming):
        leftovers.append(incoming)
    return leftovers


def remove_leftover_files(store_path: str, now_ms: int) -> list[str]:
    """Delete the files of ``find_leftover_files``; returns the paths of those that were deleted.

    None is deleted while another process replaces the store.
    """
    deleted = []
    # Locked, since the files of an exchange in progress must stay.
    with suppress(OSError, StoreBusy), lock_store_folder(store_path):
        for leftover in find_leftover_files(store_path, now_ms):
            with suppress(OSError):
                os.unlink(leftover)
                deleted.append(leftover)
    return deleted


def _in(folder: str, now_ms: int) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [
        os.path.join(folder, name) for name in names if _is_left(os.path.join(folder, name), now_ms)
    ]


def _is_left(path: str, now_ms: int) -> bool:
    if log := _ASIDE.fullmatch(os.path.basename(path)):
        return not os.path.lexists(os.path.join(os.path.dirname(path), log["store"]))
    name = os.path.basename(path)
    for side in preflight.SIDES:
        name = name.removesuffix(side)
    match = _NAMES.fullmatch(name)
    if match is None:
        return False
    try:
        stand = os.lstat(path)
    except OSError:
        return False
    if not stat.S_ISREG(stand.st_mode):
        return False
    owner = match["pid"] or match["maker"] or match["restorer"]
    if owner and not _runs(int(owner)):
        return True
    return now_ms - stand.st_mtime_ns // 1_000_000 > HOUR


def _runs(pid: int) -> bool:
    if os.name != "posix":
        return True  # on Windows ``os.kill`` would end the process
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
