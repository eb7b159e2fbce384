"""Checks of the stores: journal, permissions, structure, hashes, derived rows, backups."""

import os
from collections.abc import Iterator

from gitmem.app import App
from gitmem.doctor.finding import FIXED, NOTE, OK, PROBLEM, CheckFinding
from gitmem.indexing import refresh
from gitmem.store.code import indexed_files
from gitmem.store.db import preflight
from gitmem.store.db.connection import Database
from gitmem.store.file import backup, copy_check, integrity, leftovers, recognition
from gitmem.store.memory import derived_rows, memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import exchanges
from gitmem.text.quantity import quantity

_RECOVER = "`gitmem recover` makes a new store of what can be read and of the backups."


def check_project_store(app: App, fix: bool) -> Iterator[CheckFinding]:
    """Yield findings on the repository's memory database: journal, permissions, content, backups.

    ``fix``: permissions, rows made from others, and leftover files are repaired.
    """
    for problem in preflight.find_foreign_files(os.path.dirname(app.store_path), recursive=True):
        yield CheckFinding("folder", PROBLEM, problem.message, problem.hint)
    store = app.store
    yield _journal(app, store)
    yield from _permissions(store, fix)
    yield from _content(app, fix)
    yield _backups(app)
    yield from _leftovers(app, fix)


def _backups(app: App) -> CheckFinding:
    copies = backup.list_backups(app.store_path)
    if not copies:
        return CheckFinding("backups", NOTE, "0 backups", "`gitmem backup` creates one.")
    bad = [
        os.path.basename(path)
        for path in copies
        if copy_check.copy_problems(path) or copy_check.foreign_copy_reason(path, app.keys)
    ]
    if len(bad) == len(copies):
        text = f"{quantity(len(copies), 'backup')}, none of which is whole and yours"
        return CheckFinding("backups", PROBLEM, text, "`gitmem backup` makes one.")
    text = quantity(len(copies), "backup")
    if not bad:
        return CheckFinding("backups", OK, f"{text}, all whole and yours", "")
    text += f"; damaged or not made by your store: {', '.join(bad[:3])}"
    return CheckFinding("backups", NOTE, text, "`gitmem restore-backup` skips them.")


def _leftovers(app: App, fix: bool) -> Iterator[CheckFinding]:
    """Temporary files that killed processes left behind."""
    left = leftovers.find_leftover_files(app.store_path, app.now)
    if not left:
        return
    gone = leftovers.remove_leftover_files(app.store_path, app.now) if fix else []
    files = quantity(len(left), "file")
    text = f"{files} of processes that were killed: {os.path.basename(left[0])}"
    if len(gone) == len(left):
        yield CheckFinding("leftovers", FIXED, f"deleted {text}", "")
    else:
        yield CheckFinding("leftovers", NOTE, text, "`gitmem doctor --fix` deletes them.")


def check_user_store(app: App) -> Iterator[CheckFinding]:
    """Yield a finding on the user's database of memories for all projects."""
    shared = app.global_store()
    if shared is None:
        yield CheckFinding("global store", NOTE, "does not exist yet", "`gitmem init` creates it.")
        return
    wrong = [*integrity.structure_problems(shared), *integrity.damaged_memories(shared)]
    if wrong:
        yield CheckFinding("global store", PROBLEM, "; ".join(wrong[:3]), recognition.MEND_SHARED)
        return
    total = memories.count_filtered_memories(shared, MemoryFilter(states=()))
    yield CheckFinding("global store", OK, f"{quantity(total, 'memory')} at {shared.path}", "")


def _journal(app: App, store: Database) -> CheckFinding:
    mode = store.journal_mode
    kind = preflight.file_system_type(os.path.dirname(app.store_path)) or "unknown"
    text = f"journal {mode} on a {kind} file system"
    if store.read_only:
        return CheckFinding(
            "store", NOTE, f"{text}, read only", "Writing commands will be refused."
        )
    if mode == "wal" and preflight.choose_journal_mode(os.path.dirname(app.store_path)) == "delete":
        return CheckFinding(
            "store",
            PROBLEM,
            f"{text}, which has no shared memory between machines",
            "It gets a rollback journal as soon as no other process has it open: end these, then "
            "run any command.",
        )
    return CheckFinding("store", OK, text, "")


def _permissions(store: Database, fix: bool) -> Iterator[CheckFinding]:
    loose = integrity.files_readable_by_others(store.path)
    if not loose:
        yield CheckFinding("permissions", OK, "only you can read the store", "")
    elif fix:
        integrity.tighten_permissions(loose)
        yield CheckFinding("permissions", FIXED, f"made {quantity(len(loose), 'file')} private", "")
    else:
        text = f"others can read {', '.join(os.path.basename(path) for path in loose)}"
        yield CheckFinding(
            "permissions", PROBLEM, text, "`gitmem doctor --fix` makes them private."
        )


def _content(app: App, fix: bool) -> Iterator[CheckFinding]:
    store = app.store
    structure = integrity.structure_problems(store)
    if structure:
        yield CheckFinding("structure", PROBLEM, "; ".join(structure[:3]), _RECOVER)
        return
    yield CheckFinding("structure", OK, "the file's structure is intact", "")
    damaged = integrity.damaged_memories(store)
    if damaged:
        many = quantity(len(damaged), "memory does not match its", "memories do not match their")
        text = f"{many} hash: {', '.join(damaged[:3])}"
        yield CheckFinding("memories", PROBLEM, text, _RECOVER)
    elif store.foreign:
        text = quantity(
            len(store.foreign),
            "entry was not written by you and is left out",
            "entries were not written by you and are left out",
        )
        hint = "`gitmem trust --store` takes them over, if they are yours after all."
        yield CheckFinding("memories", PROBLEM, text, hint)
    else:
        total = memories.count_filtered_memories(store, MemoryFilter(states=()))
        match = quantity(total, "memory matches its hash", "memories match their hashes")
        yield CheckFinding("memories", OK, match, "")
    yield _derived(app, fix)


def _derived(app: App, fix: bool) -> CheckFinding:
    """The derived rows: the full-text index and what an index run makes."""
    wrong = integrity.index_problems(app.store)
    if not wrong:
        return CheckFinding("index", OK, "the full-text index contains every memory", "")
    text = "; ".join(wrong)
    if not fix:
        return CheckFinding("index", PROBLEM, text, "`gitmem doctor --fix` rebuilds it.")
    with app.store.write():
        integrity.rebuild_index(app.store)
        exchanges.rebuild_exchange_text_index(app.store)
    if integrity.index_problems(app.store):
        # The fault is not in the index of memories, so in that of files and commits.
        _rebuild_sources(app)
    left = integrity.index_problems(app.store)
    if left:
        return CheckFinding("index", PROBLEM, f"could not be repaired: {'; '.join(left)}", _RECOVER)
    return CheckFinding("index", FIXED, f"rebuilt: {text}", "")


def _rebuild_sources(app: App) -> None:
    was_there = bool(indexed_files.indexed_worktrees(app.store))
    with app.store.write():
        derived_rows.delete_indexed_files_and_commits(app.store)
    if was_there:
        refresh.refresh_index(app)
