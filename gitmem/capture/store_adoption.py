"""Adopting a store that somebody else made, after a person has seen its contents."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from gitmem.app import App
from gitmem.errors import InvalidInput, StoreDamaged
from gitmem.memory import edit
from gitmem.model.memory import Memory
from gitmem.store.db import preflight
from gitmem.store.db.connection import Database
from gitmem.store.file import adoption, opening, settings_copy
from gitmem.store.memory import memories, memory_writes
from gitmem.store.memory.filters import MemoryFilter
from gitmem.text import toml_flat

MOST_SHOWN = 12
_ALL = MemoryFilter(states=())


Examination = tuple[str, str, str, int, int, int, tuple[str, ...], tuple[str, ...]]


def describe_store_contents(app: App) -> Examination:
    """What is in a store that somebody else made, for a person to see before adopting it.

    Returns (id, path, owner, number of memories, of decisions, of pinned memories, headlines, lines
    of settings). Raises as ``opening.open_store`` does, and ForeignFile if git tracks the store.
    """
    app.refuse_tracked_store()
    path = app.store_path
    with _copy(path) as copy:
        return _examined(app, copy, path)


@contextmanager
def _copy(path: str) -> Iterator[str]:
    """A private copy, since opening a store of an older gitmem migrates it."""
    opening.read_store_id(path)  # raises where the store must not be opened
    with tempfile.TemporaryDirectory(prefix="gitmem-") as folder:
        copy = os.path.join(folder, preflight.FILE_NAME)
        for end in ("", "-wal"):
            if os.path.exists(path + end):
                shutil.copyfile(path + end, copy + end)
        os.chmod(copy, 0o600)
        yield copy


def _examined(app: App, copy: str, path: str) -> Examination:
    database = opening.open_store_for_adoption(copy, app.keys)
    try:
        return (
            database.store,
            path,
            _owner(path),
            memories.count_filtered_memories(database, _ALL),
            memories.count_filtered_memories(
                database, MemoryFilter(states=(), kinds=("decision",))
            ),
            memories.count_filtered_memories(database, MemoryFilter(states=(), pinned=True)),
            tuple(memory.headline for memory in _select_shown(database)),
            _settings(app, database),
        )
    finally:
        database.close()


def _settings(app: App, database: Database) -> tuple[str, ...]:
    """The settings beside the store and in it, or the error that stops reading them."""
    path = app.config_file_beside_store
    carried = settings_copy.read_settings_file_copy(database)[0].encode("utf-8", "surrogatepass")
    try:
        beside = (
            toml_flat.read_toml_bytes(path, require_private_file=True)
            if os.path.lexists(path)
            else b""
        )
        return (
            *toml_flat.toml_settings_as_lines(beside, path),
            *toml_flat.toml_settings_as_lines(carried, database.path),
        )
    except InvalidInput as error:
        return (error.message,)


def _select_shown(database: Database) -> list[Memory]:
    """The pinned memories, then the newest; none where some are damaged."""
    try:
        pinned = memories.select_memories(
            database, MemoryFilter(states=(), pinned=True), limit=MOST_SHOWN
        )
        newest = memories.select_memories(database, _ALL, limit=MOST_SHOWN)
    except StoreDamaged:
        return []
    pinned_ids = {memory.id for memory in pinned}
    return [*pinned, *(memory for memory in newest if memory.id not in pinned_ids)][:MOST_SHOWN]


def _owner(path: str) -> str:
    if os.name != "posix":
        return "you"
    import pwd  # noqa: PLC0415 - not on Windows

    number = os.lstat(path).st_uid
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def adopt_store(app: App, *, mark_as_foreign: bool) -> int:
    """Make a store that somebody else made the user's own; returns how many memories were damaged.

    ``mark_as_foreign`` marks its memories as foreign: not shown unasked until a person accepts
    them.
    """
    database, damaged = adoption.adopt_store_as_own(
        app.store_path, app.keys, random_bytes=app.entropy
    )
    app.register_new_store(database)
    if mark_as_foreign:
        with database.write():
            for memory in list(memories.all_memories(database)):
                if memory.trust_tier != "foreign":
                    new = edit.set_memory_trust_tier(memory, "foreign")
                    memory_writes.revise_memory(
                        database,
                        memory,
                        new,
                        at_ms=app.now,
                        action="marked foreign",
                        agent=app.agent,
                    )
    return damaged
