"""How well passages support an answer, and whether they support one at all: pure.

Three things tell of a passage: how well the search found it, how much of the question it holds by
the rarity of its words, and how like the question it is. Of all together also counts the rarest
word that none holds: what a repository does not have is mostly asked for by its name. The weights
were chosen on the everyday questions that are not kept from tuning (``docs/benchmarks.md``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gitmem.model.frozen import dataclass
from gitmem.search.matched_words import held

# What the share of the words held, and the cosine, add to the score of the search.
SHARE, ALIKE = 0.3, 0.3
# What a word costs that none of the best passages holds.
MISSING = 0.6
# Passages that are looked at together, and what they have to reach.
TOP, ENOUGH = 3, 0.54


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


def enough(best: Sequence[Supported], rarity: Mapping[str, float], most: float) -> bool:
    """Whether the best passages, in their order, answer rather than are the nearest there is.

    ``rarity`` has the words of the question, ``most`` is that of a word that is nowhere.
    """
    if not best:
        return False
    there = frozenset[str]().union(*(one.words for one in best[:TOP]))
    missing = max((rarity[word] for word in rarity.keys() - there), default=0.0)
    reached = (
        _share(there, rarity)
        + max(one.alike for one in best)
        + max(one.score for one in best)
        - MISSING * missing / most
    )
    return reached >= ENOUGH


def _share(words: frozenset[str], rarity: Mapping[str, float]) -> float:
    total = sum(rarity.values())
    return sum(rarity[word] for word in words) / total if total else 0.0
