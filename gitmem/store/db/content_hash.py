"""The hash of a text, under which its vector is stored."""

from __future__ import annotations

from gitmem.text.digest import blake2b


def hash_text(text: str) -> bytes:
    """The BLAKE2b hash of a text, 16 bytes."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
