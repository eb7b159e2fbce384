"""Splitting compound names, so that a search finds the words inside."""

from __future__ import annotations

import re
from functools import lru_cache

from gitmem.text import identifiers


def inner_words(text: str) -> list[str]:
    """The parts of compound identifiers in a text; plain words are left out.

    Those are in a column of their own.
    """
    return [part for word in re.findall(r"\w+", text) for part in _inside(word)]


# The same few thousand words make up a repository: half of an index run was spent here.
@lru_cache(maxsize=1 << 15)
def _inside(word: str) -> tuple[str, ...]:
    if "_" not in word and word.isascii() and (word.islower() or word.isdigit()):
        return ()
    parts = identifiers.split(word)
    return tuple(parts) if len(parts) > 1 else ()
