"""Which hits of a search come first, of those that are best of their kind: pure.

Code, documents, configuration, tests, examples, changelogs, commits and memories each have an order
of their own. Their best are held against each other by one measure: how much of the question a
single passage holds, by the rarity of its words and once more by those of its heading, and how like
it the passage is (``best_piece.value``). Each further hit of a kind has to hold more than the one
before it, so that a kind which answers as well as the first takes one of the first places.

How a question is worded only nudges. The figures below were chosen together on five sets and held
against each with that set left out; half or twice of any moves few questions (docs/benchmarks.md).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from gitmem.model.frozen import dataclass

# So many places are given by what the hits hold.
PLACES = 5
# How much less of a question a hit of a kind seems to hold: a test repeats the words of the code it
# tests, and a commit those of what it changed long ago. Kinds that are not here take no place.
LESS = {
    "code": 0.0,
    "docs": 0.0,
    "memory": 0.2,
    "config": 0.4,
    "markup": 0.4,
    "example": 0.5,
    "commit": 0.7,
    "test": 0.8,
    "changelog": 0.8,
}
# What it counts that a kind is surely asked for; that somebody asks how is less of a hint.
ASKED_FOR, HOW = 1.3, 0.2
_HOW = frozenset(("docs", "example"))
# A question for a place means the code; and so does any for the first place, if no kind is named.
PLACE, FIRST = 0.4, 0.8
# What each hit of a kind counts less than the one before, and by how much worse it is among them.
FURTHER, WORSE = 0.2, 0.4
# Hits of a kind that are looked at.
EACH = 4


@dataclass(frozen=True, slots=True)
class Held:
    """A hit: its kind, its score among its kind, and how much of the question it holds."""

    kind: str
    among: float
    holds: float


def order(hits: Sequence[Held], wants: Mapping[str, float], *, place: bool) -> list[int]:
    """The numbers of the hits that take the first places, in their order.

    ``wants`` is how surely (0 to 1) each kind is asked for, ``place`` that a place is.
    """
    nudges = {kind: _nudge(kind, wants, place=place) for kind in LESS}
    surest = max(wants.values(), default=0.0)
    values = {number: 0.0 for number, hit in enumerate(hits) if hit.kind in LESS}
    of_kind: dict[str, list[int]] = defaultdict(list)
    for number in sorted(values, key=lambda number: -hits[number].among):
        of_kind[hits[number].kind].append(number)
    for kind, numbers in of_kind.items():
        best = hits[numbers[0]].among or 1.0
        for at, number in enumerate(numbers):
            worse = WORSE * (1 - hits[number].among / best) + FURTHER * at
            values[number] = hits[number].holds + nudges[kind] - worse
    first: list[int] = []
    while len(first) < PLACES and any(of_kind.values()):
        mostly = 0.0 if first else FIRST * (1 - surest)
        kind = max(
            (kind for kind, numbers in of_kind.items() if numbers),
            key=lambda kind: values[of_kind[kind][0]] + (mostly if kind == "code" else 0.0),
        )
        first.append(of_kind[kind].pop(0))
    return first


def _nudge(kind: str, wants: Mapping[str, float], *, place: bool) -> float:
    """What the wording of a question adds to hits of a kind, less what they seem to hold."""
    # A changelog tells the history.
    asked = wants.get("history" if kind in ("commit", "changelog") else kind, 0.0)
    asked = max(asked, wants.get(kind, 0.0))
    told = (HOW if kind in _HOW else ASKED_FOR) * asked
    elsewhere = PLACE * (1 - asked) if place and kind != "code" else 0.0
    return told - elsewhere - LESS[kind]
