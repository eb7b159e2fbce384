"""The lines of a batch that are stored in one transaction, and what each is to be compared with.

All is looked up before the first line is written: a full-text search behind a write makes SQLite
write out its index first, and one word is asked for once instead of once for each line.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.capture import near_duplicates
from gitmem.errors import GitmemError
from gitmem.memory import dedupe
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories
from gitmem.store.memory.near_duplicates import COMMON


class Block:
    """The memories of one transaction in order. ``known`` is kept from one block to the next."""

    def __init__(
        self, database: Database, said: Sequence[Memory], known: dict[str, list[int]]
    ) -> None:
        """Look up what is stored already, and which lines are like an earlier one."""
        self._database = database
        self._stored: list[int] = []
        self._beside = [_alike(database, memory, known) for memory in said]
        texts = [near_duplicates.text(memory) for memory in said]
        self._before = dedupe.overlaps(texts, near_duplicates.WORDS)
        involved = {at for at, rows in enumerate(self._beside) if rows}
        for at, earlier in enumerate(self._before):
            involved.update((at, *earlier) if earlier else ())
        near_duplicates.embed_ahead([texts[at] for at in sorted(involved)])
        # A word that was common stays so; of the others more rows may be there by the next block.
        common = {word: rows for word, rows in known.items() if len(rows) == COMMON}
        known.clear()
        known.update(common)

    def rows(self) -> list[int]:
        """The row numbers that the next line is to be compared with."""
        at = len(self._stored)
        earlier = (self._stored[place] for place in self._before[at])
        return [*dict.fromkeys((*self._beside[at], *earlier))]

    def stored(self, id: str) -> None:
        """Note what became of the next line: the memory that says it now."""
        self._stored.append(memories.row_of(self._database, id) or 0)


def _alike(database: Database, memory: Memory, known: dict[str, list[int]]) -> list[int]:
    try:
        return near_duplicates.alike(database, memory, known)
    except GitmemError:
        # A text without words is like nothing.
        return []
