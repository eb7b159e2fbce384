"""Vectors that a server keeps in memory between two questions.

Sign bits of a part always, the vectors themselves where they are few enough and numpy compares
them: then the store is only asked what the nearest stand for. The answers are those of
``text_vectors`` by any other way, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.embedding import base
from gitmem.model.frozen import dataclass
from gitmem.store.code import vector_bytes
from gitmem.store.code.vectors import VectorSet
from gitmem.store.db.connection import Database

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

# Vectors of a part whose bytes are all loaded: 77 MB. Of larger parts the nearest are read.
MOST = 300_000


@dataclass(frozen=True, slots=True)
class LoadedVectors:
    """The vectors of one model and one source of texts, loaded from the store into memory.

    ``numbers`` are their row numbers, ``whole`` their bytes (empty if not loaded), ``packed`` their
    sign bits, one vector after another; if numpy is loaded the bits are in ``columns`` instead (see
    ``base.arrange_bit_columns``). ``stamp`` changes when the vectors in the store do.
    """

    stamp: bytes
    numbers: Sequence[int]
    packed: bytes
    whole: bytes
    columns: Any = None


# By file, part and whether numpy was there: it may be loaded between two questions.
_loaded: dict[tuple[str, int, bool], LoadedVectors] = {}


def load_vectors(database: Database, vector_set: VectorSet, bit_count: int) -> LoadedVectors:
    """The vectors of one model and source, read from the store, or from memory if unchanged.

    ``vector_set`` says which, ``bit_count`` is the number of values, hence sign bits, of a vector.
    """
    by_numpy = base.numpy_if_loaded() is not None
    place = (database.path, vector_set.id, by_numpy)
    rows = _loaded.get(place)
    if rows is None or rows.stamp != vector_set.stamp:
        numbers, packed = vector_bytes.read_sign_bits(database, vector_set.id, bit_count)
        whole = b""
        if by_numpy and len(numbers) <= MOST:
            whole = vector_bytes.read_all_vectors(
                database, vector_set.id, 8 * bit_count, len(numbers)
            )
        rows = LoadedVectors(vector_set.stamp, numbers, packed, whole)
        if by_numpy and bit_count % 8 == 0:
            rows = LoadedVectors(
                vector_set.stamp, numbers, b"", whole, base.arrange_bit_columns(packed, bit_count)
            )
        _loaded[place] = rows
    return rows


def _places(rows: LoadedVectors, question: bytes, count: int, candidates: int) -> list[int]:
    bits = base.sign_bits(question)
    if rows.columns is None:
        near = base.nearest_by_sign_bits(bits, rows.packed, candidates)
    else:
        near = base.nearest_by_bit_columns(bits, rows.columns, candidates)
    if candidates <= count:
        return near
    from gitmem.embedding import weighted_bits  # noqa: PLC0415 - of many vectors alone

    return [
        near[at]
        for at in weighted_bits.nearest_by_weighted_bits(question, _bits_at(rows, near), count)
    ]


def _bits_at(rows: LoadedVectors, places: list[int]) -> bytes:
    if rows.columns is not None:
        return bytes(rows.columns[:, places].T.tobytes())
    width = len(rows.packed) // max(len(rows.numbers), 1)
    return b"".join([rows.packed[at * width : (at + 1) * width] for at in places])


def nearest_rows_with_cosine(
    database: Database,
    loaded_vectors: LoadedVectors,
    question_vector: bytes,
    max_rows: int,
    candidate_count: int,
) -> list[tuple[int, float]]:
    """The rows whose vectors are most similar to a question: (row number, cosine), best first.

    First the ``candidate_count`` rows that are nearest by sign bits are taken. If they are more
    than ``max_rows``, the ``max_rows`` best by bits weighted with the question are chosen. Only for
    these the cosine is computed.
    """
    at = _places(loaded_vectors, question_vector, max_rows, candidate_count)
    if loaded_vectors.whole:
        found = base.rank_positions_by_cosine(question_vector, loaded_vectors.whole, at)
        return [(loaded_vectors.numbers[place], cosine) for place, cosine in found]
    numbers = [loaded_vectors.numbers[place] for place in at]
    values = vector_bytes.vectors_by_vector_number(database, numbers)
    rows = [(number, values[number]) for number in numbers if number in values]
    return base.rank_by_cosine(question_vector, rows, len(rows))
