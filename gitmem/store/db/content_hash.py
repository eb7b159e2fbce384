"""The hash under which the vector of a text is kept: the same text is embedded once."""

from __future__ import annotations

from gitmem.text.digest import blake2b


def mark(text: str) -> bytes:
    """Sixteen bytes that stand for a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
