"""Reading JSON Lines that nobody vouches for, in bounded memory.

A line that is too long, is no JSON object or is not finished yet is counted and left out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO, Protocol

MAX_LINE_BYTES = 8 << 20
DAMAGED, OVERSIZED, UNFINISHED = "damaged", "oversized", "unfinished"


class IncrementalHash(Protocol):
    """A hash object, such as one of hashlib's, to which content is added piece by piece."""

    def update(self, content: bytes, /) -> None:
        """Add bytes to what is hashed."""


def read_json_objects(
    file: BinaryIO, max_bytes: int, skipped_counts: Counter[str], content_hash: IncrementalHash
) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in the first ``max_bytes`` bytes of a file, one a line.

    Lines without an object are counted in ``skipped_counts`` by reason (``damaged``, ``oversized``,
    ``unfinished``); all bytes are added to ``content_hash``.
    """
    read = 0
    while read < max_bytes and (line := file.readline(MAX_LINE_BYTES)):
        read += len(line)
        content_hash.update(line)
        whole = line.endswith(b"\n")
        if not whole and len(line) >= MAX_LINE_BYTES:
            while (rest := file.readline(MAX_LINE_BYTES)) and read < max_bytes:
                read += len(rest)
                content_hash.update(rest)
                if rest.endswith(b"\n"):
                    break
            skipped_counts[OVERSIZED] += 1
            continue
        row = parse_json_object(line)
        if row is not None:
            yield row
        elif line.strip():
            skipped_counts[DAMAGED if whole else UNFINISHED] += 1


def parse_json_object(line: bytes) -> dict[str, Any] | None:
    """Return the JSON object in a line; None if it holds none."""
    try:
        row = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
