"""A map of question vectors learned from one repository: from people's words to those of code.

Only the question's vector is mapped; those in the store stay, so that a map costs nothing when it
comes or goes. A value of the mapped vector is the old one plus a sum of small whole numbers, so
Python and numpy give the same bytes.

A mapped question has lower cosines with everything, though it ranks better; they are multiplied by
``stretch``, so that the fixed thresholds of similarity stay valid.

The file, little-endian: magic ``GMQMAP01``; u32 dimension, length of the model's identity, CRC-32
of the rest; f32 stretch; the identity; f32 scale of each row; the rows, ``dimension`` signed bytes
each.
"""

from __future__ import annotations

import sys
from array import array
from operator import mul
from struct import Struct
from zlib import crc32

from gitmem.embedding.base import quantise_vector
from gitmem.errors import Unavailable
from gitmem.files.plain_file import open_regular_file

MAGIC = b"GMQMAP01"
HEADER = Struct("<8s3I")
_STRETCH = Struct("<f")
_HINT = "Make another with `gitmem model tune`, or leave it out: gitmem model tune --off"


class QuestionMap:
    """A map that changes the vector of a question so that it is more like its answers.

    `gitmem model tune` learns it. It adds the product of the matrix ``rows`` and the vector, each
    value times its scale. ``identity`` is the model whose vectors it fits; cosines of mapped
    vectors are multiplied by ``stretch``.
    """

    __slots__ = ("dimension", "identity", "rows", "scales", "stretch")

    def __init__(
        self, identity: str, scales: array[float], rows: bytes, stretch: float = 1.0
    ) -> None:
        self.identity = identity
        self.stretch = stretch
        self.scales = scales
        self.rows = rows
        self.dimension = len(scales)

    def map_vector(self, vector: bytes) -> bytes:
        """The vector of a question after mapping; both are signed bytes."""
        values = memoryview(vector).cast("b")
        sums = self._sums(vector)
        return quantise_vector(
            [a + s * b for a, s, b in zip(values, self.scales, sums, strict=True)]
        )

    def _sums(self, vector: bytes) -> list[int]:
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            rows = numpy.frombuffer(self.rows, "i1").reshape(self.dimension, -1).astype("i4")
            sums: list[int] = (rows @ numpy.frombuffer(vector, "i1").astype("i4")).tolist()
            return sums
        values, rows = memoryview(vector).cast("b"), memoryview(self.rows).cast("b")
        size = self.dimension
        return [sum(map(mul, rows[at : at + size], values)) for at in range(0, size * size, size)]

    def to_bytes(self) -> bytes:
        """The bytes of the map's file."""
        scales = array("f", self.scales)
        if sys.byteorder == "big":
            scales.byteswap()
        name = self.identity.encode()
        rest = _STRETCH.pack(self.stretch) + name + scales.tobytes() + self.rows
        return HEADER.pack(MAGIC, self.dimension, len(name), crc32(rest)) + rest


def read_question_map(path: str) -> QuestionMap:
    """The map in a file. Raises Unavailable if the file is missing, cut short or no map."""
    try:
        with open_regular_file(path) as file:
            raw = file.read()
    except OSError as error:
        raise Unavailable(f"The tuned model {path} cannot be read: {error}.", _HINT) from error
    if len(raw) < HEADER.size or not raw.startswith(MAGIC):
        raise Unavailable(f"{path} is not a tuned model.", _HINT)
    _, size, named, crc = HEADER.unpack_from(raw)
    rest = raw[HEADER.size :]
    if crc != crc32(rest) or len(rest) != 4 + named + 4 * size + size * size:
        raise Unavailable(f"The tuned model {path} is damaged.", _HINT)
    (stretch,) = _STRETCH.unpack_from(rest)
    rest = rest[_STRETCH.size :]
    scales = array("f", rest[named : named + 4 * size])
    if sys.byteorder == "big":
        scales.byteswap()
    return QuestionMap(rest[:named].decode(), scales, rest[named + 4 * size :], stretch)
