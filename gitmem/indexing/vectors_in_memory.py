"""Vectors that a resident process keeps between two questions, as the store last had them.

Sign bits of a part always, the vectors themselves where they are few enough and numpy compares
them: then the store is only asked what the nearest stand for. The answers are those of
``text_vectors`` by any other way, to the last bit.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gitmem.embedding import base
from gitmem.model.frozen import dataclass
from gitmem.store.code import vector_bytes
from gitmem.store.code.vectors import Part
from gitmem.store.db.connection import Database

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

# Vectors of a part of which all bytes are kept: 38 MB. Of more the nearest are read.
MOST = 150_000
# Vectors that are looked up at once, best first: of most questions no others are needed.
_AT_ONCE = 128


@dataclass(frozen=True, slots=True)
class Kept:
    """A part as the last call left it: its stamp, the vectors' numbers, bits, and all bytes.

    Where numpy is there the bits are in ``columns`` (``base.columns``), not in ``packed``.
    """

    stamp: bytes
    numbers: Sequence[int]
    packed: bytes
    whole: bytes
    columns: Any = None


# By file, part and whether numpy was there: it may be loaded between two questions.
_kept: dict[tuple[str, int, bool], Kept] = {}


def part(database: Database, one: Part, width: int) -> Kept:
    """The part as it is now; ``width`` is the length of a vector's bits."""
    by_numpy = base.loaded_numpy() is not None
    place = (database.path, one.id, by_numpy)
    kept = _kept.get(place)
    if kept is None or kept.stamp != one.stamp:
        numbers, packed = vector_bytes.packed(database, one.id, width)
        whole = b""
        if by_numpy and len(numbers) <= MOST:
            whole = vector_bytes.joined(database, one.id, 8 * width, len(numbers))
        kept = Kept(one.stamp, numbers, packed, whole)
        if by_numpy and width % 8 == 0:
            kept = Kept(one.stamp, numbers, b"", whole, base.columns(packed, width))
        _kept[place] = kept
    return kept


def nearest(kept: Kept, question: bytes, count: int) -> list[int]:
    """Numbers of the vectors whose sign bits are nearest, nearest first."""
    return [kept.numbers[at] for at in _places(kept, question, count)]


def _places(kept: Kept, question: bytes, count: int) -> list[int]:
    bits = base.bits(question)
    if kept.columns is None:
        return base.prefilter(bits, kept.packed, count)
    return base.prefilter_columns(bits, kept.columns, count)


def _scored(database: Database, kept: Kept, question: bytes, count: int) -> list[tuple[int, float]]:
    """Number and cosine of the vectors with the nearest sign bits, the most alike first."""
    at = _places(kept, question, count)
    if kept.whole:
        found = base.rescore_at(question, kept.whole, at)
        return [(kept.numbers[place], cosine) for place, cosine in found]
    numbers = [kept.numbers[place] for place in at]
    values = vector_bytes.values(database, numbers)
    rows = [(number, values[number]) for number in numbers if number in values]
    return base.rescore(question, rows, len(rows))


def cosines(
    database: Database,
    source: str,
    kept: Kept,
    question: bytes,
    count: int,
    tree: str,
    *,
    limit: int,
    enough: int,
    within: Collection[int] | None,
) -> dict[int, float]:
    """Row number -> cosine of the ``count`` vectors with the nearest sign bits, or of the best.

    What is left out comes after the ``limit`` best, and there are ``enough`` without it.
    """
    scored = _scored(database, kept, question, count)
    found: dict[int, float] = {}
    for start in range(0, len(scored), _AT_ONCE):
        some = dict(scored[start : start + _AT_ONCE])
        for number, key in vector_bytes.keys(database, source, list(some), tree):
            if within is None or key in within:
                found[key] = some[number]
        following = scored[start + _AT_ONCE : start + _AT_ONCE + 1]
        # A row as alike as the last that is wanted may come before it, by its number.
        if len(found) >= enough and following and _beyond(found, limit, following[0][1]):
            break
    return found


def _beyond(found: dict[int, float], limit: int, cosine: float) -> bool:
    return limit > 0 and cosine < sorted(found.values(), reverse=True)[limit - 1]
