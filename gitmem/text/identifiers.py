"""Splitting identifiers, so that a search for "server" finds ``HTTPServer`` and ``http_server.py``.

``split_identifiers`` returns the parts, ``words_and_identifier_parts`` the parts and the whole
words as SQLite's FTS5 sees them (tokenizer ``unicode61`` with ``tokenchars '_'``). Both serve
indexing and queries, so that the two agree. Everything is lower case; accents are left to FTS5.

Chinese, Japanese and Korean are written without spaces (or with attached endings): a run of such
letters is cut into overlapping pairs, so that 中文 is found in 我们用中文写.
"""

from __future__ import annotations

import re
from functools import cache

# FTS5 keeps combining accents inside a word; Python's \w does not count them.
_WORD = re.compile(r"[\w\u0300-\u036f]+")
# Kana, Han, Hangul, and the marks used among them.
_CJK = (
    r"\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    r"\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_ASCII_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def split_identifiers(text: str) -> list[str]:
    """Return the parts of every identifier in lower case, in order.

    ``HTTPServer.max_size2`` gives http, server, max, size, 2: it splits at case changes, digits,
    ``_`` and whatever is not a letter or digit.
    """
    return [part for word in _WORD.findall(text) for part in _parts(word)]


def words_and_identifier_parts(text: str) -> list[str]:
    """Return the words of a text, each followed by its parts as in ``split_identifiers``.

    In lower case, in order, without repeats.
    """
    unique: dict[str, None] = {}
    for word in _WORD.findall(text):
        whole = word.lower()
        if whole.strip("_"):
            unique[whole] = None
            if not (whole.isascii() and whole.isalpha() and word in {whole, word.title()}):
                unique.update(dict.fromkeys(_parts(word)))
    return list(unique)


def _parts(word: str) -> list[str]:
    if word.isascii():
        return [part.lower() for part in _ASCII_PART.findall(word)]
    return [part for piece in word.split("_") for run in _run().findall(piece) for part in _of(run)]


def _of(run: str) -> list[str]:
    if is_in_unspaced_script(run):
        return [run[at : at + 2] for at in range(len(run) - 1)] or [run]
    parts: list[str] = []
    start = 0
    for index in range(1, len(run)):
        if _cut(run, index):
            parts.append(run[start:index].lower())
            start = index
    return [*parts, run[start:].lower()]


def is_in_unspaced_script(word: str) -> bool:
    """Return whether a word begins with a Chinese, Japanese or Korean character."""
    return not word.isascii() and _unspaced().match(word) is not None


# Compiled for the first word beyond ASCII: 8 ms that most commands do not need.
@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{_CJK}]")


@cache
def _run() -> re.Pattern[str]:
    return re.compile(f"[{_CJK}]+|[^{_CJK}]+")


def _cut(piece: str, index: int) -> bool:
    """Whether a new part begins at ``index`` of a word with letters beyond ASCII."""
    before, here = piece[index - 1], piece[index]
    if before.isnumeric() != here.isnumeric():
        return True
    if not here.isupper():
        return False
    return before.islower() or (before.isupper() and piece[index + 1 : index + 2].islower())
