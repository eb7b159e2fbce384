"""How well passages support an answer: pure.

Three things tell of a passage: how well the search found it, how much of the question it holds by
the rarity of its words, and how like the question it is. Whether all together support one at all is
judged as for `search` (``answered``).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gitmem.model.frozen import dataclass
from gitmem.search import best_piece
from gitmem.search.matched_words import held

# What the share of the words held, and the cosine, add to the score of the search.
SHARE, ALIKE = 0.3, 0.3


@dataclass(frozen=True, slots=True)
class Supported:
    """A passage: its score in the search (0 to 1), words of the question it holds, its cosine.

    ``share`` is how much of the question it holds, what code calls its words too; 0 to 1.
    """

    score: float
    words: frozenset[str]
    alike: float
    share: float


def support(
    score: float,
    text: str,
    alike: float,
    rarity: Mapping[str, float],
    related: Mapping[str, float] = MappingProxyType({}),
) -> Supported:
    """The support of a passage by its text with its path and names.

    ``related`` is the rarity of what code may call the words of the question.
    """
    words = frozenset(held([*rarity], text))
    return Supported(score, words, max(alike, 0.0), best_piece.share(text, rarity, related))


def value(one: Supported) -> float:
    """By what passages of one answer are ordered, the highest first."""
    return one.score + SHARE * one.share + ALIKE * one.alike
