"""Copying the store outside the work tree, in the background, when something changed."""

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.errors import GitmemError, InvalidInput
from gitmem.maintenance import settings_file
from gitmem.maintenance.schedule import COPY_AT, COPY_COUNTER, is_outside_copy_due
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.store.file import outside_copy, registration
from gitmem.store.file.copies_folder import ExternalStoreCopy, StoreToCopy

_MAX_KEY_BYTES = 1 << 16
PROBLEM = "copy_problem"  # key in the store: why the last attempt failed


def copy_store_if_due(app: App) -> str:
    """Copy the store outside of the work tree if that is due; return the path, or empty.

    An error is not raised, but stored for ``gitmem status``.
    """
    if not is_outside_copy_due(app):
        return ""
    try:
        return copy_store_now(app).path
    except GitmemError as error:
        with app.store.write():
            # The next attempt comes after the interval, not with every command.
            projects.set_meta(app.store, COPY_AT, str(app.now))
            projects.set_meta(app.store, PROBLEM, error.message)
        return ""


def copy_store_now(app: App) -> ExternalStoreCopy:
    """Copy the store to the user's folder outside of the work tree; return the copy.

    Raises GitmemError; then earlier copies are as they were.
    """
    settings_file.copy_settings_into_store(app)
    store, identity = app.store, app.project_identity
    counter = projects.get_meta(store, "counter") or "0"
    source = StoreToCopy(
        store=current_store_id(app),
        path=app.store_path,
        root=app.layout.store_root,
        project=identity.key,
        name=identity.name,
    )
    store_copy = outside_copy.make_external_copy(
        app.settings.stores_folder,
        source,
        now_ms=app.now,
        file_name_timestamp=timestamp_for_file_name(app),
        passphrase=read_copy_passphrase(app)
        if app.settings.text("copy.mode") == "encrypted"
        else b"",
        random_bytes=app.entropy,
    )
    with store.write():
        projects.set_meta(store, COPY_COUNTER, counter)
        projects.set_meta(store, COPY_AT, str(app.now))
        projects.set_meta(store, PROBLEM, "")
    return store_copy


def purge_memories_from_copies(
    app: App, store: Database, memory_ids: list[str]
) -> tuple[list[str], list[str]]:
    """Delete memories, by id, from the copies of ``store`` outside of the work tree.

    Returns the paths of the copies that were cleaned, and of those that could not be.
    """
    return outside_copy.purge_from_external_copies(
        app.settings.stores_folder,
        projects.get_meta(store, "store") or "",
        memory_ids,
        now_ms=app.now,
        get_passphrase=lambda: read_copy_passphrase(app),
        random_bytes=app.entropy,
    )


def has_outside_copies(app: App) -> bool:
    """Return whether this store is copied: copies are on, and it is the user's own."""
    if app.settings.text("copy.mode") == "off" or app.store.read_only:
        return False
    stores = app.settings.stores_folder
    return bool(stores and registration.read_store_key(stores, current_store_id(app)))


def current_store_id(app: App) -> str:
    """Return the id of the store that is open here; empty if it has none."""
    return projects.get_meta(app.store, "store") or ""


def timestamp_for_file_name(app: App) -> str:
    """Return the present time in UTC as in file names: ``20261121T093000Z``."""
    return format_iso(app.now).replace("-", "").replace(":", "")


def read_copy_passphrase(app: App) -> bytes:
    """Return the passphrase of encrypted copies, from the environment or ``copy.key_file``.

    Raises InvalidInput if there is none or the file cannot be read.
    """
    if given := app.settings.encrypted_copy_passphrase:
        return given.encode("utf-8", "surrogateescape")
    path = app.settings.text("copy.key_file")
    if not path:
        raise InvalidInput(
            "Encrypted copies need a passphrase, and none is set.",
            "Set GITMEM_COPY_PASSPHRASE in the environment, or copy.key_file to a file of yours.",
        )
    try:
        with open(path, "rb") as file:
            content = file.read(_MAX_KEY_BYTES)
    except OSError as error:
        raise InvalidInput(
            f"The file {path}, which copy.key_file names, cannot be read: {error.strerror}.",
            "Put the file back, or set copy.key_file to another one.",
        ) from error
    if not content.strip():
        raise InvalidInput(
            f"The file {path}, which copy.key_file names, is empty.",
            "Write a passphrase to the file.",
        )
    return content.strip()
