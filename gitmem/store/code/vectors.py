"""Vectors by content hash and model: int8 for the cosine, sign bits for a first cheap comparison.

Ordinary tables, so any SQLite can read them. A text that occurs twice, moves, or comes back on
another branch is embedded once. Vectors of two models stand side by side and are never compared.

The vectors of one model and one kind of source are a *vector set* (``vector_parts``). A vector's
number begins with that of its set (``part * ROOM``), so the sign bits of a set lie together and are
read in one sweep. What a vector stands for is looked up by hash afterwards: a row that is gone
drops out there, and nothing has to be kept in step when files, commits and memories come and go.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import sqrt
from operator import mul
from types import MappingProxyType

from gitmem.model.frozen import dataclass
from gitmem.store.db.connection import Database
from gitmem.store.db.sqlite_errors import sqlite_errors_as_gitmem_errors

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

ROOM = 1 << 40

# Source -> the rows whose vectors it has: key, hash, and the parts of the text that is embedded.
TEXTS = {
    "memory": "SELECT t.seq, t.hash, m.title, m.content FROM memory_marks t "
    "JOIN memories m ON m.seq = t.seq",
    "chunk": "SELECT t.id, t.hash, t.context, t.symbol, t.text FROM chunks t",
    "commit": "SELECT t.id, t.hash, t.subject, t.body FROM commits t",
    # As ``store.session.exchanges.exchange_text_to_embed`` has it.
    "exchange": "SELECT t.seq, t.hash, substr(t.user, 1, 1000), substr(t.assistant, 1, 200) "
    "FROM exchanges t",
}
KEYS = {
    "memory": ("memory_marks", "seq"),
    "chunk": ("chunks", "id"),
    "commit": ("commits", "id"),
    "exchange": ("exchanges", "seq"),
}
# What an index run embeds; exchanges are embedded by whoever imports them.
SOURCES = ("memory", "chunk", "commit")
# Only chunks belong to worktrees.
SHOWN = " AND EXISTS (SELECT 1 FROM paths p WHERE p.blob = t.blob AND p.tree = ?3)"
# ?1 is the question; what ``_cosine`` needs to know of a vector. One of another length is damaged.
_COMPARED = (
    "vec_distance_cosine(vec_int8(v.q8), vec_int8(?1)), "
    "vec_distance_l2(vec_int8(v.q8), vec_int8(zeroblob(length(?1))))"
)
_FITS = " AND length(v.q8) = length(?1)"
LIES_IN = f"BETWEEN ?1 * {ROOM} AND (?1 + 1) * {ROOM} - 1"


@dataclass(frozen=True, slots=True)
class TextToEmbed:
    """A text of a memory, chunk, commit or exchange to make a vector of, and its 16-byte hash."""

    hash: bytes
    text: str


@dataclass(frozen=True, slots=True)
class VectorSet:
    """All vectors that a model made of one source (memory, chunk, commit, exchange).

    ``id`` is the set's number, ``stamp`` changes whenever vectors are added, ``size`` is the
    highest position in the set, so the most vectors it may have.
    """

    id: int
    stamp: bytes
    size: int


def find_vector_set(database: Database, model: str, source_kind: str) -> VectorSet | None:
    """The set of vectors that a model made of a source (memory, chunk, commit, exchange).

    ``model`` is the model's identity. None if there are none yet.
    """
    row = database.row(
        "SELECT id, stamp FROM vector_parts WHERE model = ? AND source = ?", (model, source_kind)
    )
    if row is None:
        return None
    last = database.value(f"SELECT max(id) FROM vector_bits WHERE id {LIES_IN}", row[:1])
    return VectorSet(row[0], row[1], (last or 0) % ROOM)


def texts_without_vector(
    database: Database,
    model: str,
    source_kind: str,
    limit: int,
    after_text_hash: bytes = b"",
    after_row_number: int = 0,
) -> list[TextToEmbed]:
    """At most ``limit`` texts of a source without a vector by a model, by hash, each once.

    ``source_kind`` is memory, chunk, commit or exchange, ``model`` a model's identity. To go on,
    pass the last text's hash as ``after_text_hash``. ``after_row_number``: only rows with a greater
    number.
    """
    rows = database.rows(
        f"{TEXTS[source_kind]} WHERE {_waiting(source_kind, after_row_number)} AND t.hash > ?3 "
        "GROUP BY t.hash ORDER BY t.hash LIMIT ?2",
        (find_vector_set_id(database, model, source_kind), limit, after_text_hash),
    )
    return [text_to_embed_from_row(row) for row in rows]


def sample_text_and_vector(database: Database, model: str) -> tuple[str, bytes] | None:
    """(text, vector as signed bytes), some pair made by a model; None if there is none.

    ``model`` is the model's identity. Vectors of zeros do not count.
    """
    for source in SOURCES:
        number = find_vector_set_id(database, model, source)
        rows = database.rows(
            f"{TEXTS[source]} WHERE t.hash IN (SELECT v.hash FROM vectors v WHERE v.part = ?1 "
            "AND v.q8 <> zeroblob(length(v.q8)) LIMIT 50) LIMIT 1",
            (number,),
        )
        for text in map(text_to_embed_from_row, rows):
            query = "SELECT q8 FROM vectors WHERE part = ? AND hash = ?"
            return text.text, database.value(query, (number, text.hash))
    return None


def _waiting(source: str, newer: int) -> str:
    """The condition that a row ``t`` has no vector of the part ?1, of rows after a number alone."""
    lacks = "NOT EXISTS (SELECT 1 FROM vectors v WHERE v.hash = t.hash AND v.part = ?1)"
    return f"t.{KEYS[source][1]} > {newer} AND {lacks}" if newer else lacks


def last_chunk_and_commit_rows(database: Database) -> dict[str, int]:
    """A dict: ``chunk`` and ``commit`` -> the highest row number of those stored, 0 if none is."""
    ends = {source: f"SELECT max(id) FROM {KEYS[source][0]}" for source in ("chunk", "commit")}
    return {source: database.value(question) or 0 for source, question in ends.items()}


def texts_without_vector_in_paths(
    database: Database, model: str, worktree: str, encoded_paths: Iterable[str]
) -> list[TextToEmbed]:
    """The texts of some files' chunks without a vector by a model (its identity), by hash.

    ``encoded_paths`` are as ``indexed_files.encode_path_for_database`` returns them.
    """
    number = find_vector_set_id(database, model, "chunk")
    rows: dict[bytes, TextToEmbed] = {}
    for path in encoded_paths:
        for row in database.rows(
            f"{TEXTS['chunk']} JOIN paths p ON p.blob = t.blob WHERE p.tree = ?2 AND p.path = ?3 "
            "AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.hash = t.hash AND v.part = ?1)",
            (number, worktree, path),
        ):
            text = text_to_embed_from_row(row)
            rows[text.hash] = text
    return [rows[hash] for hash in sorted(rows)]


def text_to_embed_from_row(row: tuple[object, ...]) -> TextToEmbed:
    """A text and its hash from a row (key, hash, parts of the text); parts become lines."""
    _, hash, *texts = row
    assert isinstance(hash, bytes)
    return TextToEmbed(hash, "\n".join(str(text) for text in texts if text))


def count_texts_without_vector(
    database: Database,
    model: str,
    source_kinds: Sequence[str] = SOURCES,
    after_row_numbers_by_source: Mapping[str, int] = MappingProxyType({}),
) -> int:
    """How many different texts of some sources have no vector by a model (its identity).

    Sources are memory, chunk, commit or exchange. ``after_row_numbers_by_source`` maps a source to
    a row number: only later rows count.
    """
    return sum(
        database.value(
            f"SELECT count(DISTINCT t.hash) FROM {KEYS[source][0]} t "
            f"WHERE {_waiting(source, after_row_numbers_by_source.get(source, 0))}",
            (find_vector_set_id(database, model, source),),
        )
        for source in source_kinds
    )


def add_vectors(
    database: Database,
    model: str,
    source_kind: str,
    hash_vector_sign_bits_rows: Iterable[tuple[bytes, bytes, bytes]],
) -> None:
    """Store vectors that a model made of a source's texts: (text's hash, signed bytes, sign bits).

    Sign bits are one for each value: above 0 or not. Existing vectors stay. ``source_kind`` is
    memory, chunk, commit or exchange. Opens no transaction.
    """
    from gitmem.store.code.code_integrity import vector_checksum  # noqa: PLC0415 - readers need it not

    number = _open_part(database, model, source_kind)
    last = database.value(f"SELECT max(id) FROM vectors WHERE id {LIES_IN}", (number,))
    new = [
        (at, *row) for at, row in enumerate(hash_vector_sign_bits_rows, (last or number * ROOM) + 1)
    ]
    with sqlite_errors_as_gitmem_errors(database.path):
        database.connection.executemany(
            "INSERT INTO vectors (id, part, hash, q8, crc) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (hash, part) DO NOTHING",
            [(at, number, hash, q8, vector_checksum(q8, bits)) for at, hash, q8, bits in new],
        )
        database.connection.executemany(
            # Bits that a program without foreign keys left behind are replaced.
            "INSERT OR REPLACE INTO vector_bits (id, bits) "
            "SELECT id, ?2 FROM vectors WHERE id = ?1",
            [(at, bits) for at, _, _, bits in new],
        )
        if source_kind == "memory":
            database.connection.executemany(
                "UPDATE memory_marks SET part = ?1 WHERE hash = ?2",
                [(number, hash) for _, hash, _, _ in new],
            )


def _open_part(database: Database, model: str, source: str) -> int:
    number: int = database.value(
        "INSERT INTO vector_parts (model, source, stamp) VALUES (?, ?, randomblob(8)) "
        "ON CONFLICT (model, source) DO UPDATE SET stamp = excluded.stamp RETURNING id",
        (model, source),
    )
    return number


def find_vector_set_id(database: Database, model: str, source_kind: str) -> int:
    """The number of the set of a model's vectors of a source (chunk ...); -1 if none."""
    number = database.value(
        "SELECT id FROM vector_parts WHERE model = ? AND source = ?", (model, source_kind)
    )
    return -1 if number is None else int(number)


def nearest_vectors(
    database: Database, vector_set_id: int, question_sign_bits: bytes, limit: int
) -> list[tuple[int, bytes]]:
    """(vector number, sign bits) of the ``limit`` vectors of a set most like a question.

    Those are the ones whose sign bits (a bit for each value: above 0 or not) differ least, nearest
    first. Call it only if ``vec_extension.has_vector_functions(database)``.
    """
    return database.rows(
        f"SELECT id, bits FROM vector_bits WHERE id {LIES_IN} AND length(bits) = length(?2) "
        "ORDER BY vec_distance_hamming(vec_bit(?2), vec_bit(bits)), id LIMIT ?3",
        (vector_set_id, question_sign_bits, limit),
    )


def cosines_with_question(
    database: Database, vector_numbers: Sequence[int], question_vector: bytes
) -> list[tuple[int, float]]:
    """(vector number, cosine from -1 to 1) of some stored vectors with a question's vector.

    Vectors are signed bytes; damaged ones are left out. Call it only if
    ``vec_extension.has_vector_functions(database)``.
    """
    rows = database.rows(
        f"SELECT n.value, {_COMPARED} FROM json_each(?2) n "
        f"CROSS JOIN vectors v ON v.id = n.value WHERE ?1 = ?1{_FITS}",
        (question_vector, numbers_to_json_array(vector_numbers)),
    )
    return _cosines(question_vector, rows)


def source_rows_of_vectors(
    database: Database, source_kind: str, vector_numbers: Sequence[int], worktree: str
) -> list[tuple[int, int]]:
    """(vector number, row number) of the chunks, memories ... of whose text some vectors were made.

    ``source_kind`` is memory, chunk, commit or exchange; chunks count only if they are in the
    worktree.
    """
    table, key = KEYS[source_kind]
    return database.rows(
        f"SELECT n.value, t.{key} FROM json_each(?2) n JOIN vectors v ON v.id = n.value "
        f"JOIN {table} t ON t.hash = v.hash WHERE ?1 = ?1{SHOWN if source_kind == 'chunk' else ''}",
        (
            b"",
            numbers_to_json_array(vector_numbers),
            *((worktree,) if source_kind == "chunk" else ()),
        ),
    )


def vectors_or_cosines_of_rows(
    database: Database,
    model: str,
    source_kind: str,
    row_numbers: Collection[int],
    question_vector: bytes = b"",
) -> list[tuple[int, Any]]:
    """(row number, vector) of some rows, or (row number, cosine) with a ``question_vector``.

    ``source_kind`` is memory, chunk, commit or exchange. Vectors are signed bytes; rows without one
    are left out. Cosines only if ``vec_extension.has_vector_functions(database)``.
    """
    table, key = KEYS[source_kind]
    rows = database.rows(
        f"SELECT t.{key}, {_COMPARED if question_vector else 'v.q8'} FROM json_each(?2) n "
        f"JOIN {table} t ON t.{key} = n.value JOIN vectors v ON v.hash = t.hash AND v.part = ?3 "
        f"WHERE ?1 = ?1{_FITS if question_vector else ''}",
        (
            question_vector,
            numbers_to_json_array(row_numbers),
            find_vector_set_id(database, model, source_kind),
        ),
    )
    return (
        _cosines(question_vector, rows) if question_vector else [(row[0], row[1]) for row in rows]
    )


def _cosines(question: bytes, rows: Iterable[Sequence[Any]]) -> list[tuple[int, float]]:
    """Key and cosine, to the last bit as ``embedding.base.cosine`` has it.

    sqlite-vec answers in single precision, in which near cosines fall together and would be ordered
    otherwise than in Python. Both vectors are whole numbers, so what its answers were computed from
    is had back by rounding: the squared length, and the product of the two. (The squared distance
    of the two would give the product as well, but overflows where sqlite-vec is built for NEON.)
    """
    values = memoryview(question).cast("b")
    squared = sum(map(mul, values, values))
    return [(key, _cosine(squared, apart, length)) for key, apart, length in rows]


def _cosine(squared: int, apart: float | None, length: float) -> float:
    # A vector of zeros has no cosine and is like nothing.
    root = sqrt(squared * round(length * length))
    return 0.0 if apart is None or not root else round((1 - apart) * root) / root


def numbers_to_json_array(numbers: Collection[int]) -> str:
    # In JSON, since a statement takes 32,766 values at most.
    return "[" + ",".join(map(str, numbers)) + "]"


def vector_counts_by_model(database: Database) -> dict[str, int]:
    """A dict: model's identity (provider:model:dimension:checksum) -> number of its vectors."""
    return dict(
        database.rows(
            "SELECT p.model, count(*) FROM vectors v JOIN vector_parts p ON p.id = v.part "
            "GROUP BY p.model ORDER BY p.model"
        )
    )


def delete_unused_vectors(database: Database, models_to_keep: Collection[str]) -> int:
    """Delete vectors of texts that are gone and of models not in ``models_to_keep`` (identities).

    Returns how many were deleted.
    """
    names = ", ".join("?" * len(models_to_keep))
    deleted_count = database.run(
        "DELETE FROM vectors WHERE part NOT IN "
        f"(SELECT id FROM vector_parts WHERE model IN ({names})) "
        "OR hash NOT IN (SELECT hash FROM chunks UNION "
        "SELECT hash FROM commits UNION SELECT hash FROM memory_marks "
        "UNION SELECT hash FROM exchanges)",
        (*models_to_keep,),
    )
    database.run(f"DELETE FROM vector_parts WHERE model NOT IN ({names})", (*models_to_keep,))
    # A number of a part may be given again.
    database.run("UPDATE memory_marks SET part = 0 WHERE part NOT IN (SELECT id FROM vector_parts)")
    return deleted_count
