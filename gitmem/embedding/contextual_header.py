"""The header of a contextual model's file, readable without numpy.

80 bytes, little-endian: magic ``GMCONTXT``; u32 version, dimension, heads, length of the listing,
length of the vocabulary; 16 bytes of zero; SHA-256 of everything after the header; u32 CRC-32 of
the header before it. ``contextual_file`` describes the rest of the file.
"""

from __future__ import annotations

from struct import Struct
from zlib import crc32

from gitmem.errors import Unavailable

MAGIC = b"GMCONTXT"
VERSION = 1
HEADER = Struct("<8s5I16x32sI")
_HINT = "Reinstall gitmem."


def read_contextual_header(path: str) -> tuple[int, int, int, int, str]:
    """The header of the file of a contextual embedding model.

    Returns the dimension of its vectors, the number of attention heads, the lengths in bytes of the
    list of its weights and of its vocabulary, and its checksum. Raises Unavailable if the file
    cannot be read or is no such model.
    """
    try:
        with open(path, "rb") as file:
            raw = file.read(HEADER.size)
    except OSError as error:
        raise Unavailable(f"The embedding model {path} cannot be read: {error}.", _HINT) from error
    if len(raw) < HEADER.size:
        raise damaged_model_error(path, "is truncated")
    magic, version, dimension, heads, listing, vocabulary, digest, crc = HEADER.unpack(raw)
    if magic != MAGIC or version != VERSION:
        raise damaged_model_error(path, "is not a model this gitmem can read")
    if crc != crc32(raw[:-4]):
        raise damaged_model_error(path, "has a damaged header")
    return dimension, heads, listing, vocabulary, digest.hex()


def damaged_model_error(path: str, problem: str) -> Unavailable:
    """The Unavailable error to raise for a file that is no valid model; ``problem`` says why."""
    return Unavailable(f"The embedding model {path} {problem}.", _HINT)
