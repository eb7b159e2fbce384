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
class Outcome:
    """What was done with a memory (``action``, a word such as ``archived``), or the error."""

    id: str
    action: str
    error: str


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What was done with each memory, and how many failed."""

    items: tuple[Outcome, ...]
    failed: int


def edit_memories_by_prefix(
    app: App,
    id_prefixes: tuple[str, ...],
    action: str,
    edit: Callable[[Memory], Memory],
    on_unreadable: Callable[[Database, str], None] | None = None,
    edit_otherwise: Callable[[Database, Memory], bool] | None = None,
) -> Outcomes:
    """Store the edit of each of several memories, named by the beginning of its id.

    ``edit`` returns the new version, ``action`` is the word for what is done. ``on_unreadable`` is
    called, in a transaction, for a memory whose content cannot be read; without it that is an
    error. ``edit_otherwise`` is called first, in the transaction; if it returns True, it has done
    the edit. Errors are part of the result; if ``id_prefixes`` names one memory only, its error is
    raised.
    """

    def apply(text: str) -> Outcome:
        try:
            database, memory = short_ids.find_memory(app.stores(), text)
        except MemoryDamaged:
            if on_unreadable is None:
                raise
            return apply_unread(text, on_unreadable)
        with database.write():
            if edit_otherwise is None or not edit_otherwise(database, memory):
                edit_memory(app, database, memory, edit, action)
        return Outcome(memory.id, action, "")

    def apply_unread(text: str, do: Callable[[Database, str], None]) -> Outcome:
        database, id = short_ids.find_memory_id(app.stores(), text)
        with database.write():
            do(database, id)
        return Outcome(id, action, "")

    items = apply_to_each(id_prefixes, apply, lambda text, error: Outcome(text, "", error))
    return Outcomes(items, sum(1 for item in items if item.error))


def apply_to_each(
    id_prefixes: tuple[str, ...], apply: Callable[[str], T], make_failure: Callable[[str, str], T]
) -> tuple[T, ...]:
    """``apply(text)`` for each text; where it raises GitmemError, ``failed(text, message)``.

    If there is one text only, its error is raised.
    """
    items = []
    for text in id_prefixes:
        try:
            items.append(apply(text))
        except GitmemError as error:
            if len(id_prefixes) == 1:
                raise
            items.append(make_failure(text, error.message))
    return tuple(items)
