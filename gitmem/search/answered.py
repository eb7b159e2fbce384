"""Whether what was found answers, or is only the nearest there is: pure.

Three things tell: how much of the question the best hits hold, by the rarity of its words; how like
it they are in meaning; and how rare the rarest word is that none of them holds, since a thing the
repository does not have is mostly called by its name. People ask for what is there in other words
too, so the limits are low: they were set so that one in 20 questions with an answer is doubted
(``docs/benchmarks.md``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gitmem.model.frozen import dataclass
from gitmem.search.matched_words import held

# Hits that are looked at.
TOP = 3
# What a word costs that no hit holds, as a share of what an unknown one costs.
MISSING = 0.66
# What has to be reached, by the legs that were asked.
LEAST = {"keyword": -0.38, "semantic": 0.3, "hybrid": -0.04}


@dataclass(frozen=True, slots=True)
class Found:
    """A hit: its text with its names and path, and its cosine; None where it was not computed."""

    text: str
    similarity: float | None


def answers(rarity: Mapping[str, float], most: float, best: Sequence[Found], mode: str) -> bool:
    """Whether one of the best hits is likely an answer, not only the nearest there is.

    ``rarity`` has the words of the question, ``most`` is that of an unknown word; ``mode`` is
    keyword, semantic or hybrid.
    """
    if not best:
        return False
    there = [set(held([*rarity], one.text)) for one in best]
    total = sum(rarity.values()) or 1.0
    share = max(sum(rarity[word] for word in some) for some in there) / total
    missed = max((rarity[word] for word in rarity.keys() - set().union(*there)), default=0.0)
    alike = max((one.similarity or 0.0) for one in best)
    words = share - MISSING * missed / most
    reached = {"keyword": words, "semantic": alike}.get(mode, words + alike)
    return reached >= LEAST[mode]
