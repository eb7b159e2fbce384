"""How well passages support an answer: pure.

These tell of a passage: how well the search found it, how much of the question it holds by the
rarity of its words, how like the question it is, and whether it is documentation where somebody
asks how something is done. Whether all together support one at all is judged as for `search`
(``answered``).

The weights were fitted to the everyday questions, each of three sets by the other two, and then
rounded (``docs/benchmarks.md``): half or twice of any moves one or two of 238 answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gitmem.model.frozen import dataclass
from gitmem.search import best_piece, file_kinds
from gitmem.search.matched_words import held

# What the share of the words held (by a passage with its path and names, and by its lines alone)
# and the cosine add to the score of the search.
SHARE, BODY, ALIKE = 0.45, 0.2, 0.4
# What documentation counts more than code, and what it does where somebody surely asks for it. It
# says in words what code only does, and the search puts it behind the code it speaks of.
PROSE, REQUESTED = 0.15, 0.4


@dataclass(frozen=True, slots=True)
class Supported:
    """A passage: its score in the search (0 to 1), words of the question it holds, its cosine.

    ``share`` is how much of the question it holds with its path and names, what code calls its
    words too, and ``body`` how much its lines do; 0 to 1.
    """

    score: float
    words: frozenset[str]
    alike: float
    share: float
    body: float = 0.0


def support(
    score: float,
    names: str,
    body: str,
    rarity: Mapping[str, float],
    related: Mapping[str, float] = MappingProxyType({}),
    *,
    alike: float = 0.0,
) -> Supported:
    """The support of a passage by its lines, and by its path and names.

    ``related`` is the rarity of what code may call the words of the question.
    """
    words, meant = list(rarity), list(related)
    own, hinted_in_body = frozenset(held(words, body)), frozenset(held(meant, body))
    named, hinted = held(words, names), held(meant, names)
    return Supported(
        score,
        own.union(named),
        max(alike, 0.0),
        best_piece.share_of(own.union(named), hinted_in_body.union(hinted), rarity, related),
        best_piece.share_of(own, hinted_in_body, rarity, related),
    )


def value(supported: Supported) -> float:
    """By what passages of one answer are ordered, the highest first."""
    return (
        supported.score + SHARE * supported.share + BODY * supported.body + ALIKE * supported.alike
    )


def documentation(path: str, wants: Mapping[str, float]) -> float:
    """What is added where a passage of prose is documentation; nothing for changelogs and licences.

    ``wants`` is how surely (0 to 1) a question asks for each kind of file, or for the history: what
    happened documents do not say.
    """
    if {"changelog", "template"}.intersection(file_kinds.kinds(path, "")) or file_kinds.LEGAL.match(
        path
    ):
        return 0.0
    return PROSE * (1 - wants.get("history", 0.0)) + REQUESTED * wants.get("docs", 0.0)
