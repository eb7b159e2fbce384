"""Vectors by content hash and model: int8 for the cosine, sign bits for a first cheap look.

Ordinary tables, so any SQLite can read them. A text that occurs twice, moves, or comes back on
another branch is embedded once. Vectors of two models stand side by side and are never compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.model.value import dataclass
from gitmem.store.connection import Database

# Source -> the rows whose vectors it has: key, hash, and the parts of the text that is embedded.
_TEXTS = {
    "memory": "SELECT t.seq, t.hash, m.title, m.content FROM memory_marks t "
    "JOIN memories m ON m.seq = t.seq",
    "chunk": "SELECT t.id, t.hash, t.context, t.symbol, t.text FROM chunks t",
    "commit": "SELECT t.id, t.hash, t.subject, t.body FROM commits t",
}
_BITS = {
    "memory": "SELECT t.seq, v.bits FROM memory_marks t JOIN vectors v "
    "ON v.hash = t.hash AND v.model = ?1",
    "chunk": "SELECT t.id, v.bits FROM chunks t JOIN vectors v ON v.hash = t.hash "
    "AND v.model = ?1 WHERE t.blob IN (SELECT blob FROM paths WHERE tree = ?2)",
    "commit": "SELECT t.id, v.bits FROM commits t JOIN vectors v "
    "ON v.hash = t.hash AND v.model = ?1",
}
_KEYS = {"memory": ("memory_marks", "seq"), "chunk": ("chunks", "id"), "commit": ("commits", "id")}
SOURCES = tuple(_TEXTS)


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A text without a vector: its hash and the text itself."""

    hash: bytes
    text: str


def missing(database: Database, model: str, source: str, limit: int) -> list[Unembedded]:
    """Texts of a source that have no vector of this model yet, each once."""
    rows = database.rows(
        f"{_TEXTS[source]} WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.hash = t.hash "
        "AND v.model = ?) GROUP BY t.hash LIMIT ?",
        (model, limit),
    )
    return [Unembedded(row[1], "\n".join(part for part in row[2:] if part)) for row in rows]


def count_missing(database: Database, model: str, wanted: Sequence[str] = SOURCES) -> int:
    """How many texts of some sources wait for a vector of this model."""
    total = 0
    for table, _ in (_KEYS[source] for source in wanted):
        total += database.value(
            f"SELECT count(DISTINCT t.hash) FROM {table} t WHERE NOT EXISTS "
            "(SELECT 1 FROM vectors v WHERE v.hash = t.hash AND v.model = ?)",
            (model,),
        )
    return total


def add(database: Database, model: str, rows: Iterable[tuple[bytes, bytes, bytes]]) -> None:
    """Store vectors: (hash, int8, bits)."""
    database.connection.executemany(
        "INSERT OR REPLACE INTO vectors (hash, model, q8, bits) VALUES (?, ?, ?, ?)",
        [(mark, model, q8, bits) for mark, q8, bits in rows],
    )


def bits(database: Database, model: str, source: str, tree: str) -> list[tuple[int, bytes]]:
    """Key and sign bits of everything in a source that has a vector of this model."""
    values = (model, tree) if source == "chunk" else (model,)
    return [(row[0], row[1]) for row in database.rows(_BITS[source], values)]


def exact(
    database: Database, model: str, source: str, keys: Sequence[int]
) -> list[tuple[int, bytes]]:
    """Key and int8 vector of some rows."""
    table, key = _KEYS[source]
    marks = ",".join("?" * len(keys))
    rows = database.rows(
        f"SELECT t.{key}, v.q8 FROM {table} t JOIN vectors v ON v.hash = t.hash AND v.model = ? "
        f"WHERE t.{key} IN ({marks})",
        (model, *keys),
    )
    return [(row[0], row[1]) for row in rows]


def models(database: Database) -> dict[str, int]:
    """How many vectors there are of each model."""
    return dict(database.rows("SELECT model, count(*) FROM vectors GROUP BY model ORDER BY model"))


def drop_unused(database: Database, model: str) -> int:
    """Remove vectors of other models and of texts that are gone; how many."""
    return database.run(
        "DELETE FROM vectors WHERE model <> ? OR hash NOT IN (SELECT hash FROM chunks UNION "
        "SELECT hash FROM commits UNION SELECT hash FROM memory_marks)",
        (model,),
    )
