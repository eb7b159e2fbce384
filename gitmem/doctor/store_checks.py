"""Doctor on the stores: journal, permissions, structure, hashes, the derived half, backups."""

import os
from collections.abc import Iterator

from gitmem.app import App
from gitmem.doctor.finding import FIXED, NOTE, OK, PROBLEM, Finding
from gitmem.indexing import refresh
from gitmem.store.code import indexed_files
from gitmem.store.db import preflight
from gitmem.store.db.connection import Database
from gitmem.store.file import backup, integrity
from gitmem.store.memory import derived_rows, memories
from gitmem.store.memory.filters import Filter

_RESTORE = "`gitmem restore-backup` restores the last backup."


def examine(app: App, fix: bool) -> Iterator[Finding]:
    """The repository's store."""
    store = app.store
    yield _journal(app, store)
    yield from _permissions(store, fix)
    yield from _content(app, fix)
    copies = backup.stored(app.store_path)
    hint = "" if copies else "`gitmem backup` creates one."
    yield Finding("backups", OK if copies else NOTE, f"{len(copies)} backups", hint)


def examine_shared(app: App) -> Iterator[Finding]:
    """The user's own store."""
    shared = app.global_store()
    if shared is None:
        yield Finding("global store", NOTE, "does not exist yet", "`gitmem init` creates it.")
        return
    wrong = [*integrity.structure(shared), *integrity.damaged_memories(shared)]
    if wrong:
        yield Finding("global store", PROBLEM, "; ".join(wrong[:3]), "Restore it from a backup.")
        return
    total = memories.count(shared, Filter(states=()))
    yield Finding("global store", OK, f"{total} memories at {shared.path}", "")


def _journal(app: App, store: Database) -> Finding:
    mode = store.journal_mode
    kind = preflight.file_system(os.path.dirname(app.store_path)) or "unknown"
    told = f"journal {mode} on a {kind} file system"
    if store.read_only:
        return Finding("store", NOTE, f"{told}, read only", "Writing commands will be refused.")
    if mode == "wal" and preflight.journal_mode(os.path.dirname(app.store_path)) == "delete":
        return Finding(
            "store",
            PROBLEM,
            f"{told}, which has no shared memory between machines",
            "Use the store from one machine only, or move the repository to a local disk.",
        )
    return Finding("store", OK, told, "")


def _permissions(store: Database, fix: bool) -> Iterator[Finding]:
    loose = integrity.loose_permissions(store.path)
    if not loose:
        yield Finding("permissions", OK, "only you can read the store", "")
    elif fix:
        integrity.tighten(loose)
        yield Finding("permissions", FIXED, f"made {len(loose)} files private", "")
    else:
        told = f"others can read {', '.join(os.path.basename(path) for path in loose)}"
        yield Finding("permissions", PROBLEM, told, "`gitmem doctor --fix` makes them private.")


def _content(app: App, fix: bool) -> Iterator[Finding]:
    store = app.store
    structure = integrity.structure(store)
    if structure:
        yield Finding("structure", PROBLEM, "; ".join(structure[:3]), _RESTORE)
        return
    yield Finding("structure", OK, "the file's structure is intact", "")
    damaged = integrity.damaged_memories(store)
    if damaged:
        told = f"{len(damaged)} memories do not match their hash: {', '.join(damaged[:3])}"
        yield Finding("memories", PROBLEM, told, _RESTORE)
        return
    if store.foreign:
        told = f"{len(store.foreign)} entries were not written by you and are left out"
        hint = "`gitmem trust --store` takes them over, if they are yours after all."
        yield Finding("memories", PROBLEM, told, hint)
    total = memories.count(store, Filter(states=()))
    yield Finding("memories", OK, f"{total} memories match their hashes", "")
    yield _derived(app, fix)


def _derived(app: App, fix: bool) -> Finding:
    """The half that is made from the rest: the full-text index and what an index run makes."""
    wrong = integrity.index_problems(app.store)
    if not wrong:
        return Finding("index", OK, "the full-text index contains every memory", "")
    told = "; ".join(wrong)
    if not fix:
        return Finding("index", PROBLEM, told, "`gitmem doctor --fix` rebuilds it.")
    integrity.rebuild_index(app.store)
    if integrity.index_problems(app.store):
        # Not that of the memories, so that of files and commits.
        _rebuild_sources(app)
    left = integrity.index_problems(app.store)
    if left:
        return Finding("index", PROBLEM, f"could not be repaired: {'; '.join(left)}", _RESTORE)
    return Finding("index", FIXED, f"rebuilt: {told}", "")


def _rebuild_sources(app: App) -> None:
    was_there = bool(indexed_files.trees(app.store))
    with app.store.write():
        derived_rows.empty_sources(app.store)
    if was_there:
        refresh.refresh(app)
