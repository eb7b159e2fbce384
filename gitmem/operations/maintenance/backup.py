"""Copies of the store, and going back to one."""

import os
from typing import Annotated

from gitmem.app import App
from gitmem.errors import NotFound
from gitmem.maintenance.backups import dated, newest_whole
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import DELETE, WRITE, Arg, Operation
from gitmem.store.file import backup, copy_check, leftovers, restore
from gitmem.store.memory import memories
from gitmem.store.memory.filters import Filter

ASIDE = ("before-restore", "before-recover")


@dataclass(frozen=True, slots=True)
class Backup:
    """Where to, or what there is."""

    target: Annotated[
        str, Arg("The file to write (default: a dated one beside the store)", positional=True)
    ] = ""
    list: Annotated[bool, Arg("List the backups")] = False


@dataclass(frozen=True, slots=True)
class Copy:
    """A backup file, its size in bytes, and its state: ``verified`` or ``damaged``."""

    path: str
    bytes: int
    state: str


@dataclass(frozen=True, slots=True)
class Copied:
    """The backup written (empty when only listing), and all in the store's own folder."""

    written: str
    backups: tuple[Copy, ...]


@dataclass(frozen=True, slots=True)
class Restore:
    """Which backup to go back to."""

    source: Annotated[
        str, Arg("The backup (default: the newest one beside the store)", positional=True)
    ] = ""


@dataclass(frozen=True, slots=True)
class Restored:
    """The backup used, where the content of before was put, and how much is there now.

    ``aside`` is empty where there was none.
    """

    source: str
    aside: str
    memories: int


def make(app: App, request: Backup) -> Copied:
    """Back up the store while it is in use.

    Automatic backups are made once a day when gitmem is used (backup.interval_hours), and before
    the schema changes. Each is verified when it is made, and again by --list. Copying memory.db
    yourself would miss what is still in its write-ahead log.
    """
    written = ""
    if not request.list:
        target = os.path.abspath(os.path.join(app.start, request.target)) if request.target else ""
        leftovers.remove(app.store_path, app.now)
        written = backup.write(app.store, target or dated(app))
    return Copied(written, tuple(map(_copy, backup.stored(app.store_path))))


def _copy(path: str) -> Copy:
    state = "damaged" if copy_check.problems(path) else "verified"
    return Copy(path, os.path.getsize(path), state)


def bring_back(app: App, request: Restore) -> Restored:
    """Restore the store from a backup. What is there now is kept beside it, never deleted.

    Works while others use the store: they see either the old content or the new.
    """
    source = os.path.abspath(os.path.join(app.start, request.source)) if request.source else ""
    if not source:
        source = newest_whole(app, ASIDE)
    if not source and backup.stored(app.store_path):
        raise NotFound(
            "None of the backups is whole.",
            "`gitmem recover` makes a new store of what can be read in the store and in all of "
            "them.",
        )
    if not source:
        raise NotFound("There is no backup yet.", "`gitmem backup` creates one.")
    app.refuse_tracked()
    app.release()
    aside = dated(app, ASIDE[0])
    kept = restore.restore(source, app.store_path, aside)
    kept = kept if os.path.lexists(kept) else ""
    return Restored(source, kept, memories.count(app.store, Filter(states=())))


def view_copied(result: Copied) -> str:
    """The backup written, or a line for each."""
    if result.written:
        told = f"backed up to {result.written}"
        if backup.is_damaged(result.written):
            told += "\nThe store is damaged, and so is this backup: `gitmem recover`."
        return told
    lines = [
        f"{copy.bytes / 1024:>9,.0f} KiB  {copy.state}  {copy.path}" for copy in result.backups
    ]
    return "\n".join(lines) or "There is no backup yet."


def view_restored(result: Restored) -> str:
    """What was done, and where the former content is."""
    done = f"restored {result.memories} memories from {result.source}"
    return f"{done}\nthe previous content is in {result.aside}" if result.aside else done


BACKUP = Operation(
    name="backup",
    request=Backup,
    run=make,
    view=view_copied,
    effect=WRITE,
    example="gitmem backup",
)

RESTORE = Operation(
    name="restore-backup",
    request=Restore,
    run=bring_back,
    view=view_restored,
    effect=DELETE,
    example="gitmem restore-backup",
    confirm="Replace the current content with the backup?",
)
