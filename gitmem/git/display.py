"""Paths and names as people and models may safely see them.

Git's names are bytes chosen by anybody: they may hold newlines, escape sequences, bidirectional
overrides that reverse what is read, invisible characters, or bytes that are no UTF-8. Inside
gitmem a path is text by ``surrogateescape``, so the bytes are never lost; on the way out it goes
through here.
"""

from __future__ import annotations


def decode_path(path: bytes) -> str:
    """Git's bytes as text that ``encode_path`` turns back exactly."""
    return path.decode("utf-8", "surrogateescape")


def encode_path(path: str) -> bytes:
    """The bytes git knows a path by."""
    return path.encode("utf-8", "surrogateescape")


def display_path(path: str) -> str:
    r"""The path with every unprintable character written out: ``\n``, ``\xff``, ``\u202e``.

    Printable text of any language stays as it is. For reading only: it cannot be turned back.
    """
    return path if path.isprintable() else "".join(map(_shown, path))


def _shown(char: str) -> str:
    if char.isprintable():
        return char
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was no UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")
