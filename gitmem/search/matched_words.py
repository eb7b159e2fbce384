"""Finding which words of a question a text contains. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from gitmem.text import identifiers
from gitmem.text.stem import stem

# As ``identifiers`` reads words.
_WORD = re.compile(r"[\w\u0300-\u036f]+")
# Words of so many letters are remembered.
_REMEMBERED = 64


def words_in_text(words: Sequence[str], text: str) -> tuple[str, ...]:
    """Those of ``words`` that a text contains: whole, as part of a name, or inflected."""
    low = text.lower()
    # In a few scripts lower case is longer, or hangs on the letters beside it.
    if text.isascii() or (len(low) == len(text) and "".join(words).isascii()):
        # Most words are nowhere in most texts.
        return tuple(
            [word for word in words if (its := stem(word)) in low and _stands(its, text, low)]
        )
    there = _stems(text)
    return tuple(
        [word for word in words if stem(word) in there or ("." in word and _number(word, text))]
    )


def _stands(its: str, text: str, low: str) -> bool:
    """Whether a word with that stem is in the text. Only words around the stem are split, which
    is a fifth of the work of splitting the text."""
    if "." in its:
        return _number(its, low)
    at = low.find(its) if its else -1
    while at >= 0:
        start = at
        while start and (
            (before := text[start - 1]).isalnum() or before == "_" or "\u0300" <= before <= "\u036f"
        ):
            start -= 1
        found = _WORD.match(text, start)
        end = found.end() if found else at + 1
        if its in word_stems(text[start:end]):
            return True
        at = low.find(its, max(end, at + 1))
    return False


def _number(version: str, text: str) -> bool:
    """Whether a version such as 3.8 stands in the text, whole or as the beginning of 3.8.1."""
    return re.search(rf"(?<![\d.]){re.escape(version)}(?!\d)", text) is not None


def word_stems(word: str) -> frozenset[str]:
    """The stems of a word and of its parts, as a frozenset: ``readFiles`` has read and file."""
    return _cached_stems(word) if len(word) <= _REMEMBERED else _stems(word)


def _stems(text: str) -> frozenset[str]:
    return frozenset([stem(term) for term in identifiers.words_and_identifier_parts(text)])


_cached_stems = lru_cache(maxsize=8_192)(_stems)
