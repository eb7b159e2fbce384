"""Applying an edit to each of several memories; a failure does not stop the others."""

from collections.abc import Callable
from typing import TypeVar

from gitmem.app import App
from gitmem.capture.change import edit_memory
from gitmem.errors import GitmemError, MemoryDamaged
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import short_ids

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MemoryEditOutcome:
    """What was done with a memory (``action``, a word such as ``archived``), or the error."""

    id: str
    action: str
    error: str


@dataclass(frozen=True, slots=True)
class MemoryEditOutcomes:
    """What was done with each of several memories, and how many failed."""

    items: tuple[MemoryEditOutcome, ...]
    failed: int


def edit_memories_by_prefix(
    app: App,
    id_prefixes: tuple[str, ...],
    action: str,
    make_edit: Callable[[Memory], Memory],
    edit_unreadable_by_id: Callable[[Database, str], None] | None = None,
    try_special_edit: Callable[[Database, Memory], bool] | None = None,
) -> MemoryEditOutcomes:
    """Edit several memories, each named by how its id begins; returns what was done with each.

    ``make_edit`` returns the new version, ``action`` is the word for the edit, such as
    ``archived``. Before it ``try_special_edit`` is called: if it returns True, it has done the
    edit. ``edit_unreadable_by_id`` gets store and id of a memory whose content cannot be read;
    without it that is an error. An error is part of the result; that of a single memory is raised.
    """

    def edit_by_prefix(id_prefix: str) -> MemoryEditOutcome:
        try:
            database, memory = short_ids.find_memory(app.stores(), id_prefix)
        except MemoryDamaged:
            if edit_unreadable_by_id is None:
                raise
            return edit_unreadable_memory(id_prefix, edit_unreadable_by_id)
        with database.write():
            if try_special_edit is None or not try_special_edit(database, memory):
                edit_memory(app, database, memory, make_edit, action)
        return MemoryEditOutcome(memory.id, action, "")

    def edit_unreadable_memory(
        id_prefix: str, edit_by_id: Callable[[Database, str], None]
    ) -> MemoryEditOutcome:
        database, id = short_ids.find_memory_id(app.stores(), id_prefix)
        with database.write():
            edit_by_id(database, id)
        return MemoryEditOutcome(id, action, "")

    items = apply_to_each_id_prefix(
        id_prefixes, edit_by_prefix, lambda text, error: MemoryEditOutcome(text, "", error)
    )
    return MemoryEditOutcomes(items, sum(1 for item in items if item.error))


def apply_to_each_id_prefix(
    id_prefixes: tuple[str, ...],
    make_outcome: Callable[[str], T],
    make_failure: Callable[[str, str], T],
) -> tuple[T, ...]:
    """The results of ``make_outcome(prefix)`` for each beginning of an id.

    Where it raises GitmemError, the result is ``make_failure(prefix, message)``; if there is a
    single prefix, the error is raised.
    """
    items = []
    for text in id_prefixes:
        try:
            items.append(make_outcome(text))
        except GitmemError as error:
            if len(id_prefixes) == 1:
                raise
            items.append(make_failure(text, error.message))
    return tuple(items)
