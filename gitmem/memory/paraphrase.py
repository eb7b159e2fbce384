"""How likely it is that two texts say the same in other words. Pure.

That is a reason to ask, never to merge. Two people describe one change in different words, and a
cosine cannot tell their texts from neighbours. The share of the shorter text that occurs in the
other, weighted by the rarity of the words, finds three times as many
(``tests/bench/paraphrases.py`` draws the curve).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from gitmem.memory import dedupe
from gitmem.text import identifiers
from gitmem.text.stem import stem
from gitmem.text.stop_words import EMPTY

# The score from which gitmem asks: 3 or 4 wrong ones per 100 new memories in a store of 1,000.
SUGGEST_FROM = 1.55
_OF_COSINE = 0.3
# Common words of the rarest kind that count in full.
_ENOUGH = 5.0
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_REVERT = re.compile(r"(?i)\brevert")


@lru_cache(1 << 12)
def words_by_stem(text: str) -> dict[str, str]:
    """{stem: word} for the words of a text and the parts of its names, but not "the" and such."""
    return {
        stem(word): word
        for word in identifiers.words_and_identifier_parts(text)
        if word not in EMPTY
    }


def paraphrase_score(
    text: str, other_text: str, cosine: float, get_idf: Callable[[str, str], float]
) -> float:
    """A score, 0 to 2.3, for how likely two texts say the same in other words.

    ``cosine`` is that of their vectors; ``get_idf`` gives the rarity of a (stem,
    word): 0 for a common word, 1 for a word of a single text.
    """
    first, second = words_by_stem(text), words_by_stem(other_text)
    shared = sum(get_idf(stem, first[stem]) for stem in first.keys() & second.keys())
    whole = min(sum(get_idf(*word) for word in words.items()) for words in (first, second))
    within = shared / whole if whole else 0.0
    return _OF_COSINE * cosine + within + min(shared, _ENOUGH) / _ENOUGH


def are_about_different_things(text: str, other_text: str) -> bool:
    """Whether two similar texts are surely about different things.

    That is so if each has a number that the other lacks, if one is a revert, or if they have nearly
    the same words except for a replaced name, word or negation.
    """
    first, second = set(_NUMBER.findall(text)), set(_NUMBER.findall(other_text))
    if (first - second and second - first) or bool(_REVERT.search(text)) != bool(
        _REVERT.search(other_text)
    ):
        return True
    return dedupe.differs_in_single_word(text, other_text)
