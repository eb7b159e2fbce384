"""Noticing that the store of this folder is gone, and restoring it from its copy.

``git clean -fdx`` and ``git stash --all`` remove the store with all backups beside it.
"""

import os
from contextlib import suppress

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.errors import ForeignFile, GitmemError, NotFound, StoreDamaged, Unavailable
from gitmem.files import atomic_write
from gitmem.maintenance import settings_file
from gitmem.maintenance.outside_copies import current_store_id, read_copy_passphrase
from gitmem.store.db import preflight, projects
from gitmem.store.file import copies_folder, outside_copy, registration, restore
from gitmem.store.file.copies_folder import UNKNOWN, ExternalStoreCopy
from gitmem.text.quantity import quantity

COMMAND = "gitmem restore-backup --copy"
_LIKELY = " (`git clean -x` and `git stash --all` take it along)"


def best_copy_of_lost_store(app: App) -> ExternalStoreCopy | None:
    """Return the best copy of this project's store if the folder has no store any more, or None.

    Copies are files outside of the work tree; the best is the newest that was made in this folder.
    """
    if app.has_store:
        return None
    return next(iter(copies_folder.rank_copies(_own_copies(app), app.layout.store_root)), None)


def best_copy_of_folder_store(app: App) -> ExternalStoreCopy | None:
    """Return the best copy of the store that was in this folder, of any project, or None."""
    return next(iter(copies_folder.rank_copies(_copies_of_place(app), app.layout.store_root)), None)


def best_copy_of_project_store(app: App) -> ExternalStoreCopy | None:
    """Return the best copy of this project's store that is gone from another folder, or None."""
    return next(iter(copies_folder.rank_copies(_of_project(app), app.layout.store_root)), None)


def restorable_store_copies(app: App) -> list[ExternalStoreCopy]:
    """Return the copies of a store that can be restored in this folder, oldest first."""
    copies = _copies_of_place(app)
    return copies if copies or app.has_store else _of_project(app)


def _copies_of_place(app: App) -> list[ExternalStoreCopy]:
    """The copies of the store that was last known at this path.

    There may be another repository now, so a person decides whether to restore them.
    """
    stores = app.settings.stores_folder
    store = registration.read_store_location(stores, app.layout.store_root).store
    return copies_folder.list_copies(stores, store) if store else []


def _own_copies(app: App) -> list[ExternalStoreCopy]:
    """Those of this project; another one may have been in this folder before."""
    known, shared, key = _copies_of_place(app), app.global_store(), app.project_identity.key
    keys = ["", key, *(projects.former_project_keys(shared, key) if shared is not None else ())]
    return [copy for copy in known if copy.project in keys]


def _of_project(app: App) -> list[ExternalStoreCopy]:
    stores, key = app.settings.stores_folder, app.project_identity.key
    return [
        copy
        for store in copies_folder.store_ids_with_folder(stores)
        for copy in copies_folder.list_copies(stores, store)
        if copy.project == key
        and copy.root != app.layout.store_root
        and not copy.is_copied_store_present
    ]


def describe_lost_store(app: App, copy: ExternalStoreCopy) -> str:
    """Return a sentence that the store is gone, and which command restores ``copy``."""
    # Likely if the whole folder is gone, with its .gitignore.
    folder = os.path.join(app.layout.store_root, preflight.FOLDER)
    likely = "" if os.path.exists(os.path.join(folder, ".gitignore")) else _LIKELY
    back = f"{describe_store_copy(copy)} can be brought back: `{COMMAND}`."
    return f"The store of this project is gone{likely}; {back}"


def describe_store_copy(copy: ExternalStoreCopy) -> str:
    """Return a short text on what a copy holds: ``412 memories of 2026-11-21``."""
    is_counted = copy.memories != UNKNOWN
    many = quantity(copy.memories, "memory") if is_counted else "its memories"
    return f"{many} of {format_iso(copy.made_at)[:10]}"


def restore_newest_copy(
    app: App, old_store_suffix: str, *, strict: bool = False
) -> tuple[ExternalStoreCopy, str]:
    """Restore the newest undamaged copy of the store here; return it and the old store's new path.

    Copies of the store that was in this folder come first, then those of this project's stores gone
    from elsewhere; ``strict`` leaves out other projects. ``old_store_suffix`` is added to the old
    file's name. Raises NotFound if there is no copy, else what ``restore_store_copy`` raises.
    """
    root = app.layout.store_root
    failed: GitmemError | None = None
    copies = _own_copies(app) if strict else _copies_of_place(app)
    for copy in copies_folder.rank_copies(copies or _of_project(app), root):
        try:
            return copy, restore_store_copy(app, copy.path, old_store_suffix)
        except (StoreDamaged, NotFound, ForeignFile, Unavailable) as error:
            failed = error
    raise failed or NotFound(
        "There is no copy of this project's store outside the work tree.",
        "`gitmem backup --list` lists backups and copies.",
    )


def restore_store_copy(app: App, copy_path: str, old_store_suffix: str) -> str:
    """Restore a copy or backup here; return the path to which the old store was moved.

    ``old_store_suffix`` is added to the old file's name. Settings in the copy are restored if this
    project has none. Raises NotFound, StoreDamaged, ForeignFile, and InvalidInput for a wrong
    passphrase; then nothing was changed.
    """
    sealed = copies_folder.is_encrypted_copy(copy_path)
    content = outside_copy.decrypt_copy(copy_path, read_copy_passphrase(app)) if sealed else b""
    if not os.path.isfile(copy_path):
        raise NotFound(f"There is no file {copy_path}.", "Run `gitmem backup --list`.")
    former = app.local_config_file
    app.close_stores()
    app.forget_project_identity()  # it is stored in the store, and was derived without one
    preflight.create_store_folder(os.path.dirname(app.store_path))
    if sealed:
        aside_path = _restore_content(app, content, old_store_suffix)
    else:
        aside_path = restore.restore_store(copy_path, app.store_path, old_store_suffix, app.keys)
    if stores := app.settings.stores_folder:
        with suppress(OSError):
            registration.record_store_location(stores, app.layout.store_root, current_store_id(app))
    if settings := settings_file.restore_settings_from_store(app):
        app.say(f"Its settings were brought back: {settings}")
    if sentence := settings_file.describe_changed_settings(app, former):
        app.say(sentence)
    return aside_path


def _restore_content(app: App, content: bytes, aside: str) -> str:
    path = app.store_path
    plain = f"{path}.unsealed"
    try:
        atomic_write.replace_file(plain, content, 0o600)
        return restore.restore_store(plain, app.store_path, aside, app.keys)
    except OSError as error:
        raise preflight.write_failure_error(error, f"The store {path}") from error
    finally:
        if os.path.lexists(plain):
            os.unlink(plain)


def describe_missing_store(app: App) -> str:
    """Return a sentence if this folder's store is gone and a copy exists, else empty."""
    try:
        copy = best_copy_of_lost_store(app)
    except GitmemError:
        return ""
    return "" if copy is None else describe_lost_store(app, copy)
