"""Whether two texts may say the same in other words: a score to ask about, never to merge by. Pure.

Two people word one change in words that share little, so no cosine tells them from neighbours. How
much of the shorter text stands in the other one, by how rare its words are, tells them three times
as often (``tests/bench/paraphrases.py`` draws the curve).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from gitmem.memory import dedupe
from gitmem.text import identifiers
from gitmem.text.stem import stem
from gitmem.text.stop_words import EMPTY

# From this score on somebody is asked: 3 or 4 wrong ones of 100 new memories in a store of 1,000.
ASKED_FROM = 1.55
_OF_COSINE = 0.3
# So many words of the rarest kind in common count full.
_ENOUGH = 5.0
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_REVERT = re.compile(r"(?i)\brevert")


@lru_cache(1 << 12)
def words(text: str) -> dict[str, str]:
    """The stems of a text's words and of the parts of its names, each with the word it is from."""
    return {stem(word): word for word in identifiers.terms(text) if word not in EMPTY}


def score(one: str, other: str, cosine: float, rarity: Callable[[str, str], float]) -> float:
    """How likely two texts say the same: 0 to 2.3.

    ``rarity`` is that of a stem and its word, 0 for a common one, 1 for one that one text holds.
    """
    first, second = words(one), words(other)
    shared = sum(rarity(stem, first[stem]) for stem in first.keys() & second.keys())
    whole = min(sum(rarity(*word) for word in said.items()) for said in (first, second))
    within = shared / whole if whole else 0.0
    return _OF_COSINE * cosine + within + min(shared, _ENOUGH) / _ENOUGH


def differ(one: str, other: str) -> bool:
    """Whether what tells two texts apart says that they are two.

    Each has a number that the other lacks, one takes the other back, or they have nearly the same
    words and one name, word or denial stands in place of another.
    """
    first, second = set(_NUMBER.findall(one)), set(_NUMBER.findall(other))
    if (first - second and second - first) or bool(_REVERT.search(one)) != bool(
        _REVERT.search(other)
    ):
        return True
    return dedupe.swapped(one, other)
