"""A new store of what can be read: in the damaged one, in its backups, in an export."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress

from gitmem.app import App
from gitmem.capture.importer import Intake, Problem, Record
from gitmem.errors import ForeignStore, GitmemError, NotFound, StoreTooNew, Unavailable
from gitmem.files.plain_file import open_plain
from gitmem.maintenance.backups import dated
from gitmem.memory import export_format
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Link, Memory
from gitmem.store.db import preflight, projects, seals
from gitmem.store.file import (
    backup,
    copies_folder,
    copy_check,
    exchange,
    integrity,
    leftovers,
    rebuild,
    registration,
    salvage,
)
from gitmem.store.file import restore as restoring
from gitmem.store.file.foreign_log import has_foreign_log
from gitmem.store.file.opening import foreign, open_store
from gitmem.store.file.rebuild import Merged
from gitmem.store.file.registration import KEY_BYTES
from gitmem.store.file.salvage import Salvaged

ASIDE = "before-recover"


@dataclass(frozen=True, slots=True)
class Source:
    """A file that memories were taken from, and how many."""

    path: str
    memories: int


@dataclass(frozen=True, slots=True)
class Replaced:
    """A memory that was here, and the version that took its place, which its history keeps."""

    id: str
    version: int
    headline: str
    new_version: int
    new_headline: str


@dataclass(frozen=True, slots=True)
class Recovery:
    """What became of the store: see ``operations.maintenance.recover``."""

    whole: bool
    kept: int
    restored: tuple[Source, ...] = ()
    lost: tuple[str, ...] = ()
    aside: str = ""
    foreign: tuple[Source, ...] = ()
    replaced: tuple[Replaced, ...] = ()
    problems: tuple[Problem, ...] = ()
    strange: tuple[str, ...] = ()


def recover(app: App, export: str, *, scope: str, trust: bool, dry_run: bool) -> Recovery:
    """Put a new store in the place of the damaged one, which is moved aside.

    ``export``: the path of a file that `gitmem export` wrote, or empty; what it says of who said
    what counts where this store sealed it, or with ``trust``. ``scope``: "project" for the
    repository's store, "global" for the user's own. Raises NotFound where there is nothing at
    all to read, ForeignStore where the store is not the user's, StoreBusy while somebody writes,
    StoreTooNew, Unavailable without a home folder.
    """
    path, root = _place(app, scope)
    # Before anything is changed: a file that cannot be read stops all.
    given = _records(app, export)
    app.release()
    total = None
    if os.path.lexists(path) or exchange.finish(path):
        preflight.check_regular(path)
        if not dry_run and not has_foreign_log(path):
            restoring.refuse_busy(path)
        total = _whole(app, path)
        if total is not None and not export:
            return Recovery(True, total)
    read = list(_read(app, path))
    store = _store(app, root, [file for _, file in read])
    key = _key(app, root, store)
    elsewhere = _elsewhere(app, scope)
    records = given.records
    if scope == "global":
        records = [record for record in records if _is_of_own(record[1], elsewhere)]
    own = trust or given.sealed_with(key)
    if total is not None:
        return _taken(app, Recovery(True, total), records, export, own, scope, dry_run)
    if not key and not root:  # what lies in the user's data folder is theirs, with its key or not
        files = [file for _, file in read]
    else:
        files = [salvage.own(file, key, store, present=place == path) for place, file in read]
    merged = rebuild.merge(files, elsewhere)
    ids = {record.id for _, record in records if isinstance(record, Memory)}
    gone = {str(row[0]) for row in merged.tables["tombstones"].values()} | elsewhere
    older = _unsealed(read, store, {*merged.memories, *ids, *gone}) if key else {}
    if not (merged.memories or ids or older) and not any(file.note("store") for file in files):
        raise NotFound(
            f"There is nothing to recover: neither {path} nor a backup of it can be read.",
            "Run `gitmem init` for an empty store, or give an export with --from.",
        )
    done = _told(read, files, merged, older)
    if dry_run:
        done = replace(done, lost=_lost(done, ids))
        done = _with(done, Source(export, len(ids - merged.memories.keys() - gone)), own)
        for place, memories in older.items():
            done = replace(done, lost=_lost(done, {memory.id for memory in memories}))
            done = _with(done, Source(place, len(memories)), False)
        return done
    aside = _replace(app, path, root, merged, store)
    done = _taken(app, replace(done, aside=aside), records, export, own, scope, False)
    for place, memories in older.items():
        rest: list[Record] = [(0, memory) for memory in memories]
        done = _taken(app, done, rest, place, False, scope, False)
    return done


def _unsealed(
    read: Sequence[tuple[str, Salvaged]], store: str, known: Set[str]
) -> dict[str, list[Memory]]:
    """By file, the memories that nobody sealed and that are not ``known``, each once."""
    seen, by_place = set(known), dict[str, list[Memory]]()
    for place, file in read:
        fresh = [one for one in salvage.unsealed(file, store) if one.id not in seen]
        seen.update(memory.id for memory in fresh)
        if fresh:
            by_place[place] = fresh
    return by_place


def _taken(
    app: App,
    done: Recovery,
    records: list[Record],
    source: str,
    own: bool,
    scope: str,
    dry_run: bool,
) -> Recovery:
    """``done``, with what became of some records: taken as they say, or as foreign."""
    if not records:
        return done
    counts = dict.fromkeys(("added", "updated", "unchanged", "links", "purged"), 0)
    replaced, problems = list[tuple[Memory, Memory]](), list[Problem]()
    only = scope if scope == "global" else ""
    Intake(app, own, dry_run, counts, problems, set(), set(), replaced, only).take(records)
    ids = {record.id for _, record in records if isinstance(record, Memory)}
    done = replace(
        done,
        lost=_lost(done, ids),
        replaced=(*done.replaced, *(_replacement(*pair) for pair in replaced)),
        problems=(*done.problems, *sorted(problems, key=lambda one: one.line)),
    )
    return _with(done, Source(source, counts["added"]), own)


def _with(done: Recovery, source: Source, own: bool) -> Recovery:
    """``done``, with what a file added: as it says, or as foreign."""
    if not source.memories:
        return done
    if own:
        return replace(done, restored=(*done.restored, source))
    return replace(done, foreign=(*done.foreign, source))


def _lost(done: Recovery, ids: Set[str]) -> tuple[str, ...]:
    return tuple(id for id in done.lost if id not in ids)


def _replacement(old: Memory, new: Memory) -> Replaced:
    return Replaced(old.id, old.version, old.headline, new.version, new.headline)


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
    present = salvage.salvage(_bytes(path), _bytes(path + "-wal"))
    yield path, present
    copies = backup.stored(path)
    if path != app.settings.user_store:
        copies += _copies(app, present.note("store"))
    for copy in sorted(copies, key=os.path.getmtime, reverse=True):
        with suppress(GitmemError):
            preflight.check_regular(copy)
            yield copy, salvage.salvage(_bytes(copy))


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


@dataclass(frozen=True, slots=True)
class _Given:
    """An export: its records with the numbers of their lines, its first line, and the rest."""

    records: list[Record]
    header: str
    body: bytes

    def sealed_with(self, key: bytes) -> bool:
        """Whether the store with this key wrote it just as it is."""
        known = export_format.seals_of(self.header)
        return bool(key) and seals.of_export(key, self.body) in known


def _records(app: App, export: str) -> _Given:
    """What an export holds; lines that are no records are left aside."""
    if not export:
        return _Given([], "", b"")
    if not os.path.isfile(export):
        raise NotFound(f"There is no file {export}.", "Name the file that `gitmem export` wrote.")
    largest = app.settings.number("memory.max_bytes")
    found = []
    try:
        with open_plain(export) as file:
            content = file.read()
    except OSError as error:
        raise Unavailable(
            f"{export} cannot be read: {error.strerror or error}.",
            "Give yourself the right to read it (`chmod u+r`), and run the command again.",
        ) from error
    lines = content.decode("utf-8-sig", "replace").split("\n")
    for number, line in enumerate(lines, 1):
        with suppress(GitmemError):
            record = export_format.read(line, max_bytes=largest) if line.strip() else None
            if record is not None:
                found.append((number, record))
    return _Given(found, lines[0], export_format.body(lines[1:]))


def _is_of_own(record: object, elsewhere: Set[str]) -> bool:
    """Whether a record is a global memory, or a link, which needs both its ends there."""
    if isinstance(record, Memory):
        return record.scope == "global" and record.id not in elsewhere
    return isinstance(record, Link)


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
    read: Sequence[tuple[str, Salvaged]],
    files: Sequence[Salvaged],
    merged: Merged,
    older: dict[str, list[Memory]],
) -> Recovery:
    """What the files gave back; what an export adds comes on top of it."""
    origins = list(merged.source.values())
    taken = [
        Source(path, origins.count(number))
        for number, (path, _) in enumerate(read)
        if number and number in origins
    ]
    strange = tuple(
        path
        for (path, file), own in zip(read, files, strict=True)
        if file.memories and not own.memories and path not in older
    )
    return Recovery(False, origins.count(0), tuple(taken), merged.lost, strange=strange)
