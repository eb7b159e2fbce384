"""What keeps a store healthy without a daemon: done now and then, beside the user's work.

A command that finds upkeep due starts it as a process of its own, detached and at low priority, and
does not wait.
"""

import os
import sys
from contextlib import suppress

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.model.value import dataclass
from gitmem.operations.registry import WRITE, Operation
from gitmem.store import projects

LOWEST = 19


@dataclass(frozen=True, slots=True)
class Upkeep:
    """Nothing needs to be said."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What was done: the backup made, or empty."""

    backup: str


def upkeep(app: App, request: Upkeep) -> Kept:
    """Do what is due: the daily backup, and merging the write-ahead log into the store."""
    del request
    if hasattr(os, "nice"):
        os.nice(LOWEST)
    # Imported here: this module is asked at every start, and seldom has anything to do.
    from gitmem.operations.backup import automatic  # noqa: PLC0415

    made = automatic(app)
    app.store.rows("PRAGMA wal_checkpoint(PASSIVE)")
    return Kept(made)


def due(app: App) -> bool:
    """Whether upkeep is due, asked of a store that is open already."""
    return backup_due(app)


def backup_due(app: App) -> bool:
    """Whether the last scheduled backup is older than the interval."""
    hours = app.settings.number("backup.interval_hours")
    if not hours or app.store.read_only:
        return False
    last = int(projects.meta(app.store, "backup_at") or 0)
    # A clock that went back must not stop backups for as long as it was ahead.
    return not 0 <= app.now - last < hours * 3_600_000


def start_if_due(app: App) -> bool:
    """Start upkeep in the background if it is due; best effort, and never an error."""
    with suppress(GitmemError, OSError):
        if due(app):
            _start(app)
            return True
    return False


def _start(app: App) -> None:
    # -P: the current folder is the user's repository, and no module in it may run in our name.
    command = [sys.executable, "-P", "-m", "gitmem", "upkeep", "-C", app.worktree]
    environment = dict(app.settings.environment)
    if os.name == "posix":
        null = os.open(os.devnull, os.O_RDWR)
        try:
            # All three streams are closed to the child: one that kept its parent's output would
            # make everybody who reads that output wait.
            streams = [(os.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)]
            os.posix_spawn(sys.executable, command, environment, file_actions=streams, setsid=True)
        finally:
            os.close(null)
        return
    import subprocess  # noqa: PLC0415, TID251 - Windows has no posix_spawn; gitmem starts itself

    subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        creationflags=0x00000008 | 0x00004000,  # DETACHED_PROCESS, BELOW_NORMAL_PRIORITY_CLASS
    )


def view(result: Kept) -> str:
    """A line on what was done, or nothing."""
    return f"backed up to {result.backup}" if result.backup else ""


UPKEEP = Operation(
    name="upkeep",
    request=Upkeep,
    run=upkeep,
    view=view,
    effect=WRITE,
    example="gitmem upkeep",
)
