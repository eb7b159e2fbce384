"""Reading rows of tables with seals: rows that this store did not write are left out.

Memories have their own functions (``store.memory.memory_rows``), since they carry a hash too.
"""

from __future__ import annotations

from gitmem.model.exchange import Conversation, Exchange
from gitmem.model.memory import Link
from gitmem.model.session import Event, Session
from gitmem.store.db import seals
from gitmem.store.db.columns import columns_of_dataclass_fields

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.store.db.connection import Database, Row

# The sealed columns of each table; the first two identify a row.
SEALED = {
    "versions": ("memory", "version", "at", "action", "agent", "snapshot"),
    "links": Link.__slots__,
    "sessions": tuple(name for name in Session.__slots__ if name != "files"),
    "events": columns_of_dataclass_fields(Event.__slots__),
    "conversations": Conversation.__slots__,
    "exchanges": Exchange.__slots__,
}


def sealed_columns(table: str) -> str:
    """A table's columns with its seal, for a SELECT whose rows ``rows_with_valid_seal`` checks."""
    return ", ".join((*SEALED[table], "seal"))


def rows_with_valid_seal(database: Database, table: str, rows: Iterable[Row]) -> list[Row]:
    """The rows that this store wrote, without their seals (keyed hashes that prove it).

    ``rows`` have the columns of ``sealed_columns``. Rows of another writer are noted in
    ``database.foreign``.
    """
    accepted = []
    for row in rows:
        if seals.is_row_seal_valid(database, table, row[:-1], row[-1]):
            accepted.append(row[:-1])
        else:
            database.foreign.add((table, " ".join(map(str, row[:2]))))
    return accepted


def values_with_seal(
    database: Database, table: str, values: Sequence[object]
) -> tuple[object, ...]:
    """A row's values followed by its seal, a keyed hash that proves that this store wrote it."""
    return (*values, seals.seal_of_row(database, table, values))
