"""Reading all vectors of a set at once, for a process that caches them."""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.store.code.vectors import LIES_IN, numbers_to_json_array
from gitmem.store.db.connection import Database


def read_sign_bits(
    database: Database, vector_set_id: int, bytes_per_vector: int
) -> tuple[Sequence[int], bytes]:
    """(vector numbers in order, their sign bits concatenated) of a set of vectors.

    A set has all vectors by one model of one source. Sign bits, one for each value (above 0 or
    not), whose length is not ``bytes_per_vector`` are damaged and left out.
    """
    # Concatenated by SQLite: reading each row costs as much as comparing (33 ms for 100,000).
    count, first, last, joined = database.rows(
        "SELECT count(*), min(id), max(id), CAST(group_concat(bits, '') AS BLOB) FROM vector_bits "
        f"WHERE id {LIES_IN} AND length(bits) = ?2",
        (vector_set_id, bytes_per_vector),
    )[0]
    if not count:
        return (), b""
    if last - first + 1 == count:
        return range(first, last + 1), joined
    rows = database.rows(
        f"SELECT id FROM vector_bits WHERE id {LIES_IN} AND length(bits) = ?2 ORDER BY id",
        (vector_set_id, bytes_per_vector),
    )
    return [row[0] for row in rows], joined


def read_all_vectors(
    database: Database, vector_set_id: int, bytes_per_vector: int, expected_count: int
) -> bytes:
    """All vectors of a set (one model, one source) as concatenated signed bytes.

    Empty unless exactly ``expected_count`` have the length ``bytes_per_vector``, as others are
    damaged.
    """
    rows, content = database.rows(
        "SELECT count(*), CAST(group_concat(q8, '') AS BLOB) FROM vectors "
        f"WHERE id {LIES_IN} AND length(q8) = ?2",
        (vector_set_id, bytes_per_vector),
    )[0]
    return content if rows == expected_count and content else b""


def vectors_by_vector_number(database: Database, vector_numbers: Sequence[int]) -> dict[int, bytes]:
    """A dict: vector number -> the vector as signed bytes, for the numbers that exist."""
    rows = database.rows(
        "SELECT v.id, v.q8 FROM json_each(?) n CROSS JOIN vectors v ON v.id = n.value",
        (numbers_to_json_array(vector_numbers),),
    )
    return {row[0]: row[1] for row in rows}
