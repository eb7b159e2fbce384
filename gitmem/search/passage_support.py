"""How well passages support an answer: pure.

Three things tell of a passage: how well the search found it, how much of the question it holds by
the rarity of its words, and how like the question it is. Whether all together support one at all is
judged as for `search` (``answered``).
"""

from __future__ import annotations

from collections.abc import Mapping

from gitmem.model.frozen import dataclass
from gitmem.search.matched_words import held

# What the share of the words held, and the cosine, add to the score of the search.
SHARE, ALIKE = 0.3, 0.3


@dataclass(frozen=True, slots=True)
class Supported:
    """A passage: its score in the search (0 to 1), words of the question it holds, its cosine."""

    score: float
    words: frozenset[str]
    alike: float


def support(score: float, text: str, alike: float, rarity: Mapping[str, float]) -> Supported:
    """The support of a passage by its text with its path and names."""
    return Supported(score, frozenset(held([*rarity], text)), max(alike, 0.0))


def value(one: Supported, rarity: Mapping[str, float]) -> float:
    """By what passages of one answer are ordered, the highest first."""
    return one.score + SHARE * _share(one.words, rarity) + ALIKE * one.alike


def _share(words: frozenset[str], rarity: Mapping[str, float]) -> float:
    total = sum(rarity.values())
    return sum(rarity[word] for word in words) / total if total else 0.0
