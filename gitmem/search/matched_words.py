"""Which words of a question a text holds: pure, for the few texts that are shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from gitmem.text import identifiers

# Endings that English words and the names made of them lose before they are compared.
_ENDINGS = (
    *("ations", "ation", "ators", "ator", "ions", "ings", "ion", "ing", "ies", "ers", "ors"),
    *("er", "or", "ed", "es", "s", "e", "y"),
)
_LEAST = 3
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
        if any(stem(term) == its for term in identifiers.terms(text[start:end])):
            return True
        at = low.find(its, max(end, at + 1))
    return False


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The word without its ending; enough to tell what matched, not to rank by."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST:
            return word[: -len(ending)]
    return word
