"""The file of a static model: a vocabulary, and a row of bytes for each word piece.

Nothing is parsed at load: a query touches the pages of its own words only. A piece is found by
hashing (CRC-32, open addressing over twice as many slots as pieces), so no dictionary is built.

Layout, all little-endian: a header of 80 bytes (magic ``GMSTATIC``; u32 version, dimension, pieces,
slots; u32 length of the vocabulary text; 16 bytes of zero; SHA-256 of everything after the header;
u32 CRC-32 of the header before it); u16 slots (piece + 1, 0 is empty); u32 offsets into the text
(pieces + 1); f32 scale of each row; the vocabulary text; the rows. The scale has the piece's
weight in it: the vector of a text is the sum of scale * row over its pieces. The file is written by
``tests.bench.training.table_file``.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterable
from zlib import crc32

from gitmem.errors import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

MAGIC = b"GMSTATIC"
VERSION = 1
HEADER = struct.Struct("<8s5I16x32sI")
_U16 = struct.Struct("<H").unpack_from
_F32 = struct.Struct("<f").unpack_from
_HINT = "Reinstall gitmem."


class ModelTable:
    """The file of the built-in embedding model, mapped into memory.

    It maps word pieces (words or parts of words) to vectors.
    """

    __slots__ = (
        "_map",
        "_offsets",
        "_rows",
        "_scales",
        "_slots",
        "_text",
        "_view",
        "checksum",
        "dimension",
        "path",
        "pieces",
    )  # fmt: skip

    def __init__(self, path: Path | str) -> None:
        """Map the file; Unavailable when it is absent, cut short or no such model."""
        self.path = path
        self._map = _mapped(path)
        try:
            self._read_header()
        except BaseException:
            self._map.close()
            raise

    def _read_header(self) -> None:
        if len(self._map) < HEADER.size:
            raise _damaged(self.path, "is truncated")
        fields = HEADER.unpack_from(self._map)
        magic, version, self.dimension, self.pieces, slots, text, digest, crc = fields
        if magic != MAGIC or version != VERSION:
            raise _damaged(self.path, "is not a model this gitmem can read")
        if crc != crc32(self._map[: HEADER.size - 4]):
            raise _damaged(self.path, "has a damaged header")
        self.checksum: str = digest.hex()
        self._slots = HEADER.size
        self._offsets = self._slots + 2 * slots
        self._scales = self._offsets + 4 * (self.pieces + 1)
        self._text = self._scales + 4 * self.pieces
        self._rows = self._text + text
        if len(self._map) != self._rows + self.pieces * self.dimension:
            raise _damaged(self.path, "has the wrong length")
        self._view = memoryview(self._map)

    def close(self) -> None:
        """Unmap the file; the table is of no use afterwards."""
        self._view.release()
        self._map.close()

    def verify_checksum(self) -> None:
        """Read the whole file (11 MB); raises Unavailable if its checksum differs."""
        from hashlib import sha256  # noqa: PLC0415 (2.6 ms, and no query verifies)

        if sha256(self._view[HEADER.size :]).hexdigest() != self.checksum:
            raise _damaged(self.path, "does not match its checksum")

    def find_piece_number(self, piece: bytes) -> int:
        """The number of a word piece, given as UTF-8 bytes, or -1."""
        slots = (self._offsets - self._slots) // 2
        at = crc32(piece) % slots
        while number := _U16(self._map, self._slots + 2 * at)[0]:
            found: int = number - 1
            if self.piece_text(found) == piece:
                return found
            at = (at + 1) % slots
        return -1

    def piece_text(self, piece_number: int) -> bytes:
        """The UTF-8 bytes of a word piece."""
        begin, end = struct.unpack_from("<2I", self._map, self._offsets + 4 * piece_number)
        return self._map[self._text + begin : self._text + end]

    def scaled_rows(self, piece_numbers: Iterable[int]) -> list[tuple[float, memoryview]]:
        """(scale, row of signed bytes) of each word piece; its vector is their product."""
        rows, size = self._view[self._rows :].cast("b"), self.dimension
        return [
            (_F32(self._map, self._scales + 4 * number)[0], rows[number * size :][:size])
            for number in piece_numbers
        ]

    def all_scales_and_rows(self) -> tuple[memoryview, memoryview]:
        """The scales (float32) and rows (signed bytes) of all word pieces, one after another."""
        return self._view[self._scales : self._text], self._view[self._rows :]


def _mapped(path: Path | str) -> mmap.mmap:
    try:
        with open(path, "rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError as error:
        raise Unavailable(f"The built-in model {path} is missing.", _HINT) from error
    except ValueError as error:
        raise _damaged(path, "is empty") from error
    except OSError as error:
        raise Unavailable(f"The built-in model {path} cannot be read: {error}.", _HINT) from error


def _damaged(path: Path | str, what: str) -> Unavailable:
    return Unavailable(f"The built-in model {path} {what}.", _HINT)
