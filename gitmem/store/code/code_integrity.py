"""Damage in what an index run made: vectors, chunks and commits against their checksums.

Structural checks miss a changed bit in a text or a vector; search would rank by it for ever.
"""

from __future__ import annotations

import zlib

from gitmem.store.code.embedded_text import of_chunk, of_commit
from gitmem.store.db.connection import Database
from gitmem.store.db.content_hash import mark

# What redaction took out after the hash was made is no damage.
_REDACTED = "[redacted"
_CHUNKS = "SELECT hash, context, symbol, text FROM chunks"
_COMMITS = "SELECT hash, subject, body FROM commits"
_VECTORS = "SELECT v.crc, v.q8, b.bits FROM vectors AS v LEFT JOIN vector_bits AS b ON b.id = v.id"


def checksum(q8: bytes, bits: bytes) -> int:
    """What is kept beside a vector and its sign bits."""
    return zlib.crc32(bits, zlib.crc32(q8))


def problems(database: Database) -> list[str]:
    """What does not fit its checksum, a sentence for each kind; reads every row."""
    counts = {
        "vectors": sum(
            crc != checksum(q8, bits or b"") for crc, q8, bits in database.rows(_VECTORS)
        ),
        "indexed chunks": sum(
            mark(of_chunk(*texts)) != known
            for known, *texts in database.rows(_CHUNKS)
            if not any(_REDACTED in text for text in texts)
        ),
        "indexed commits": sum(
            mark(of_commit(subject, body)) != known
            for known, subject, body in database.rows(_COMMITS)
        ),
    }
    return [f"{count} {what} are damaged" for what, count in counts.items() if count]
