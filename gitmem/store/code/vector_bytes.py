"""All of a part of the vectors at once, for a process that keeps them."""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.store.code.vectors import LIES_IN, as_list
from gitmem.store.db.connection import Database


def packed(database: Database, number: int, width: int) -> tuple[Sequence[int], bytes]:
    """All of a part: the vectors' numbers in order, and their sign bits one after another.

    ``width`` is the length of a vector's bits; one of another length was damaged, and left out.
    """
    # Put together inside SQLite: a row each would be as dear as comparing them (33 ms for 100,000).
    count, first, last, joined = database.rows(
        "SELECT count(*), min(id), max(id), CAST(group_concat(bits, '') AS BLOB) FROM vector_bits "
        f"WHERE id {LIES_IN} AND length(bits) = ?2",
        (number, width),
    )[0]
    if not count:
        return (), b""
    if last - first + 1 == count:
        return range(first, last + 1), joined
    rows = database.rows(
        f"SELECT id FROM vector_bits WHERE id {LIES_IN} AND length(bits) = ?2 ORDER BY id",
        (number, width),
    )
    return [row[0] for row in rows], joined


def joined(database: Database, number: int, width: int, count: int) -> bytes:
    """All int8 vectors of a part one after another; none where they are not ``count``.

    Then some are damaged, and a vector's place would not be that of its number.
    """
    rows, content = database.rows(
        "SELECT count(*), CAST(group_concat(q8, '') AS BLOB) FROM vectors "
        f"WHERE id {LIES_IN} AND length(q8) = ?2",
        (number, width),
    )[0]
    return content if rows == count and content else b""


def values(database: Database, numbers: Sequence[int]) -> dict[int, bytes]:
    """The int8 vectors of some numbers; those that are gone are left out."""
    rows = database.rows(
        "SELECT v.id, v.q8 FROM json_each(?) n CROSS JOIN vectors v ON v.id = n.value",
        (as_list(numbers),),
    )
    return {row[0]: row[1] for row in rows}
