"""Encoding git's paths as text, and displaying them safely.

Git's names are arbitrary bytes: they may hold newlines, escape sequences, bidirectional overrides
that reverse what is read, invisible characters, or invalid UTF-8. Inside gitmem a path is text with
``surrogateescape``, so no byte is lost; shown paths go through ``display_path``.
"""

from __future__ import annotations


def decode_path(path: bytes) -> str:
    """Convert a path from git's bytes to text, from which ``encode_path`` restores the bytes."""
    return path.decode("utf-8", "surrogateescape")


def encode_path(path: str) -> bytes:
    """Convert a path from the text that ``decode_path`` makes back to git's bytes."""
    return path.encode("utf-8", "surrogateescape")


def display_path(path: str) -> str:
    r"""The path with unprintable characters written as ``\n``, ``\xff`` or ``\u202e``.

    Printable text of any language stays as it is. For reading only: it cannot be turned back.
    """
    return path if path.isprintable() else "".join(map(_shown, path))


def _shown(char: str) -> str:
    if char.isprintable():
        return char
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of invalid UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")
