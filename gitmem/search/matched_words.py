"""Which words of a question a text holds: pure, for the few texts that are shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from gitmem.text import identifiers
from gitmem.text.stem import stem

_WORD = re.compile(r"\w+")


def held(words: Sequence[str], text: str) -> tuple[str, ...]:
    """The words (lower case) that stand in the text, whole, as part of a name, or inflected."""
    if text.isascii():
        low = text.lower()
        return tuple(word for word in words if _stands(stem(word), text, low))
    there = {stem(term) for term in identifiers.terms(text)}
    return tuple(word for word in words if stem(word) in there)


def _stands(its: str, text: str, low: str) -> bool:
    """Whether a word with that stem is in the text: only words that hold the stem are taken apart,
    which is a fifth of the work of taking apart the whole text."""
    at = low.find(its) if its else -1
    while at >= 0:
        start = at
        while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
            start -= 1
        found = _WORD.match(text, start)
        end = found.end() if found else at + 1
        if its in _stems(text[start:end]):
            return True
        at = low.find(its, max(end, at + 1))
    return False


# The pieces of one answer share most of their words, and so do the answers of a server.
@lru_cache(maxsize=1 << 14)
def _stems(word: str) -> frozenset[str]:
    """The stems of a name and of its parts."""
    return frozenset([stem(term) for term in identifiers.terms(word)])
