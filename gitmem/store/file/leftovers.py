"""Files of a backup, a restore or a new store whose maker was killed before it could end.

Each holds a copy of what the store held, so they are looked for: purged text must not stay in one.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress

from gitmem.clock import HOUR
from gitmem.errors import StoreBusy
from gitmem.store.db import preflight
from gitmem.store.file.backup import folder_of
from gitmem.store.file.exchange import alone

# What is written beside its place: backups, new stores, a restore's copy, other files made whole.
_NAMES = re.compile(
    r"\.(?P<backup>.+)\.(?P<pid>\d+)\.tmp"
    r"|\.new-(?:(?P<maker>\d+)-)?.+\.db"
    r"|.+\.db(?:\.(?P<restorer>\d+))?\.restoring"
    r"|.+\.gitmem-new"
)
# The log of what an exchange was about to put aside, without its store.
_ASIDE = re.compile(rf"(?P<store>before-.+\.db)(?:{'|'.join(preflight.SIDES)})")


def found(path: str, now: int) -> list[str]:
    """What killed processes left of the store at ``path``. ``now`` is in milliseconds.

    Whose maker still runs is not among them, unless it is older than an hour.
    """
    folders = (os.path.dirname(path), folder_of(path))
    left = [leftover for folder in folders for leftover in _in(folder, now)]
    incoming = path + preflight.INCOMING
    if os.path.lexists(path) and os.path.lexists(incoming):
        left.append(incoming)
    return left


def remove(path: str, now: int) -> list[str]:
    """Delete what killed processes left; those deleted. One that cannot be is left for later."""
    gone = []
    # What an exchange that goes on has put there is none of it.
    with suppress(OSError, StoreBusy), alone(path):
        for leftover in found(path, now):
            with suppress(OSError):
                os.unlink(leftover)
                gone.append(leftover)
    return gone


def _in(folder: str, now: int) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [
        os.path.join(folder, name) for name in names if _is_left(os.path.join(folder, name), now)
    ]


def _is_left(path: str, now: int) -> bool:
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
    return now - stand.st_mtime_ns // 1_000_000 > HOUR


def _runs(pid: int) -> bool:
    if os.name != "posix":
        return True  # asked there, a process would be ended
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
