"""Backing up the store, and restoring it from a backup."""

import os

from gitmem.app import App
from gitmem.capture.provenance import require_person
from gitmem.clock import format_iso
from gitmem.errors import (
    ForeignFile,
    GitmemError,
    InvalidInput,
    NotFound,
    Unavailable,
    UntrustedStore,
)
from gitmem.githooks import hook_status
from gitmem.indexing import refresh
from gitmem.maintenance import backups, lost_store, outside_copies, settings_file
from gitmem.maintenance.backups import newest_undamaged_backup, unused_backup_path
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import DELETE, WRITE, Annotated, Arg, Operation, positional_arg
from gitmem.store.file import backup, copy_check, leftovers, restore
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.text.quantity import quantity

ASIDE = ("before-restore", "before-recover")


@dataclass(frozen=True, slots=True)
class BackupRequest:
    """Arguments of `gitmem backup`: where to write the backup of the store.

    ``target`` is a file, or a folder for a file named by date (empty: beside the store); ``list``
    only lists backups and the copies outside the work tree.
    """

    target: Annotated[
        str,
        positional_arg(
            "The file to write, or a folder for a dated one (default: beside the store)"
        ),
    ] = ""
    list: Annotated[bool, Arg("List the backups, and the copies outside the work tree")] = False


@dataclass(frozen=True, slots=True)
class BackupItem:
    """A backup file, its size in bytes, and its state: ``verified``, ``damaged`` or ``foreign``.

    ``why`` is the reason if it is not verified: a foreign backup was not made by your store, or
    contains rows that another store wrote.
    """

    path: str
    bytes: int
    state: str
    why: str


@dataclass(frozen=True, slots=True)
class StoreCopyItem:
    """A copy of a store outside the work tree, and its size in bytes.

    ``root`` is the folder whose store was copied, empty if unknown; ``memories`` is -1 if unknown.
    """

    path: str
    bytes: int
    memories: int
    made: str
    root: str


@dataclass(frozen=True, slots=True)
class BackupResult:
    """The backup written, and all backups in the store's folder.

    ``copies`` are outside the work tree, in your data folder; ``note`` says why no copy was made
    now. ``shared`` are backups of your global memories, in your data folder.
    """

    written: str
    backups: tuple[BackupItem, ...]
    copies: tuple[StoreCopyItem, ...]
    note: str
    shared: tuple[BackupItem, ...]


@dataclass(frozen=True, slots=True)
class RestoreBackupRequest:
    """Arguments of `gitmem restore-backup`: the backup to restore (``source``, empty: the newest).

    ``copy`` takes the newest copy outside the work tree instead; ``scope`` is project or global,
    the store to restore.
    """

    source: Annotated[
        str, positional_arg("The backup (default: the newest one beside the store)")
    ] = ""
    copy: Annotated[
        bool, Arg("Restore the newest copy outside the work tree, even if the store was lost")
    ] = False
    scope: shared.WhichStore = "project"


@dataclass(frozen=True, slots=True)
class RestoreBackupResult:
    """The backup used, where the replaced store was moved, and the number of memories now.

    ``aside`` is empty if there was no store to replace. ``indexed`` says that files and commits
    were indexed again, since a copy has no index.
    """

    source: str
    aside: str
    memories: int
    indexed: bool


def make_backup(app: App, request: BackupRequest) -> BackupResult:
    """Back up the store while it is in use.

    The memories are also copied out of the work tree, into your data folder (copy.mode). Both
    happen automatically while gitmem is used: a backup once a day (backup.interval_hours) and
    before the schema changes, a copy at most once an hour (copy.interval_minutes). Each backup is
    verified when it is made, and again by --list. If you copied memory.db yourself, you would miss
    what is still in its write-ahead log. Your global memories are in your data folder and are
    backed up there if they changed; `restore-backup --scope global` restores them.
    """
    written = note = ""
    if not request.list:
        written = _target(app, request.target) or unused_backup_path(app)
        leftovers.remove_leftover_files(app.store_path, app.now)
        settings_file.copy_settings_into_store(app)
        written = backup.write_backup(app.store, written)
        note = "\n".join(filter(None, (_copy_outside(app), _back_up_global(app))))
    shared = app.settings.user_store
    return BackupResult(
        written,
        tuple(_verify(app, path) for path in backup.list_backups(app.store_path)),
        tuple(
            copy_fields(StoreCopyItem, copy, made=format_iso(copy.made_at))
            for copy in lost_store.restorable_store_copies(app)
        ),
        note,
        tuple(_verify(app, path) for path in (backup.list_backups(shared) if shared else [])),
    )


def _back_up_global(app: App) -> str:
    """Back up the global memories; return why that failed, or ""."""
    try:
        backups.back_up_global_store(app)
    except GitmemError as error:
        return f"Your global memories were not backed up: {error.message} {error.hint}".strip()
    return ""


def _verify(app: App, path: str) -> BackupItem:
    size = os.lstat(path).st_size
    if problems := copy_check.copy_problems(path):
        return BackupItem(path, size, "damaged", problems[0])
    why = copy_check.foreign_copy_reason(path, app.keys, check_rows=True)
    return BackupItem(path, size, "foreign" if why else "verified", why)


def _target(app: App, named: str) -> str:
    """The file to write as an absolute path; empty for the default one."""
    if not named:
        return ""
    target = os.path.abspath(os.path.join(app.start, named))
    if os.path.isdir(target):
        return unused_backup_path(app, folder=target)
    folder = target if named.endswith(os.sep) else os.path.dirname(target)
    if not os.path.isdir(folder) and folder != backup.backup_folder(app.store_path):
        # Otherwise a typing error would create folders anywhere.
        raise InvalidInput(f"There is no folder {folder}.", "Create it, or name another file.")
    return target


def _copy_outside(app: App) -> str:
    """Copy the store out of the work tree; return why that failed, or ""."""
    if not outside_copies.has_outside_copies(app):
        return ""
    try:
        outside_copies.copy_store_now(app)
    except GitmemError as error:
        return f"No copy was made outside the work tree: {error.message} {error.hint}".strip()
    return ""


def restore_backup(app: App, request: RestoreBackupRequest) -> RestoreBackupResult:
    """Restore the store from a backup. The present content is kept beside it, never deleted.

    Works while others use the store: they see either the old content or the new. Backups are beside
    the store; if it was lost with them, --copy restores the newest copy outside the work tree. You
    are asked first; --yes skips that, and is needed without a terminal. Only a person can do it.
    --scope global restores a backup of your global memories.
    """
    require_person(app, "replace the store by a backup")
    if request.copy and request.source:
        raise InvalidInput("A backup and --copy cannot be combined.", "Give one of the two.")
    if request.scope == "global":
        return _restore_global(app, request)
    app.refuse_tracked_store()
    aside = unused_backup_path(app, ASIDE[0])
    if request.copy:
        copy, used = lost_store.restore_newest_copy(app, aside)
        source = copy.path
    else:
        source = os.path.abspath(os.path.join(app.start, request.source)) if request.source else ""
        source = source or _newest_backup(app)
        if os.path.isfile(source) and _is_of_global_store(app, source, known=True):
            raise InvalidInput(
                f"{source} is a backup of your global memories.",
                "`gitmem restore-backup --scope global` restores it.",
            )
        try:
            used = lost_store.restore_store_copy(app, source, aside)
            app.store  # noqa: B018 - opened to check that it is ours
        except UntrustedStore as error:
            before = f" The previous content is in {aside}." if os.path.lexists(aside) else ""
            raise UntrustedStore(
                f"{source} was restored, but no store of yours made it: nothing of it is used.",
                f"`gitmem trust --store` shows what it holds and adopts it.{before}",
            ) from error
    used = used if os.path.lexists(used) else ""
    count = memories.count_filtered_memories(app.store, MemoryFilter(states=()))
    if request.copy:
        _restore_index_and_hooks(app)
    return RestoreBackupResult(source, used, count, indexed=request.copy)


def _restore_global(app: App, request: RestoreBackupRequest) -> RestoreBackupResult:
    """Restore a backup of the user's own store."""
    path = app.settings.user_store
    if not path:
        raise Unavailable(
            "There is no home folder with global memories.",
            "Set HOME, or GITMEM_HOME to a folder of yours.",
        )
    if request.copy:
        raise InvalidInput(
            "There are no copies of your global memories elsewhere.", "Leave out --copy."
        )
    source = os.path.abspath(os.path.join(app.start, request.source)) if request.source else ""
    source = source or newest_undamaged_backup(app, ASIDE, path)
    if not source:
        raise NotFound(
            "There is no backup of your global memories.",
            "`gitmem backup` also backs up the global memories.",
        )
    why = copy_check.foreign_copy_reason(source, app.keys)
    if not why and not _is_of_global_store(app, source):
        why = "another store of yours made it"
    if why:
        raise ForeignFile(
            f"{source} is not a backup of your global memories: {why}.",
            "`gitmem backup --list` names those that are.",
        )
    app.close_stores()
    aside = restore.restore_store(source, path, unused_backup_path(app, ASIDE[0], path), app.keys)
    shared = app.global_store()
    count = memories.count_filtered_memories(shared, MemoryFilter(states=())) if shared else 0
    aside = aside if os.path.lexists(aside) else ""
    return RestoreBackupResult(source, aside, count, indexed=False)


def _is_of_global_store(app: App, source: str, *, known: bool = False) -> bool:
    """Whether a backup is of the user's own store; if that store cannot be read, ``not known``."""
    try:
        shared = app.global_store()
    except GitmemError:
        shared = None  # it is damaged: the reason for restoring it
    if shared is None:
        return not known
    return copy_check.copied_store_id(source) == shared.store


def _newest_backup(app: App) -> str:
    if path := newest_undamaged_backup(app, ASIDE):
        return path
    if backup.list_backups(app.store_path):
        raise NotFound(
            "None of the backups is undamaged and made by your store.",
            "`gitmem backup --list` says why; to restore one of them nevertheless, name it. "
            "`gitmem recover` makes a new store from what can be read of the store and its "
            "backups.",
        )
    if copy := lost_store.best_copy_of_folder_store(app):
        raise NotFound(
            "There is no backup beside the store.",
            f"{lost_store.describe_store_copy(copy)} can be restored: `{lost_store.COMMAND}`.",
        )
    raise NotFound("There is no backup yet.", "`gitmem backup` creates one.")


def _restore_index_and_hooks(app: App) -> None:
    """Index again, since a copy has no index, and repair the hooks that were installed."""
    refresh.refresh_index(app)
    if app.layout.plain:
        return
    hooks = hook_status.read_hook_states(app).hooks
    if any(hook.state in hook_status.IN_PLACE for hook in hooks):
        hook_status.install_hooks(app)


def view_backups(result: BackupResult) -> str:
    """Return the text to print: a line on the backup written, or one for each listed backup."""
    if result.written:
        summary = [f"backed up to {result.written}"]
        if result.shared:
            summary.append(f"your global memories: {result.shared[-1].path}")
        if backup.is_backup_of_damaged_store(result.written):
            summary.append("The store is damaged, and so is this backup: `gitmem recover`.")
        return "\n".join([*summary, result.note] if result.note else summary)
    lines = [
        _line(copy, copy.state) + (f"  {copy.why}" if copy.why else "") for copy in result.backups
    ] or ["There is no backup yet."]
    if result.shared:
        lines += ["", "Of your global memories (restore-backup --scope global):"]
        lines += [_line(copy, copy.state) for copy in result.shared]
    if result.copies:
        lines += ["", "Outside the work tree (restore-backup --copy restores the newest):"]
        lines += [_line(copy) + _holds(copy) for copy in result.copies]
    return "\n".join(lines)


def _line(copy: BackupItem | StoreCopyItem, state: str = "") -> str:
    return f"{copy.bytes / 1024:>9,.0f} KiB  {state and state + '  '}{copy.path}"


def _holds(copy: StoreCopyItem) -> str:
    if copy.memories < 0:
        return ""
    return f"  {quantity(copy.memories, 'memory')} of {copy.root}"


def view_restored(result: RestoreBackupResult) -> str:
    """Return the text to print: what was restored, and where the replaced store is."""
    done = f"restored {quantity(result.memories, 'memory')} from {result.source}"
    done += "\nfiles and commits were indexed again" if result.indexed else ""
    return f"{done}\nthe previous content is in {result.aside}" if result.aside else done


BACKUP = Operation("backup", make_backup, view_backups, WRITE)

RESTORE = Operation(
    "restore-backup",
    restore_backup,
    view_restored,
    DELETE,
    confirm="Replace the current content with the backup?",
)
