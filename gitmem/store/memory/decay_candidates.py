"""Reading what decay depends on, in batches: the use and age of memories, without their text."""

from __future__ import annotations

from collections.abc import Iterator

from gitmem.model.frozen import dataclass
from gitmem.store.db.connection import Database

BATCH = 2000
_SELECT = """SELECT m.seq, m.id, m.kind, m.pinned, m.importance,
  CASE WHEN m.superseded_by <> '' OR m.status IN ('superseded', 'deprecated') THEN 'superseded'
       WHEN m.status = 'proposed' THEN 'proposed' ELSE 'active' END,
  m.expires_at, m.created_at, m.updated_at, coalesce(u.count, 0), u.last_at,
  CASE WHEN instr(m.metadata, '"feedback"') THEN m.metadata ELSE '' END
FROM memories AS m LEFT JOIN usage AS u ON u.memory = m.id
WHERE m.seq > ? AND m.archived_at IS NULL ORDER BY m.seq LIMIT ?"""


@dataclass(frozen=True, slots=True)
class MemoryDecayRow:
    """What decides whether a memory is archived for want of use ("decays"); ``seq`` is its row.

    Times are milliseconds since 1970. ``accesses`` counts how often it was shown, ``last_at`` is
    when it last was. ``metadata`` is given only where it holds feedback of readers.
    """

    seq: int
    id: str
    kind: str
    pinned: int
    importance: float
    state: str
    expires_at: int | None
    created_at: int
    updated_at: int
    accesses: int
    last_at: int | None
    metadata: str = ""


def read_memory_decay_rows(database: Database, batch_size: int = BATCH) -> Iterator[MemoryDecayRow]:
    """Yield the row of every memory that is not archived, by row number."""
    last_row = 0
    while rows := database.rows(_SELECT, (last_row, batch_size)):
        for row in rows:
            yield MemoryDecayRow(*row)
        last_row = rows[-1][0]


def was_restored_from_archive(database: Database, memory_id: str) -> bool:
    """Whether a memory was ever restored from the archive."""
    restored = database.value(
        "SELECT 1 FROM versions WHERE memory = ? AND action = 'restored' LIMIT 1", (memory_id,)
    )
    return restored is not None


def row_numbers_archived_by_decay(database: Database, created_before_ms: int) -> list[int]:
    """The row numbers of memories made before a time (ms) that were archived for want of use.

    Memories that a stored summary stands for are left out.
    """
    return database.column(
        "SELECT m.seq FROM memories AS m JOIN versions AS v "
        "ON v.memory = m.id AND v.version = m.version - 1 AND v.action = 'faded' "
        "WHERE m.archived_at IS NOT NULL AND m.created_at < ? AND NOT EXISTS "
        "(SELECT 1 FROM links WHERE target = m.id AND relation = 'SUMMARISES') ORDER BY m.seq",
        (created_before_ms,),
    )
