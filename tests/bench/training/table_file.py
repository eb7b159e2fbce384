"""Writing the file of a static model; its layout stands in ``gitmem.embedding.table``."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Sequence
from hashlib import sha256
from zlib import crc32

from gitmem.embedding.table import HEADER, MAGIC, VERSION


def pack(pieces: Sequence[bytes], scales: Iterable[float], rows: bytes, dimension: int) -> bytes:
    """The file's bytes. ``rows`` is flat int8, ``len(pieces) * dimension`` long."""
    if len(rows) != len(pieces) * dimension or not 0 < len(pieces) < 65_535:
        raise ValueError("has rows and tokens that do not match")
    slots = 1 << (2 * len(pieces) - 1).bit_length()
    offsets = [0]
    for piece in pieces:
        offsets.append(offsets[-1] + len(piece))
    text = b"".join(pieces)
    body = b"".join([
        struct.pack(f"<{slots}H", *_hashed(pieces, slots)),
        struct.pack(f"<{len(offsets)}I", *offsets),
        struct.pack(f"<{len(pieces)}f", *scales),
        text,
        rows,
    ])  # fmt: skip
    head = HEADER.pack(
        MAGIC, VERSION, dimension, len(pieces), slots, len(text), sha256(body).digest(), 0
    )[:-4]
    return head + struct.pack("<I", crc32(head)) + body


def _hashed(pieces: Sequence[bytes], slots: int) -> array[int]:
    table = array("H", bytes(2 * slots))
    for number, piece in enumerate(pieces, 1):
        at = crc32(piece) % slots
        while table[at]:
            at = (at + 1) % slots
        table[at] = number
    return table
