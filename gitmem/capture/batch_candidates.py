"""What each line of a batch is to be compared with: looked up at once, before the first is stored.

A full-text search behind a write makes SQLite write out its index first, and most words stand in
many lines: so each is looked up once, and lines are held against each other in memory. What another
process stores meanwhile is only compared word for word.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.capture import near_duplicates
from gitmem.errors import GitmemError
from gitmem.memory import dedupe
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories

_EMBEDDED = 512


class BatchCandidates:
    """The memories of a batch that go to one store, in the order in which they are stored."""

    def __init__(self, database: Database, said: Sequence[Memory]) -> None:
        """Look up what is stored already, and which lines are like an earlier one."""
        self._database = database
        self._stored: list[int] = []
        known: dict[str, list[int]] = {}
        self._beside = [_alike(database, memory, known) for memory in said]
        self._texts = [near_duplicates.text(memory) for memory in said]
        self._before = dedupe.overlaps(self._texts, near_duplicates.WORDS, near_duplicates.COMPARED)
        self._compared = {at for at, rows in enumerate(self._beside) if rows}
        for at, earlier in enumerate(self._before):
            self._compared.update((at, *earlier) if earlier else ())

    def rows(self) -> list[int]:
        """The row numbers that the next line is to be compared with."""
        at = len(self._stored)
        if at % _EMBEDDED == 0:
            self._embed(at)
        earlier = (self._stored[place] for place in self._before[at])
        return [*dict.fromkeys((*self._beside[at], *earlier))]

    def stored(self, id: str) -> None:
        """Note what became of the next line: the memory that says it now."""
        self._stored.append(memories.row_of(self._database, id) or 0)

    def _embed(self, start: int) -> None:
        """The vectors that the next lines will ask for."""
        wanted: dict[str, None] = {}
        for at in range(start, min(start + _EMBEDDED, len(self._texts))):
            if at in self._compared:
                places = (at, *self._before[at])
                wanted.update(dict.fromkeys(self._texts[place] for place in places))
        near_duplicates.embed_ahead([*wanted])


def _alike(database: Database, memory: Memory, known: dict[str, list[int]]) -> list[int]:
    try:
        return near_duplicates.alike(database, memory, known)
    except GitmemError:
        # A text without words is like nothing.
        return []
