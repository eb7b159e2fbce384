"""A store that is gone although one stood here, and bringing it back from its copy outside.

``git clean -fdx`` removes ignored files, ``git stash --all`` takes them along: both take the store
with all backups beside it.
"""

import os

from gitmem.app import App
from gitmem.clock import iso
from gitmem.errors import GitmemError
from gitmem.maintenance.outside_copies import passphrase
from gitmem.store.db import preflight
from gitmem.store.file import copies_folder, outside_copy, registration, restore
from gitmem.store.file.copies_folder import UNKNOWN, OutsideCopy

COMMAND = "gitmem restore-backup --copy"


def here(app: App) -> OutsideCopy | None:
    """The copy of the store that stood in this place, of this project; None where none is gone."""
    if app.has_store:
        return None
    found = of_place(app)
    # Another project may have stood in this folder before.
    return found if found is not None and found.project in ("", app.identity.key) else None


def of_place(app: App) -> OutsideCopy | None:
    """The copy to go back to in this place, whichever project it is of."""
    stores, root = app.settings.stores_folder, app.layout.store_root
    store = registration.at(stores, root)
    return copies_folder.newest(copies_folder.stored(stores, store), root) if store else None


def of_project(app: App) -> OutsideCopy | None:
    """The newest copy of this project's stores at places where none stands any more."""
    stores, root = app.settings.stores_folder, app.layout.store_root
    key = app.identity.key
    gone = [
        one
        for store in copies_folder.known_stores(stores)
        for one in copies_folder.stored(stores, store)
        if one.project == key and one.root != root and not one.alive
    ]
    return copies_folder.newest(gone, root)


def sentence(app: App, copy: OutsideCopy) -> str:
    """What happened and which command brings the memories back, in one sentence."""
    # A folder that went as a whole was not taken by somebody who looked into it.
    folder = os.path.join(app.layout.store_root, preflight.FOLDER)
    likely = "" if os.path.exists(os.path.join(folder, ".gitignore")) else _LIKELY
    return (
        f"The store of this project is gone{likely}; {holds(copy)} can be brought back: `{COMMAND}`"
    )


_LIKELY = " (`git clean -x` and `git stash --all` take it)"


def holds(copy: OutsideCopy) -> str:
    """``412 memories of 2026-11-21``."""
    many = "its memories" if copy.memories == UNKNOWN else f"{copy.memories} memories"
    many = "1 memory" if copy.memories == 1 else many
    return f"{many} of {iso(copy.made_at)[:10]}"


def bring_back(app: App, path: str, aside: str) -> None:
    """Give this place the content of a copy or a backup; what stands here is kept as ``aside``.

    Raises NotFound, StoreDamaged, NotOurs, InvalidInput (another passphrase); then nothing is
    changed.
    """
    app.release()
    folder = os.path.dirname(app.store_path)
    preflight.create_folder(folder)
    if not copies_folder.is_sealed(path):
        restore.restore(path, app.store_path, aside)
        return
    plain = f"{app.store_path}.unsealed"
    try:
        outside_copy.plain_file(path, plain, lambda: passphrase(app))
        restore.restore(plain, app.store_path, aside)
    finally:
        if os.path.lexists(plain):
            os.unlink(plain)


def enter_place(app: App) -> None:
    """Note that the store that was brought back stands here."""
    from gitmem.maintenance.outside_copies import store_id  # noqa: PLC0415 - opens the store

    try:
        registration.note_place(app.settings.stores_folder, app.layout.store_root, store_id(app))
    except OSError as error:
        raise preflight.refused(error, "The data folder") from error


def told(app: App) -> str:
    """The sentence where the store of this place is gone, else empty; never an error."""
    try:
        copy = here(app)
    except GitmemError:
        return ""
    return "" if copy is None else sentence(app, copy)
