"""A store that is gone although one stood here, and bringing it back from its copy outside.

``git clean -fdx`` removes ignored files, ``git stash --all`` takes them along: both take the store
with all backups beside it.
"""

import os
from contextlib import suppress

from gitmem.app import App
from gitmem.clock import iso
from gitmem.errors import GitmemError, NotFound, NotOurs, StoreDamaged, Unavailable
from gitmem.files import atomic_write
from gitmem.maintenance import settings_file
from gitmem.maintenance.outside_copies import passphrase, store_id
from gitmem.store.db import preflight
from gitmem.store.file import copies_folder, outside_copy, registration, restore
from gitmem.store.file.copies_folder import UNKNOWN, OutsideCopy
from gitmem.text.quantity import quantity

COMMAND = "gitmem restore-backup --copy"
_LIKELY = " (`git clean -x` and `git stash --all` take it along)"


def here(app: App) -> OutsideCopy | None:
    """The copy of the store that stood in this place, of this project; None where none is gone."""
    if app.has_store:
        return None
    return next(iter(copies_folder.ranked(_own(app), app.layout.store_root)), None)


def of_place(app: App) -> OutsideCopy | None:
    """The copy to go back to in this place, whichever project it is of."""
    return next(iter(copies_folder.ranked(_known(app), app.layout.store_root)), None)


def of_project(app: App) -> OutsideCopy | None:
    """The newest copy of this project's stores at places where none stands any more."""
    return next(iter(copies_folder.ranked(_of_project(app), app.layout.store_root)), None)


def copies(app: App) -> list[OutsideCopy]:
    """What can be brought back in this place, oldest first."""
    known = _known(app)
    return known if known or app.has_store else _of_project(app)


def _known(app: App) -> list[OutsideCopy]:
    """The copies of the store that stood at this path when last seen.

    Another repository may stand there now: a person decides whether it gets them.
    """
    stores = app.settings.stores_folder
    store = registration.noted(stores, app.layout.store_root).store
    return copies_folder.stored(stores, store) if store else []


def _own(app: App) -> list[OutsideCopy]:
    """Those of this project: another may have stood in this folder before."""
    known = _known(app)
    return [one for one in known if one.project in ("", app.identity.key)]


def _of_project(app: App) -> list[OutsideCopy]:
    stores, key = app.settings.stores_folder, app.identity.key
    return [
        one
        for store in copies_folder.known_stores(stores)
        for one in copies_folder.stored(stores, store)
        if one.project == key and one.root != app.layout.store_root and not one.alive
    ]


def sentence(app: App, copy: OutsideCopy) -> str:
    """What happened and which command brings the memories back, in one sentence."""
    # A folder that went as a whole was not taken by somebody who looked into it.
    folder = os.path.join(app.layout.store_root, preflight.FOLDER)
    likely = "" if os.path.exists(os.path.join(folder, ".gitignore")) else _LIKELY
    back = f"{holds(copy)} can be brought back: `{COMMAND}`."
    return f"The store of this project is gone{likely}; {back}"


def holds(copy: OutsideCopy) -> str:
    """``412 memories of 2026-11-21``."""
    known = copy.memories != UNKNOWN
    many = quantity(copy.memories, "memory") if known else "its memories"
    return f"{many} of {iso(copy.made_at)[:10]}"


def bring_back_newest(app: App, aside: str, *, strict: bool = False) -> tuple[OutsideCopy, str]:
    """Bring back the newest copy that is whole; which it is, and where what stood here is now.

    It is one of the store that stood here, else of this project's at a place where none stands any
    more; ``strict`` leaves out what stood here for another project. Raises NotFound where there is
    none, otherwise as ``bring_back`` does.
    """
    root = app.layout.store_root
    failed: GitmemError | None = None
    known = _own(app) if strict else _known(app)
    for copy in copies_folder.ranked(known or _of_project(app), root):
        try:
            return copy, bring_back(app, copy.path, aside)
        except (StoreDamaged, NotFound, NotOurs, Unavailable) as error:
            failed = error
    raise failed or NotFound(
        "There is no copy of this project's store outside the work tree.",
        "`gitmem backup --list` lists what there is.",
    )


def bring_back(app: App, path: str, aside: str) -> str:
    """Give this place the content of a copy or a backup; where what stood here is kept.

    The settings that it carries come back where there are none. Raises NotFound, StoreDamaged,
    NotOurs, InvalidInput (another passphrase); then nothing is changed.
    """
    sealed = copies_folder.is_sealed(path)
    content = outside_copy.unsealed(path, passphrase(app)) if sealed else b""
    if not os.path.isfile(path):
        raise NotFound(f"There is no file {path}.", "Run `gitmem backup --list`.")
    former = app.local_config_file
    app.release()
    app.forget_identity()  # it is kept in the store, and was found without one
    preflight.create_folder(os.path.dirname(app.store_path))
    if sealed:
        kept = _restore_content(app, content, aside)
    else:
        kept = restore.restore(path, app.store_path, aside, app.keys)
    _enter_place(app)
    if settings := settings_file.bring_back(app):
        app.say(f"Its settings were brought back: {settings}")
    if sentence := settings_file.left_behind(app, former):
        app.say(sentence)
    return kept


def _restore_content(app: App, content: bytes, aside: str) -> str:
    path = app.store_path
    plain = f"{path}.unsealed"
    try:
        atomic_write.replace(plain, content, 0o600)
        return restore.restore(plain, app.store_path, aside, app.keys)
    except OSError as error:
        raise preflight.refused(error, f"The store {path}") from error
    finally:
        if os.path.lexists(plain):
            os.unlink(plain)


def _enter_place(app: App) -> None:
    """Note that the store that was brought back stands here."""
    stores = app.settings.stores_folder
    if stores:
        with suppress(OSError):
            registration.note_place(stores, app.layout.store_root, store_id(app))


def told(app: App) -> str:
    """The sentence where the store of this place is gone, else empty; never an error."""
    try:
        copy = here(app)
    except GitmemError:
        return ""
    return "" if copy is None else sentence(app, copy)
