"""A new store of what can be read: in the damaged one, in its backups, in an export."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress

from gitmem.app import App
from gitmem.capture.importer import Intake, Record
from gitmem.errors import ForeignStore, GitmemError, NotFound, StoreTooNew, Unavailable
from gitmem.maintenance.backups import dated
from gitmem.memory import export_format
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Link, Memory
from gitmem.store.db import preflight, projects
from gitmem.store.file import (
    backup,
    copies_folder,
    copy_check,
    exchange,
    integrity,
    leftovers,
    rebuild,
    registration,
)
from gitmem.store.file import restore as restoring
from gitmem.store.file.foreign_log import has_foreign_log
from gitmem.store.file.opening import foreign, open_store
from gitmem.store.file.rebuild import Merged
from gitmem.store.file.registration import KEY_BYTES
from gitmem.store.file.salvage import Salvaged, own, salvage

ASIDE = "before-recover"


@dataclass(frozen=True, slots=True)
class Source:
    """A file that memories were taken from, and how many."""

    path: str
    memories: int


@dataclass(frozen=True, slots=True)
class Recovery:
    """What became of the store: see ``operations.maintenance.recover``."""

    whole: bool
    kept: int
    restored: tuple[Source, ...]
    lost: tuple[str, ...]
    aside: str


def recover(app: App, export: str, *, scope: str, dry_run: bool) -> Recovery:
    """Put a new store in the place of the damaged one, which is moved aside.

    ``export``: the path of a file that `gitmem export` wrote, or empty; ``scope``: "project" for
    the repository's store, "global" for the user's own. Raises NotFound where there is nothing at
    all to read, ForeignStore where the store is not the user's, StoreBusy while somebody writes,
    StoreTooNew, Unavailable without a home folder.
    """
    path, root = _place(app, scope)
    # Before anything is changed: a file that cannot be read stops all.
    records = _records(app, export)
    app.release()
    if os.path.lexists(path) or exchange.finish(path):
        preflight.check_regular(path)
        if not dry_run and not has_foreign_log(path):
            restoring.refuse_busy(path)
        total = _whole(app, path)
        if total is not None and not export:
            return Recovery(True, total, (), (), "")
    read = list(_read(app, path))
    store = _store(app, root, [file for _, file in read])
    key = _key(app, root, store)
    if key or root:  # what lies in the user's data folder is theirs, even if its key is lost
        read = [(path, own(file, key)) for path, file in read]
    elsewhere = _elsewhere(app, scope)
    merged = rebuild.merge([file for _, file in read], elsewhere)
    if scope == "global":
        records = [one for one in records if _is_of_own(one[1], elsewhere)]
    ids = {record.id for _, record in records if isinstance(record, Memory)}
    if not merged.memories and not ids and not any(file.note("store") for _, file in read):
        raise NotFound(
            f"There is nothing to recover: neither {path} nor a backup of it can be read.",
            "Run `gitmem init` for an empty store, or give an export with --from.",
        )
    aside = ""
    if not dry_run:
        aside = _replace(app, path, root, merged, store)
        _import(app, records, scope)
    return _told(read, merged, ids, export, aside)


def _place(app: App, scope: str) -> tuple[str, str]:
    """The store's file, and the folder it belongs to; empty for the user's own store."""
    if scope == "project":
        app.refuse_tracked()
        return app.store_path, app.layout.store_root
    if not app.settings.user_store:
        raise Unavailable(
            "There is no home folder with global memories.", "Set HOME or GITMEM_HOME."
        )
    return app.settings.user_store, ""


def _whole(app: App, path: str) -> int | None:
    """How many memories a store holds in which nothing of the user's is damaged; None: it is."""
    # Looked at in a copy: SQLite would write a log into the file, whatever stands in either.
    with tempfile.TemporaryDirectory(prefix="gitmem-") as folder:
        copy = os.path.join(folder, os.path.basename(path))
        for side in ("", "-wal"):
            if os.path.exists(path + side):
                shutil.copyfile(path + side, copy + side)
        try:
            database = open_store(copy, app.keys)
        except ForeignStore:
            return None  # whose it is is judged by what can be read of it
        except StoreTooNew:
            if copy_check.has_our_tables(copy):
                return None  # the number in its header is what is damaged
            raise
        except GitmemError:
            return None
        try:
            if integrity.structure(database) or integrity.damaged_memories(database):
                return None
            return int(database.value("SELECT count(*) FROM memories"))
        except GitmemError:
            return None
        finally:
            database.close()


def _read(app: App, path: str) -> Iterator[tuple[str, Salvaged]]:
    """The present file, then its backups from the newest to the oldest, as far as they are."""
    present = salvage(_bytes(path), _bytes(path + "-wal"))
    yield path, present
    copies = backup.stored(path)
    if path != app.settings.user_store:
        copies += _copies(app, present.note("store"))
    for copy in sorted(copies, key=os.path.getmtime, reverse=True):
        with suppress(GitmemError):
            preflight.check_regular(copy)
            yield copy, salvage(_bytes(copy))


def _store(app: App, root: str, files: Sequence[Salvaged]) -> str:
    """The id of the store, as its files or the user's data folder know it; empty: nobody does."""
    known = registration.at(app.keys.stores, root) if root else ""
    return known or next(filter(None, (file.note("store") for file in files)), "")


def _key(app: App, root: str, store: str) -> bytes:
    """The key of the store, with which what was written here is sealed; empty: it has none yet.

    Raises ForeignStore where nothing says that the store is the user's.
    """
    if found := registration.key(app.keys.stores, store) or app.keys.given:
        return found
    if not root:
        return b""
    known = projects.knows_root(app.global_store(), root)
    if store and not known and not registration.at(app.keys.stores, root):
        raise foreign(app.store_path)
    return b""


def _copies(app: App, store: str) -> list[str]:
    """The copies of the store that lie outside of the repository."""
    stores = app.settings.stores_folder
    store = store or registration.at(stores, app.layout.store_root)
    return [one.path for one in copies_folder.stored(stores, store) if not one.sealed]


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _elsewhere(app: App, scope: str) -> set[str]:
    """Memories of the other store: one that moved there comes back here from no backup."""
    with suppress(GitmemError):
        other = app.global_store() if scope == "project" else app.store
        if other is not None:
            return {row[0] for row in other.rows("SELECT id FROM memories")}
    return set()


def _records(app: App, export: str) -> list[Record]:
    """The records of an export; lines that are none are left aside."""
    if not export:
        return []
    if not os.path.isfile(export):
        raise NotFound(f"There is no file {export}.", "Name the file that `gitmem export` wrote.")
    largest = app.settings.number("memory.max_bytes")
    found = []
    for number, line in enumerate(_bytes(export).decode("utf-8-sig", "replace").split("\n"), 1):
        with suppress(GitmemError):
            record = export_format.read(line, max_bytes=largest) if line.strip() else None
            if record is not None:
                found.append((number, record))
    return found


def _is_of_own(record: object, elsewhere: Set[str]) -> bool:
    """Whether a record is a global memory, or a link, which needs both its ends there."""
    if isinstance(record, Memory):
        return record.scope == "global" and record.id not in elsewhere
    return isinstance(record, Link)


def _import(app: App, records: list[Record], scope: str) -> None:
    if records:
        counts = dict.fromkeys(("added", "updated", "unchanged", "links", "purged"), 0)
        only = scope if scope == "global" else ""
        Intake(app, True, False, counts, [], set(), set(), only).take(records)


def _replace(app: App, path: str, root: str, merged: Merged, store: str) -> str:
    """Make the new store, move the old one aside, put the new one there; where the old one is."""
    folder = os.path.dirname(path)
    preflight.create_folder(folder)
    leftovers.remove(path, app.now)
    fresh = os.path.join(folder, f".new-{os.getpid()}-recovered.db")
    device = store or app.entropy(16).hex()
    key = app.keys.register(device, app.entropy(KEY_BYTES))
    try:
        restoring.clear(fresh)
        rebuild.build(fresh, merged, key, now=app.now, device=device)
        aside = dated(app, ASIDE, path) if os.path.lexists(path) else ""
        exchange.exchange(fresh, path, aside or dated(app, ASIDE, path))
        if root:
            app.keys.note_place(root, device)
    except OSError as error:
        raise preflight.refused(error, f"The store {path}") from error
    finally:
        with suppress(OSError):
            restoring.clear(fresh)
    return aside


def _told(
    read: Sequence[tuple[str, Salvaged]], merged: Merged, ids: set[str], export: str, aside: str
) -> Recovery:
    origins = list(merged.source.values())
    taken = [
        Source(path, origins.count(number))
        for number, (path, _) in enumerate(read)
        if number and number in origins
    ]
    buried = {row[0] for row in merged.tables["tombstones"].values()}
    if extra := len(ids - merged.memories.keys() - buried):
        taken.append(Source(export, extra))
    lost = tuple(id for id in merged.lost if id not in ids)
    return Recovery(False, origins.count(0), tuple(taken), lost, aside)
