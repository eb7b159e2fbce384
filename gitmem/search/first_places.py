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

from collections.abc import Callable, Mapping, Sequence

from gitmem.model.frozen import dataclass

# So many places are given by what the hits hold, and so many more to kinds that hold as much.
PLACES, MORE = 3, 2
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
# Hits of a kind that are looked at, if it is code, documents or asked for; of others one.
EACH = 3
_NONE = float("-inf")


@dataclass(frozen=True, slots=True)
class Hit:
    """A hit: its kind, and its score among its kind."""

    kind: str
    among: float


def order(
    hits: Sequence[Hit], holds: Callable[[int], float], wants: Mapping[str, float], *, place: bool
) -> list[int]:
    """The numbers of the hits that take the first places, in their order.

    ``holds`` tells how much of the question a hit holds: it is asked of the few that may come
    next. ``wants`` is how surely (0 to 1) each kind is asked for, ``place`` that a place is.
    """
    of_kind: dict[str, list[int]] = {}
    for number in sorted(range(len(hits)), key=lambda number: -hits[number].among):
        if hits[number].kind in LESS:
            of_kind.setdefault(hits[number].kind, []).append(number)

    def value(kind: str, at: int) -> float:
        numbers = of_kind[kind][: most(kind, wants)]
        if at == len(numbers):
            return _NONE
        share = hits[numbers[at]].among / (hits[numbers[0]].among or 1.0)
        less = WORSE * (1 - share) + FURTHER * at - _nudge(kind, wants, place=place)
        return holds(numbers[at]) - less

    taken = dict.fromkeys(of_kind, 0)
    values = {kind: value(kind, 0) for kind in of_kind}
    mostly = FIRST * (1 - max(wants.values(), default=0.0))
    first: list[int] = []
    while len(first) < PLACES and max(values.values(), default=_NONE) > _NONE:
        code = 0.0 if first else mostly
        kind = max(values, key=lambda kind: values[kind] + (code if kind == "code" else 0.0))
        first.append(of_kind[kind][taken[kind]])
        taken[kind] += 1
        values[kind] = value(kind, taken[kind])
    # Another kind whose best holds as much as the first hit follows them.
    shown = {hits[number].kind for number in first}
    for kind in sorted(values.keys() - shown, key=lambda kind: -values[kind]):
        if len(first) < PLACES + MORE and values[kind] >= holds(first[0]):
            first.append(of_kind[kind][0])
    return first


def _asked(kind: str, wants: Mapping[str, float]) -> float:
    """How surely (0 to 1) a kind is asked for; a changelog tells the history as commits do."""
    past = wants.get("history", 0.0) if kind in ("commit", "changelog") else 0.0
    return max(past, wants.get(kind, 0.0))


def _nudge(kind: str, wants: Mapping[str, float], *, place: bool) -> float:
    """What the wording of a question adds to hits of a kind, less what they seem to hold."""
    asked = _asked(kind, wants)
    told = (HOW if kind in _HOW else ASKED_FOR) * asked
    elsewhere = PLACE * (1 - asked) if place and kind != "code" else 0.0
    return told - elsewhere - LESS[kind]


def most(kind: str, wants: Mapping[str, float]) -> int:
    """How many of a kind may take places: of one that repeats the code's words one by itself."""
    return EACH if not LESS[kind] or _asked(kind, wants) > 0 else 1
