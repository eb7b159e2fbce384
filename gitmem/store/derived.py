"""The derived half: full-text rows and tag rows, made from the canonical rows and nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitmem.store import schema
from gitmem.text import identifiers

if TYPE_CHECKING:
    from gitmem.model.memory import Memory
    from gitmem.store.connection import Database


def index(database: Database, memory: Memory) -> None:
    """Write the derived rows of a memory that has none."""
    parts = " ".join(_inner_words(f"{memory.title} {memory.content} {' '.join(memory.paths)}"))
    database.connection.execute(
        "INSERT INTO memory_text (rowid, title, body, tags, parts) VALUES (?, ?, ?, ?, ?)",
        (memory.seq, memory.title, memory.content, " ".join(memory.tags), parts),
    )
    database.connection.executemany(
        "INSERT INTO memory_tags (tag, seq) VALUES (?, ?)",
        [(tag, memory.seq) for tag in memory.tags],
    )


def _inner_words(text: str) -> list[str]:
    """The parts of compound identifiers; plain words are in their own column already."""
    cut = [identifiers.split(word) for word in re.findall(r"\w+", text)]
    return [part for parts in cut if len(parts) > 1 for part in parts]


def drop(database: Database, seq: int) -> None:
    """Remove the derived rows of one memory."""
    database.connection.execute("DELETE FROM memory_text WHERE rowid = ?", (seq,))
    database.connection.execute("DELETE FROM memory_tags WHERE seq = ?", (seq,))


def rebuild(database: Database) -> int:
    """Drop every derived table and make it again; the number of memories indexed."""
    from gitmem.store import memories  # noqa: PLC0415 - memories writes through this module

    connection = database.connection
    for table in schema.DERIVED_TABLES:
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    connection.execute(schema.text("derived.sql"))
    count = 0
    for memory in memories.every(database):
        index(database, memory)
        count += 1
    return count


def compact(database: Database) -> None:
    """Merge the full-text index, so that no token of a deleted row is left in it."""
    connection = database.connection
    connection.execute("INSERT INTO memory_text (memory_text) VALUES ('optimize')")


def check(database: Database) -> list[str]:
    """What is wrong between the two halves, a sentence each; empty when they agree."""
    wrong = []
    total = database.value("SELECT count(*) FROM memories")
    indexed = database.value("SELECT count(*) FROM memory_text_docsize")
    if total != indexed:
        wrong.append(f"{total} memories but {indexed} rows in the full-text index")
    stray = database.value(
        "SELECT count(*) FROM memory_tags WHERE seq NOT IN (SELECT seq FROM memories)"
    )
    if stray:
        wrong.append(f"{stray} tag rows belong to no memory")
    return wrong
