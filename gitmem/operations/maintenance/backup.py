"""Copies of the store, and going back to one."""

import os
from typing import Annotated

from gitmem.app import App
from gitmem.capture.provenance import refuse_agents
from gitmem.errors import NotFound
from gitmem.maintenance.backups import dated
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import DELETE, WRITE, Arg, Operation
from gitmem.store.file import backup, restore
from gitmem.store.memory import memories
from gitmem.store.memory.filters import Filter

ASIDE = "before-restore"


@dataclass(frozen=True, slots=True)
class Backup:
    """Where to, or what there is."""

    target: Annotated[
        str, Arg("The file to write (default: a dated one beside the store)", positional=True)
    ] = ""
    list: Annotated[bool, Arg("List the backups")] = False


@dataclass(frozen=True, slots=True)
class Copy:
    """A backup file and its size in bytes."""

    path: str
    bytes: int


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
    the schema changes. Copying memory.db yourself would miss what is still in its write-ahead log.
    """
    written = ""
    if not request.list:
        target = os.path.abspath(os.path.join(app.start, request.target)) if request.target else ""
        written = target or dated(app)
        backup.write(app.store, written)
    return Copied(
        written,
        tuple(Copy(path, os.path.getsize(path)) for path in backup.stored(app.store_path)),
    )


def bring_back(app: App, request: Restore) -> Restored:
    """Restore the store from a backup. What is there now is kept beside it, never deleted.

    Works while others use the store: they see either the old content or the new. You are asked
    first; --yes skips that, and is needed where there is no terminal. Only a person can do it.
    """
    refuse_agents(app, "replace the store by a backup")
    source = os.path.abspath(os.path.join(app.start, request.source)) if request.source else ""
    if not source:
        # What an earlier restore put aside may be the very damage it was to mend.
        known = [
            path
            for path in backup.stored(app.store_path)
            if not os.path.basename(path).startswith(ASIDE)
        ]
        if not known:
            raise NotFound("There is no backup yet.", "`gitmem backup` creates one.")
        source = max(known, key=os.path.getmtime)
    app.refuse_tracked()
    app.release()
    aside = dated(app, ASIDE)
    restore.restore(source, app.store_path, aside)
    kept = aside if os.path.lexists(aside) else ""
    return Restored(source, kept, memories.count(app.store, Filter(states=())))


def view_copied(result: Copied) -> str:
    """The backup written, or a line for each."""
    if result.written:
        return f"backed up to {result.written}"
    lines = [f"{copy.bytes / 1024:>9,.0f} KiB  {copy.path}" for copy in result.backups]
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
