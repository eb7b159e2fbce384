"""Making dated backups of the store, in a folder beside it, when they are due."""

import os
from contextlib import suppress

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.errors import GitmemError
from gitmem.files.free_name import unused_path
from gitmem.maintenance import settings_file
from gitmem.maintenance.schedule import is_backup_due
from gitmem.store.db import projects
from gitmem.store.file import backup, copy_check, leftovers

AUTOMATIC = "auto"
_COUNTER = "backup_counter"  # key in the user's store: the counter at its last backup


def unused_backup_path(
    app: App, file_prefix: str = "memory", store_path: str = "", folder: str = ""
) -> str:
    """Return a path ``PREFIX-<date and time>.db`` for a new backup, at which no file exists.

    It is in ``folder``, by default where backups of the store at ``store_path`` are (empty: the
    project's).
    """
    stamp = format_iso(app.now).replace("-", "").replace(":", "")
    folder = folder or backup.backup_folder(store_path or app.store_path)
    return unused_path(os.path.join(folder, f"{file_prefix}-{stamp}"), ".db")


def newest_undamaged_backup(
    app: App, skipped_prefixes: tuple[str, ...], store_path: str = ""
) -> str:
    """Return the path of the newest undamaged backup of a store; empty if there is none.

    ``store_path`` is the store's file, empty for the project's. Backups that another user made are
    skipped, and files whose names begin with one of ``skipped_prefixes``.
    """
    backups = backup.list_backups(store_path or app.store_path)
    own = [path for path in backups if not os.path.basename(path).startswith(skipped_prefixes)]
    by_age = sorted(own, key=os.path.getmtime, reverse=True)
    whole = (path for path in by_age if not copy_check.copy_problems(path))
    return next((path for path in whole if not copy_check.foreign_copy_reason(path, app.keys)), "")


def back_up_store_if_due(app: App) -> str:
    """Make the scheduled backup if it is due; return its path, or empty."""
    if not is_backup_due(app):
        return ""
    before = projects.get_meta(app.store, "backup_at") or "0"
    with app.store.write():
        # Noted first, so that another process does not start a second one.
        projects.set_meta(app.store, "backup_at", str(app.now))
    try:
        settings_file.copy_settings_into_store(app)
        path = unused_backup_path(app, AUTOMATIC)
        leftovers.remove_leftover_files(app.store_path, app.now)
        path = backup.write_backup(app.store, path)
    except GitmemError:
        with app.store.write():
            projects.set_meta(app.store, "backup_at", before)
        raise
    backup.prune_backups(app.store_path, AUTOMATIC, app.settings.number("backup.keep"))
    with suppress(GitmemError):  # the next run tries again
        back_up_global_store(app)
    return path


def back_up_global_store(app: App) -> str:
    """Back up the user's own store (that of global memories) if it changed since the last time.

    Returns the path of the backup, empty if none was made. Raises GitmemError.
    """
    shared = app.global_store()
    if shared is None or shared.read_only or not shared.value("SELECT count(*) FROM memories"):
        return ""
    counter = projects.get_meta(shared, "counter") or "0"
    if projects.get_meta(shared, _COUNTER) == counter and backup.list_backups(shared.path):
        return ""
    path = backup.write_backup(shared, unused_backup_path(app, AUTOMATIC, shared.path))
    backup.prune_backups(shared.path, AUTOMATIC, app.settings.number("backup.keep"))
    with shared.write():
        projects.set_meta(shared, _COUNTER, counter)
    return path
