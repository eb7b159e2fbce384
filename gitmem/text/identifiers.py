"""Names taken apart, so that a search for "server" finds ``HTTPServer`` and ``http_server.py``.

``split`` gives the parts, ``terms`` the parts together with the whole words as SQLite's FTS5 sees
them (tokenizer ``unicode61`` with ``tokenchars '_'``). Both fill a search column and build queries,
so both sides always agree. Everything is lower case; accents are left to FTS5.
"""

from __future__ import annotations

import re

# FTS5 keeps combining accents inside a word; Python's \w does not count them.
_WORD = re.compile(r"[\w\u0300-\u036f]+")
_ASCII_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def split(text: str) -> list[str]:
    """Parts of every identifier, in order: ``HTTPServer.max_size2`` -> http server max size 2.

    Cuts at case changes, digits, ``_`` and everything that is no letter or digit.
    """
    return [part for word in _WORD.findall(text) for part in _parts(word)]


def terms(text: str) -> list[str]:
    """Whole words and, where they differ, their parts; in order, each once."""
    seen: dict[str, None] = {}
    for word in _WORD.findall(text):
        whole = word.lower()
        if whole.strip("_"):
            seen[whole] = None
            if not (whole.isascii() and whole.isalpha() and word in {whole, word.title()}):
                seen.update(dict.fromkeys(_parts(word)))
    return list(seen)


def _parts(word: str) -> list[str]:
    if word.isascii():
        return [part.lower() for part in _ASCII_PART.findall(word)]
    parts: list[str] = []
    for piece in word.split("_"):
        start = 0
        for index in range(1, len(piece)):
            if _cut(piece, index):
                parts.append(piece[start:index].lower())
                start = index
        if piece:
            parts.append(piece[start:].lower())
    return parts


def _cut(piece: str, index: int) -> bool:
    """Whether a new part begins at that index of a word with letters beyond ASCII."""
    before, here = piece[index - 1], piece[index]
    if before.isnumeric() != here.isnumeric():
        return True
    if not here.isupper():
        return False
    return before.islower() or (before.isupper() and piece[index + 1 : index + 2].islower())
