"""The file of a contextual model: a small BERT encoder in four bits a weight, and its word pieces.

Layout, all little-endian: a header of 80 bytes (``contextual_header``); the listing, a line ``name
bits rows [columns]`` for each tensor; the vocabulary, a word piece a line; the tensors in the order
of the listing. 32 bits: float32. 8 bits: signed bytes, then a float32 scale for each row. 4 bits:
two values in a byte, the low half first, 8 added to each; then a float16 scale for each 64 values
of a row. The file is written by ``tests.bench.training.contextual_file``.
"""

from __future__ import annotations

import mmap

import numpy as np

from gitmem.embedding import contextual_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    Array = NDArray[np.float32]

GROUP = 64
# Both values of a byte in one look, each pair as wide as a float64.
_PAIRS = np.array(
    [((byte & 15) - 8, (byte >> 4) - 8) for byte in range(256)], dtype=np.float32
).view(np.float64)[:, 0]


class StoredMatrix:
    """A matrix in the file of a model; rows are decoded on demand.

    ``at`` is the byte where it begins in ``raw``, ``bits`` (4 or 8) the size of a value.
    """

    __slots__ = ("_bits", "_scales", "_values", "size")

    def __init__(self, raw: Any, at: int, bits: int, rows: int, columns: int) -> None:
        """View the values at a place of the file; ValueError when they are not all there."""
        held = rows * columns * bits // 8
        kind, scales = ("i1", "<f4") if bits == 8 else ("u1", "<f2")
        count = rows if bits == 8 else rows * columns // GROUP
        self._values = np.frombuffer(raw, kind, held, at).reshape(rows, -1)
        self._scales = np.frombuffer(raw, scales, count, at + held).reshape(rows, -1)
        self._bits = bits
        self.size = held + self._scales.nbytes

    def decode_rows(self, row_numbers: Any = slice(None)) -> Array:
        """The rows with these numbers as float32; by default all rows."""
        values = self._values[row_numbers]
        four = self._bits == 4
        apart: Array = _PAIRS[values].view(np.float32) if four else values.astype(np.float32)
        scales = self._scales[row_numbers].astype(np.float32)
        groups = apart.reshape(*scales.shape, -1)
        groups *= scales[..., None]
        return apart


class ContextualFile:
    """The file of the contextual embedding model, mapped into memory.

    ``tensors`` (arrays) and ``matrices`` (StoredMatrix) are found by name, ``pieces`` maps the text
    of a word piece to its number.
    """

    def __init__(self, path: str) -> None:
        """Map the file and look at its parts; Unavailable when it is absent, cut or no model."""
        dimension, self.heads, listing, vocabulary, self.checksum = (
            contextual_header.read_contextual_header(path)
        )
        self.dimension = dimension
        with open(path, "rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.tensors: dict[str, Array] = {}
        self.matrices: dict[str, StoredMatrix] = {}
        try:
            end = self._read(contextual_header.HEADER.size + listing, vocabulary)
        except ValueError as error:
            raise contextual_header.damaged_model_error(path, "is damaged") from error
        if end != len(self._map):
            raise contextual_header.damaged_model_error(path, "has the wrong length")

    def _read(self, begin: int, vocabulary: int) -> int:
        at = begin + vocabulary
        text = self._map[begin:at].split(b"\n")
        self.pieces = dict(zip(text, range(len(text)), strict=True))
        for line in self._map[contextual_header.HEADER.size : begin].decode().splitlines():
            name, *numbers = line.split(" ")
            bits, rows, *columns = map(int, numbers)
            if columns:
                self.matrices[name] = StoredMatrix(self._map, at, bits, rows, columns[0])
                at += self.matrices[name].size
            else:
                self.tensors[name] = np.frombuffer(self._map, "<f4", rows, at)
                at += self.tensors[name].nbytes
        return at

    def is_checksum_valid(self) -> bool:
        """Whether the checksum in the header fits the file, which is read whole (12 MB)."""
        from hashlib import sha256  # noqa: PLC0415 (2.6 ms, and no query verifies)

        with memoryview(self._map) as whole:
            return sha256(whole[contextual_header.HEADER.size :]).hexdigest() == self.checksum
