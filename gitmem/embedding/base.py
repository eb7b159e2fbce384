"""The form of stored vectors, and how two of them are compared.

A stored vector is ``dimension`` signed bytes: the unit vector times 127, rounded (a text
without any known word gives zeros, which are like nothing). Beside it stand its sign bits, for a
first cheap look. The arithmetic is pure Python; numpy is used where it is loaded already, since its
import alone costs more than comparing 100,000 vectors without it.
"""

from __future__ import annotations

import os
import sys
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from math import sqrt
from operator import mul

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Protocol, TypeVar

    Key = TypeVar("Key")

    class Embedder(Protocol):
        """An embedding model: it makes vectors of texts, near each other if alike in meaning.

        ``provider`` and ``model`` name it, ``checksum`` tells its versions apart; ``dimension``
        is the number of values in a vector, a multiple of 8.
        """

        @property
        def provider(self) -> str: ...
        @property
        def model(self) -> str: ...
        @property
        def dimension(self) -> int: ...
        @property
        def checksum(self) -> str: ...

        def embed(self, texts: Sequence[str], *, is_query: bool = False) -> list[bytes]:
            """One vector for each text, in order, as signed bytes (see ``quantise_vector``).

            ``is_query``: the texts are questions, which some models embed in another way than
            passages.
            """
            ...


SCALE = 127
# Candidates that the sign bits must bring for each result. Found of the true 10 nearest,
# with the built-in model on CoSQA's 6,267 functions and 3,989 commits: 10 -> 0.94 and 0.96,
# 20 -> 0.975 and 0.99, 40 -> 0.99 and 0.998.
OVERSAMPLE = 20
# Columns of bytes whose differing bits, eight at most, add up in a byte.
_COLUMNS = 31
# Rows whose distances are computed at once; dimensions whose products four bytes hold.
_BLOCK = 1 << 16
_EXACT_IN_FOUR = 1024


def model_identity(embedder: Embedder) -> str:
    """The text that identifies a model: ``provider:model:dimension:checksum``.

    Vectors of models with different identities are not comparable.
    """
    return ":".join(
        [embedder.provider, embedder.model, str(embedder.dimension), embedder.checksum[:16]]
    )


def quantise_vector(values: Sequence[float]) -> bytes:
    """A vector as signed bytes: its values at unit length, times 127; zeros if it has no length."""
    length = sqrt(sum(map(mul, values, values)))
    if not 0 < length < float("inf"):
        return bytes(len(values))
    factor = SCALE / length
    return array("b", [round(value * factor) for value in values]).tobytes()


def sign_bits(vector: bytes) -> bytes:
    """The signs of a vector's values (signed bytes): a bit for each, set if it is above zero."""
    # Signed bytes 1..127 become "1", all others "0": one translate, one int().
    packed = int(vector.translate(_SIGNS), 2)
    return packed.to_bytes(len(vector) // 8, "big")


_SIGNS = bytes(48 + (0 < byte < 128) for byte in range(256))
_BITS_SET = bytes([byte.bit_count() for byte in range(256)])
_ALL = int.from_bytes(bytes(range(256)), "big")
_ONES = int.from_bytes(b"\x01" * 256, "big")


def cosine(vector: bytes, other_vector: bytes) -> float:
    """The cosine of two vectors of signed bytes, -1 to 1; 0 if one is all zero."""
    a, b = memoryview(vector).cast("b"), memoryview(other_vector).cast("b")
    length = sqrt(sum(map(mul, a, a)) * sum(map(mul, b, b)))
    return sum(map(mul, a, b)) / length if length else 0.0


def nearest_by_sign_bits(query_bits: bytes, packed_bits: bytes, count: int) -> list[int]:
    """The positions of the ``count`` rows whose sign bits differ least from the query's.

    Nearest first, then by position, from 0. ``packed_bits`` holds the bits of all rows one after
    another, ``query_bits`` those of the query (see ``sign_bits``).
    """
    if not query_bits or count <= 0:
        return []
    numpy = numpy_if_loaded()
    if numpy is not None and len(query_bits) % 8 == 0:
        return nearest_by_bit_columns(
            query_bits, arrange_bit_columns(packed_bits, len(query_bits)), count
        )
    return positions_of_smallest(_apart(query_bits, packed_bits), count, 8 * len(query_bits))


def _apart(query: bytes, packed: bytes) -> array[int]:
    """The number of differing bits of each row."""
    # Every byte beside the query's, as one long number: a table in 2 microseconds instead of 40.
    tables = [(_ALL ^ byte * _ONES).to_bytes(256, "big").translate(_BITS_SET) for byte in query]
    return sum_row_distances(tables, packed, _COLUMNS)


def sum_row_distances(
    distance_tables: Sequence[bytes], packed_bits: bytes, columns_per_sum: int
) -> array[int]:
    """The distance of each row from a query: the sum of the distances of its columns.

    ``packed_bits`` holds the rows one after another, a byte for each column. ``distance_tables``
    has for each column the distances of all 256 byte values from the query. The sum of
    ``columns_per_sum`` distances has to fit a byte, that of all columns two bytes.
    """
    width = len(distance_tables)
    rows = len(packed_bits) // width
    pairs = (rows + 1) // 2
    low = int.from_bytes(b"\xff\x00" * pairs, "little")
    even = odd = 0
    # Rows take two bytes each, even and odd ones apart.
    for start in range(0, width, columns_per_sum):
        part = 0
        for column in range(start, min(start + columns_per_sum, width)):
            part += int.from_bytes(
                packed_bits[column::width].translate(distance_tables[column]), "little"
            )
        even += part & low
        odd += part >> 8 & low
    apart = array("H", bytes(4 * pairs))
    apart[::2] = array("H", even.to_bytes(2 * pairs, "little"))
    apart[1::2] = array("H", odd.to_bytes(2 * pairs, "little"))
    if sys.byteorder == "big":
        apart.byteswap()
    return apart[:rows]


def positions_of_smallest(distances: Sequence[int], count: int, max_distance: int) -> list[int]:
    """The positions of the ``count`` smallest distances, the smallest first.

    All distances are whole numbers from 0 to ``max_distance``.
    """
    tally = [0] * (max_distance + 1)
    for number in distances:
        tally[number] += 1
    count_within = limit = 0
    while limit <= max_distance and count_within < count:
        count_within += tally[limit]
        limit += 1
    near = [(number, at) for at, number in enumerate(distances) if number < limit]
    near.sort()
    return [at for _, at in near[:count]]


def arrange_bit_columns(packed_bits: bytes, bytes_per_row: int) -> Any:
    """The sign bits of all rows, arranged for ``nearest_by_bit_columns``; numpy must be loaded.

    ``packed_bits`` holds the rows one after another; ``bytes_per_row``, the bytes of a row, is a
    multiple of 8.
    """
    numpy = sys.modules["numpy"]
    rows = numpy.frombuffer(packed_bits, dtype="<u8").reshape(-1, bytes_per_row // 8)
    return numpy.ascontiguousarray(rows.T)


def nearest_by_bit_columns(query_bits: bytes, bit_columns: Any, count: int) -> list[int]:
    """The positions of the ``count`` rows whose bits differ least from the query's, by numpy.

    ``bit_columns`` come from ``arrange_bit_columns``; numpy must be loaded.
    """
    numpy = sys.modules["numpy"]
    words = numpy.frombuffer(query_bits, dtype="<u8")
    apart = numpy.empty(bit_columns.shape[1], dtype="u2")
    # A block that stays in the processor's cache; made once, since fresh memory costs more.
    differing, ones = numpy.empty(_BLOCK, "u8"), numpy.empty(_BLOCK, "u1")
    for start in range(0, len(apart), _BLOCK):
        some = apart[start : start + _BLOCK]
        some[:] = 0
        size = len(some)
        for column, word in zip(bit_columns, words, strict=True):
            numpy.bitwise_xor(column[start : start + size], word, out=differing[:size])
            numpy.bitwise_count(differing[:size], out=ones[:size])
            numpy.add(some, ones[:size], out=some)
    if count < len(apart):
        # Counting, not partitioning: there are few different numbers.
        held = numpy.cumsum(numpy.bincount(apart))
        near = numpy.flatnonzero(apart <= numpy.searchsorted(held, count))
    else:
        near = numpy.arange(len(apart))
    order = near[numpy.argsort(apart[near], kind="stable")]
    positions: list[int] = order[:count].tolist()
    return positions


def rank_by_cosine(
    query: bytes, candidates: Iterable[tuple[Key, bytes]], count: int
) -> list[tuple[Key, float]]:
    """The ``count`` candidates most like the query as (key, cosine), best first.

    A candidate is (key, vector); vectors are signed bytes, those of another length are left out.
    """
    numpy = numpy_if_loaded()
    rows = [row for row in candidates if len(row[1]) == len(query)]
    scored = _rescore_numpy(numpy, query, rows) if numpy else _rescore(query, rows)
    scored.sort(key=lambda pair: -pair[1])
    return scored[:count]


def rank_positions_by_cosine(
    query: bytes, joined_vectors: bytes, positions: Sequence[int]
) -> list[tuple[int, float]]:
    """The (position, cosine) of some vectors among many, best first.

    ``joined_vectors`` holds all vectors (signed bytes) one after another, ``positions`` those to
    look at. Empty unless numpy is loaded.
    """
    numpy = numpy_if_loaded()
    if numpy is None or not positions:
        return []
    at = numpy.array(positions)
    rows = numpy.frombuffer(joined_vectors, "i1").reshape(-1, len(query))[at]
    cosines = _cosines_numpy(numpy, query, rows)
    order = numpy.argsort(-cosines, kind="stable")
    return list(zip(at[order].tolist(), cosines[order].tolist(), strict=True))


def _rescore(query: bytes, rows: list[tuple[Key, bytes]]) -> list[tuple[Key, float]]:
    # cosine() with the query's part taken out of the loop.
    question = memoryview(query).cast("b")
    question_square = sum(map(mul, question, question))
    scored: list[tuple[Key, float]] = []
    for key, vector in rows:
        values = memoryview(vector).cast("b")
        length = sqrt(question_square * sum(map(mul, values, values)))
        scored.append((key, sum(map(mul, question, values)) / length if length else 0.0))
    return scored


def _rescore_numpy(
    numpy: ModuleType, query: bytes, rows: list[tuple[Key, bytes]]
) -> list[tuple[Key, float]]:
    """The same numbers to the last bit: sums of whole numbers, and one root and division each."""
    if not rows:
        return []
    joined = b"".join([vector for _, vector in rows])
    matrix = numpy.frombuffer(joined, "i1").reshape(len(rows), -1)
    cosines = _cosines_numpy(numpy, query, matrix).tolist()
    return list(zip([key for key, _ in rows], cosines, strict=True))


def _cosines_numpy(numpy: ModuleType, query: bytes, rows: Any) -> Any:
    # Products of bytes sum to less than 2**53, and of 1,024 to no more than 2**24: so floats of
    # eight bytes, or of four, hold them exactly.
    kind = "f4" if len(query) <= _EXACT_IN_FOUR else "f8"
    matrix, question = rows.astype(kind), numpy.frombuffer(query, "i1").astype(kind)
    squares = numpy.einsum("ij,ij->i", matrix, matrix).astype("f8")
    lengths = numpy.sqrt(float(question @ question) * squares)
    lengths[lengths == 0] = numpy.inf
    return (matrix @ question).astype("f8") / lengths


def numpy_if_loaded() -> ModuleType | None:
    """The numpy module if something has imported it already, else None."""
    numpy = sys.modules.get("numpy")
    return None if getattr(getattr(numpy, "__spec__", None), "_initializing", False) else numpy


def load_numpy() -> None:
    """Load numpy, if it is installed, with one thread; it takes some 100 ms and 25 MB."""
    limit_numpy_to_one_thread()
    with suppress(ImportError):
        import numpy  # noqa: F401, PLC0415


def limit_numpy_to_one_thread() -> None:
    """Make numpy's products run in one thread; to be called before numpy is loaded."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # noqa: TID251 - a library reads it
