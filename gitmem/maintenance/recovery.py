"""Rebuilding a store from the readable parts of a damaged one, its backups and an export."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress

from gitmem.app import App
from gitmem.capture.importer import ImportProblem, MemoryImportRun, Record
from gitmem.errors import GitmemError, NotFound, StoreTooNew, Unavailable, UntrustedStore
from gitmem.files.plain_file import open_regular_file
from gitmem.maintenance.backups import unused_backup_path
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
from gitmem.store.file.opening import (
    foreign_store_error,
    has_write_ahead_log_of_other_store,
    open_store,
)
from gitmem.store.file.rebuild import MergedStoreRows
from gitmem.store.file.registration import KEY_BYTES
from gitmem.store.file.salvage import SalvagedRows

ASIDE = "before-recover"


@dataclass(frozen=True, slots=True)
class RecoveredFile:
    """A file that memories were recovered from, and how many."""

    path: str
    memories: int


@dataclass(frozen=True, slots=True)
class ReplacedMemory:
    """A memory that a newer version from an export replaced; its history has the old one."""

    id: str
    version: int
    headline: str
    new_version: int
    new_headline: str


@dataclass(frozen=True, slots=True)
class StoreRecovery:
    """What recovering a damaged store saved, and from where.

    ``whole``: it was not damaged. ``kept`` counts memories read from it, ``restored`` and
    ``foreign`` (not trusted) those from other files; ``lost`` are ids that no file has, ``aside``
    is where the damaged file is, ``strange`` are files of another store.
    """

    whole: bool
    kept: int
    restored: tuple[RecoveredFile, ...] = ()
    lost: tuple[str, ...] = ()
    aside: str = ""
    foreign: tuple[RecoveredFile, ...] = ()
    replaced: tuple[ReplacedMemory, ...] = ()
    problems: tuple[ImportProblem, ...] = ()
    strange: tuple[str, ...] = ()


def recover_store(
    app: App, export_path: str, *, scope: str, trust_recovered: bool, dry_run: bool
) -> StoreRecovery:
    """Replace a damaged store by one rebuilt from all that can be read; move the old one aside.

    ``export_path`` is a file of ``gitmem export`` to read too, or empty; its memories are trusted
    if this store wrote it, or with ``trust_recovered``. ``scope`` is "project" or "global" (the
    user's own store); ``dry_run`` changes nothing. Raises NotFound if nothing can be read,
    UntrustedStore, StoreBusy, StoreTooNew, and Unavailable without a home.
    """
    path, root = _place(app, scope)
    given = _read_export(app, export_path)  # before anything is changed, as it may fail
    app.close_stores()
    total = None
    if os.path.lexists(path) or exchange.finish_store_replacement(path):
        preflight.check_path_owner(path, must_be_regular_file=True)
        if not dry_run and not has_write_ahead_log_of_other_store(path):
            restoring.refuse_busy_store(path)
        total = _count_if_whole(app, path)
        if total is not None and not export_path:
            return StoreRecovery(True, total)
    read = list(_salvage_files(app, path))
    store = _find_store_id(app, root, [file for _, file in read])
    key = _find_key(app, root, store)
    elsewhere = _elsewhere(app, scope)
    records = given.records
    if scope == "global":
        records = [record for record in records if _belongs_to_user(record[1], elsewhere)]
    own = trust_recovered or given.is_sealed_with(key)
    if total is not None:
        return _import_records(
            app, StoreRecovery(True, total), records, export_path, own, scope, dry_run
        )
    files = [file for _, file in read]
    if key or root:  # the user's data folder is theirs even without a key
        files = [
            salvage.salvaged_rows_of_store(file, key, store, is_current_store_file=place == path)
            for place, file in read
        ]
    merged = rebuild.merge_salvaged_rows(files, elsewhere)
    ids = {record.id for _, record in records if isinstance(record, Memory)}
    gone = {str(row[0]) for row in merged.tables["tombstones"].values()} | elsewhere
    older = _unsealed(read, store, {*merged.memories, *ids, *gone}) if key else {}
    has_store_id = any(file.meta_value("store") for file in files)
    if not (merged.memories or ids or older or has_store_id):
        raise NotFound(
            f"There is nothing to recover: neither {path} nor a backup of it can be read.",
            "Run `gitmem init` for an empty store, or give an export with --from.",
        )
    done = _describe(read, files, merged, older)
    if dry_run:
        source = RecoveredFile(export_path, len(ids - merged.memories.keys() - gone))
        done = _add_source(replace(done, lost=_still_lost(done, ids)), source, own)
        return _with_unsealed(done, older)
    aside = _put_in_place(app, path, root, merged, store)
    done = _import_records(app, replace(done, aside=aside), records, export_path, own, scope, False)
    for place, memories in older.items():
        rest: list[Record] = [(0, memory) for memory in memories]
        done = _import_records(app, done, rest, place, False, scope, False)
    return done


def _with_unsealed(done: StoreRecovery, older: Mapping[str, list[Memory]]) -> StoreRecovery:
    """What a dry run tells, with the memories that files hold without a seal."""
    for place, memories in older.items():
        done = replace(done, lost=_still_lost(done, {memory.id for memory in memories}))
        done = _add_source(done, RecoveredFile(place, len(memories)), False)
    return done


def _unsealed(
    read: Sequence[tuple[str, SalvagedRows]], store: str, known: Set[str]
) -> dict[str, list[Memory]]:
    """Path -> unsealed memories whose ids are not ``known``; each memory once."""
    ids, by_place = set(known), dict[str, list[Memory]]()
    for place, file in read:
        new_memories = [
            memory for memory in salvage.memories_without_seal(file, store) if memory.id not in ids
        ]
        ids.update(memory.id for memory in new_memories)
        if new_memories:
            by_place[place] = new_memories
    return by_place


def _import_records(
    app: App,
    done: StoreRecovery,
    records: list[Record],
    source: str,
    own: bool,
    scope: str,
    dry_run: bool,
) -> StoreRecovery:
    """Import records, as they are if they are the user's ``own``, else as foreign."""
    if not records:
        return done
    counts = dict.fromkeys(("added", "updated", "unchanged", "links", "purged"), 0)
    replaced, problems = list[tuple[Memory, Memory]](), list[ImportProblem]()
    only = scope if scope == "global" else ""
    MemoryImportRun(app, own, dry_run, counts, problems, set(), set(), replaced, only).store_batch(
        records
    )
    ids = {record.id for _, record in records if isinstance(record, Memory)}
    done = replace(
        done,
        lost=_still_lost(done, ids),
        replaced=(
            *done.replaced,
            *(
                ReplacedMemory(old.id, old.version, old.headline, new.version, new.headline)
                for old, new in replaced
            ),
        ),
        problems=(*done.problems, *sorted(problems, key=lambda problem: problem.line)),
    )
    return _add_source(done, RecoveredFile(source, counts["added"]), own)


def _add_source(done: StoreRecovery, source: RecoveredFile, own: bool) -> StoreRecovery:
    if not source.memories:
        return done
    if own:
        return replace(done, restored=(*done.restored, source))
    return replace(done, foreign=(*done.foreign, source))


def _still_lost(done: StoreRecovery, ids: Set[str]) -> tuple[str, ...]:
    return tuple(id for id in done.lost if id not in ids)


def _place(app: App, scope: str) -> tuple[str, str]:
    """The path of the store, and the folder it belongs to (empty for the user's own store)."""
    if scope == "project":
        app.refuse_tracked_store()
        return app.store_path, app.layout.store_root
    if not app.settings.user_store:
        raise Unavailable(
            "There is no home folder with global memories.",
            "Set HOME, or GITMEM_HOME to a folder of yours.",
        )
    return app.settings.user_store, ""


def _count_if_whole(app: App, path: str) -> int | None:
    """The number of memories in an undamaged store; None where something is damaged."""
    # In a copy, as SQLite would apply a log to the file, whatever is in it.
    with tempfile.TemporaryDirectory(prefix="gitmem-") as folder:
        copy = os.path.join(folder, os.path.basename(path))
        for side in ("", "-wal"):
            if os.path.exists(path + side):
                shutil.copyfile(path + side, copy + side)
        try:
            database = open_store(copy, app.keys)
        except UntrustedStore:
            return None  # decided later, by what can be read of it
        except StoreTooNew:
            if copy_check.has_gitmem_tables(copy):
                return None  # the version number itself is damaged
            raise
        except GitmemError:
            return None
        try:
            if integrity.structure_problems(database) or integrity.damaged_memories(database):
                return None
            return int(database.value("SELECT count(*) FROM memories"))
        except GitmemError:
            return None
        finally:
            database.close()


def _salvage_files(app: App, path: str) -> Iterator[tuple[str, SalvagedRows]]:
    """The readable rows of the present file, then of its backups, newest first."""
    present = salvage.salvage_rows(_read_bytes(path), _read_bytes(path + "-wal"))
    yield path, present
    copies = backup.list_backups(path)
    if path != app.settings.user_store:
        copies += _copies(app, present.meta_value("store"))
    for copy in sorted(copies, key=os.path.getmtime, reverse=True):
        with suppress(GitmemError):
            preflight.check_path_owner(copy, must_be_regular_file=True)
            yield copy, salvage.salvage_rows(_read_bytes(copy))


def _find_store_id(app: App, root: str, files: Sequence[SalvagedRows]) -> str:
    """The id of the store, from the user's data folder or its files; empty where unknown."""
    registered_id = registration.store_id_at(app.keys.stores_folder, root) if root else ""
    return registered_id or next(filter(None, (file.meta_value("store") for file in files)), "")


def _find_key(app: App, root: str, store: str) -> bytes:
    """The key with which the store's rows are sealed; empty where it has none yet.

    Raises UntrustedStore where nothing shows that the store is the user's.
    """
    if (
        key := registration.read_store_key(app.keys.stores_folder, store)
        or app.keys.environment_key
    ):
        return key
    if not root:
        return b""
    is_registered = projects.is_root_registered(app.global_store(), root)
    if store and not is_registered and not registration.store_id_at(app.keys.stores_folder, root):
        raise foreign_store_error(app.store_path)
    return b""


def _copies(app: App, store: str) -> list[str]:
    stores = app.settings.stores_folder
    store = store or registration.store_id_at(stores, app.layout.store_root)
    return [copy.path for copy in copies_folder.list_copies(stores, store) if not copy.is_encrypted]


def _read_bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _elsewhere(app: App, scope: str) -> set[str]:
    """Ids in the other store: a memory that moved there must not come back from a backup."""
    with suppress(GitmemError):
        other = app.global_store() if scope == "project" else app.store
        if other is not None:
            return {row[0] for row in other.rows("SELECT id FROM memories")}
    return set()


@dataclass(frozen=True, slots=True)
class _Export:
    """An export: its records with their line numbers, its first line, and the rest."""

    records: list[Record]
    header: str
    body: bytes

    def is_sealed_with(self, key: bytes) -> bool:
        """Return whether the store with this key wrote the export, and it is unchanged."""
        signatures = export_format.signatures_in_header(self.header)
        return bool(key) and seals.seal_of_export(key, self.body) in signatures


def _read_export(app: App, export: str) -> _Export:
    """Read an export; lines that are not records are ignored. Raises NotFound and Unavailable."""
    if not export:
        return _Export([], "", b"")
    if not os.path.isfile(export):
        raise NotFound(f"There is no file {export}.", "Name the file that `gitmem export` wrote.")
    largest = app.settings.number("memory.max_bytes")
    records = []
    try:
        with open_regular_file(export) as file:
            content = file.read()
    except OSError as error:
        raise Unavailable(
            f"{export} cannot be read: {error.strerror or error}.",
            "Give yourself the right to read it (`chmod u+r`), and run the command again.",
        ) from error
    lines = content.decode("utf-8-sig", "replace").split("\n")
    for number, line in enumerate(lines, 1):
        with suppress(GitmemError):
            record = (
                export_format.parse_export_line(line, max_bytes=largest) if line.strip() else None
            )
            if record is not None:
                records.append((number, record))
    return _Export(records, lines[0], export_format.signed_export_bytes(lines[1:]))


def _belongs_to_user(record: object, elsewhere: Set[str]) -> bool:
    """Whether a record is a global memory or a link, whose ends are checked later."""
    if isinstance(record, Memory):
        return record.scope == "global" and record.id not in elsewhere
    return isinstance(record, Link)


def _put_in_place(app: App, path: str, root: str, merged: MergedStoreRows, store: str) -> str:
    """Build the new store and exchange it with the old one; the old one's path."""
    folder = os.path.dirname(path)
    preflight.create_store_folder(folder)
    leftovers.remove_leftover_files(path, app.now)
    fresh = os.path.join(folder, f".new-{os.getpid()}-recovered.db")
    device = store or app.entropy(16).hex()
    key = app.keys.register_store(device, app.entropy(KEY_BYTES))
    try:
        restoring.delete_database(fresh)
        rebuild.write_merged_store(fresh, merged, key, now_ms=app.now, device_id=device)
        aside = unused_backup_path(app, ASIDE, path) if os.path.lexists(path) else ""
        exchange.replace_store_with_copy(fresh, path, aside or unused_backup_path(app, ASIDE, path))
        if root:
            app.keys.record_store_location(root, device)
    except OSError as error:
        raise preflight.write_failure_error(error, f"The store {path}") from error
    finally:
        with suppress(OSError):
            restoring.delete_database(fresh)
    return aside


def _describe(
    read: Sequence[tuple[str, SalvagedRows]],
    files: Sequence[SalvagedRows],
    merged: MergedStoreRows,
    older: dict[str, list[Memory]],
) -> StoreRecovery:
    """The result of the files alone, without an export."""
    origins = list(merged.file_numbers.values())
    taken = [
        RecoveredFile(path, origins.count(number))
        for number, (path, _) in enumerate(read)
        if number and number in origins
    ]
    strange = tuple(
        path
        for (path, file), own in zip(read, files, strict=True)
        if file.memories and not own.memories and path not in older
    )
    return StoreRecovery(False, origins.count(0), tuple(taken), merged.lost, strange=strange)
