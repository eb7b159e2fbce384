"""Finding the memories that have a vector of a model, without reading their text.

The mark of a memory names the part of its last vector. Where two models embed memories one after
the other, the part of the later one means that both have.
"""

from __future__ import annotations

from gitmem.store.code import vectors
from gitmem.store.code.vectors import TextToEmbed
from gitmem.store.db.connection import Database

_SOURCE = "memory"


# Without a vector, or with one of another model: written so that an index can be used.
_LACKING = (
    "SELECT seq, hash FROM memory_marks WHERE part IN (SELECT 0 UNION ALL SELECT id "
    "FROM vector_parts WHERE source = 'memory' AND model NOT IN (?1, ?2))"
)


def memories_without_vector(
    database: Database, model: str, limit: int, alternative_model: str = ""
) -> list[TextToEmbed]:
    """The texts and hashes of at most ``limit`` memories without a vector, newest first.

    That is, without one by the model ``model`` or ``alternative_model`` (identities of models).
    """
    lacking = f"({_LACKING} ORDER BY seq DESC LIMIT ?3) t"
    text = vectors.TEXTS[_SOURCE].replace("memory_marks t", lacking)
    rows = database.rows(f"{text} ORDER BY t.seq DESC", (model, alternative_model, limit))
    return [vectors.text_to_embed_from_row(row) for row in rows]


def count_memories_without_vector(database: Database, model: str, max_count: int = -1) -> int:
    """How many memories have no vector by a model (its identity), up to ``max_count`` (-1: all)."""
    count: int = database.value(
        f"SELECT count(*) FROM ({_LACKING} LIMIT ?3)", (model, "", max_count)
    )
    return count


def has_any_memory(database: Database) -> bool:
    """Whether the store has any memory."""
    return bool(database.value("SELECT EXISTS (SELECT 1 FROM memory_marks)"))


def count_memories(database: Database) -> int:
    """The number of memories in the store."""
    number: int = database.value("SELECT count(*) FROM memory_marks")
    return number


def has_embedded_memories(database: Database, model: str) -> bool:
    """Whether an embedding model (its identity) ever made a vector of a memory of this store."""
    return vectors.find_vector_set_id(database, model, _SOURCE) >= 0


def record_memories_with_vector(database: Database, model: str) -> None:
    """Record which memories, such as restored ones, have a stored vector by a model already."""
    number = vectors.find_vector_set_id(database, model, _SOURCE)
    with database.write():
        database.run(
            "UPDATE memory_marks SET part = ?1 WHERE part <> ?1 AND EXISTS "
            "(SELECT 1 FROM vectors v WHERE v.hash = memory_marks.hash AND v.part = ?1)",
            (number,),
        )
