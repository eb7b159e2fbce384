"""Checks of the copies outside the work tree: where they are, their age, what is wrong."""

import os
from collections.abc import Iterator
from contextlib import suppress

from gitmem.app import App
from gitmem.clock import durations
from gitmem.doctor.finding import NOTE, OK, PROBLEM, CheckFinding
from gitmem.errors import GitmemError
from gitmem.maintenance import lost_store, outside_copies
from gitmem.store.db import preflight, projects
from gitmem.store.file import canonical_copy, copies_folder, copy_check, outside_copy, registration
from gitmem.store.file.copies_folder import ExternalStoreCopy
from gitmem.text.quantity import quantity

_MAKE = "`gitmem backup` makes one now."
_SHOWN = 3


def check_store_copies(app: App) -> Iterator[CheckFinding]:
    """Yield findings on the copies, outside the repository, of its memory database.

    They are made even if the database itself is damaged or missing.
    """
    if not app.has_store:
        if copy := lost_store.best_copy_of_lost_store(app):
            yield CheckFinding("copies", PROBLEM, lost_store.describe_lost_store(app, copy), "")
        return
    store = _store(app)
    folder = copies_folder.folder_of_copies(app.settings.stores_folder, store)
    if why := _unreadable(folder):
        yield CheckFinding("copies", PROBLEM, why, "Give yourself permission to read and write it.")
        return
    copies = copies_folder.list_copies(app.settings.stores_folder, store)
    own = [copy for copy in copies if copy.root in ("", app.layout.store_root)]
    yield _existing(app, folder, own) if own else _no_copy(app, store, folder)
    yield from _last_try(app)
    if missing := copies_folder.names_of_deleted_copies(folder):
        gone = quantity(len(missing), "that was made is gone", "that were made are gone")
        text = f"{gone}: {', '.join(missing[:_SHOWN])}"
        yield CheckFinding("copies", NOTE, f"{text} in {folder}", _MAKE)


def _store(app: App) -> str:
    """The id of the store at this place, from the user's data folder or the store itself."""
    registered = registration.store_id_at(app.settings.stores_folder, app.layout.store_root)
    with suppress(GitmemError):
        return app.store.store or registered
    return registered


def _unreadable(folder: str) -> str:
    try:
        if folder and os.path.lexists(folder):
            os.listdir(folder)
    except OSError as error:
        return f"the copies in {folder} cannot be read: {error.strerror}"
    return ""


def _no_copy(app: App, store: str, folder: str) -> CheckFinding:
    """The finding where there is no copy of the store at this place, with the reason."""
    if app.settings.text("copy.mode") == "off":
        text, hint = "none outside the work tree: copy.mode is off", ""
    elif not registration.read_store_key(app.settings.stores_folder, store):
        text = "none outside the work tree: no data folder of yours holds the key of this store"
        hint = "Check where GITMEM_HOME points, and that the folder is permanent."
    else:
        text, hint = f"none yet outside the work tree; they go to {folder}", _MAKE
    return CheckFinding("copies", NOTE, text, hint)


def _existing(app: App, folder: str, own: list[ExternalStoreCopy]) -> CheckFinding:
    newest = max(own, key=lambda copy: copy.made_at)
    age = durations.format_relative_time(newest.made_at, app.now, app.display_time_zone)
    text = f"{len(own)} outside the work tree, the newest made {age}, in {folder}"
    wrong = [f"{os.path.basename(copy.path)}: {why}" for copy in own if (why := _fault(app, copy))]
    if not wrong:
        return CheckFinding("copies", OK, text, "")
    text += f"; unusable: {'; '.join(wrong[:_SHOWN])}"
    state = PROBLEM if len(wrong) == len(own) else NOTE
    return CheckFinding("copies", state, text, _MAKE)


def _fault(app: App, copy: ExternalStoreCopy) -> str:
    """Why a copy could not be restored; empty: it could."""
    try:
        preflight.check_path_owner(copy.path, must_be_regular_file=True)
        if copy.is_encrypted:
            content = outside_copy.decrypt_copy(copy.path, outside_copies.read_copy_passphrase(app))
            canonical_copy.open_serialized_copy(content).close()
            return ""
        if problems := copy_check.copy_problems(copy.path):
            return problems[0]
        if why := copy_check.foreign_copy_reason(copy.path, app.keys):
            return why
        store = copy_check.copied_store_id(copy.path)
    except GitmemError as error:
        return error.message
    return "" if store == copy.store else "it is a copy of another store"


def _last_try(app: App) -> Iterator[CheckFinding]:
    with suppress(GitmemError):
        if problem := projects.get_meta(app.store, outside_copies.PROBLEM):
            yield CheckFinding(
                "copies", PROBLEM, f"the last one could not be made: {problem}", _MAKE
            )
