"""Which words of a question a text holds: pure, for the few texts that are shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from gitmem.text import identifiers

# Endings that English words and the names made of them lose before they are compared.
_ENDINGS = (
    *("ations", "ation", "ators", "ator", "ions", "ings", "ion", "ing", "ies", "ers", "ors"),
    *("er", "or", "ed", "es", "s", "e", "y"),
)
_LEAST = 3


def held(words: Sequence[str], text: str) -> tuple[str, ...]:
    """The words (lower case) that stand in the text, whole, as part of a name, or inflected."""
    there = {stem(term) for term in identifiers.terms(text)}
    return tuple(word for word in words if stem(word) in there)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The word without its ending; enough to tell what matched, not to rank by."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST:
            return word[: -len(ending)]
    return word
