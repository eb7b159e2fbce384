"""Which hits of a search come first, of those that are best of their kind: pure.

Code, documents, configuration, tests, examples, changelogs, commits and memories each have an order
of their own. Their best are held against each other by one measure: how much of the question a
single passage holds, by the rarity of its words and once more by those of its heading, and how like
it the passage is (``best_piece.value``). Each further hit of a kind has to hold more than the one
before it, so that a kind which answers as well as the first takes one of the first places.

How a question is worded only nudges. The three figures below were chosen on five sets; chosen on
any four of them the rule is one question of 571 worse on the fifth. What is tied to them was chosen
knowing all five (docs/benchmarks.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gitmem.model.frozen import dataclass

# So many places are given by what the hits hold, and so many more to kinds that hold as much.
PLACES, MORE = 3, 2
# How much less of a question a hit seems to hold: of a kind that stands beside code and documents;
# of one that repeats them, as a test does the code it tests, and a commit what it changed long ago;
# and each hit of a kind than the one before it.
BESIDE, REPEATS, FURTHER = 0.6, 1.0, 0.15
# Kinds that are not here take no place.
LESS = {
    "code": 0.0,
    "docs": 0.0,
    "memory": FURTHER,
    **dict.fromkeys(("config", "markup", "example"), BESIDE),
    **dict.fromkeys(("commit", "test", "changelog"), REPEATS),
}
# What it counts that a kind is surely asked for. Documents and examples are hinted at by any "how":
# then code is less surely first, and a named example is as good as code, that is all.
ASKED_FOR = BESIDE + REPEATS
_HOW = frozenset(("docs", "example"))
# A question for a place means the code; and so does any for the first place, if no kind is named.
PLACE = FIRST = BESIDE
# What a hit counts less that is worse among its kind than the best, if it had no score there.
WORSE = 2 * FURTHER
# Hits of a kind that are looked at, if it is code, documents or asked for; of others one.
EACH = 3
_NONE = float("-inf")


@dataclass(frozen=True, slots=True)
class Hit:
    """A hit: its kind, and its score among its kind."""

    kind: str
    among: float


def order(
    hits: Sequence[Hit],
    holds: Callable[[int], float],
    wants: Mapping[str, float],
    *,
    place: bool,
    page: int,
) -> list[int]:
    """The numbers of the hits of the first page, in their order, of at most ``page`` hits.

    ``hits`` are all, the best first by words and meaning. ``holds`` tells how much of the question
    a hit holds: it is asked of few. ``wants`` is how surely (0 to 1) each kind is asked for,
    ``place`` that a place is. What would have been on the page stays there; where others take
    places, those give way that hold least.
    """
    first = _first(hits, holds, wants, place=place)
    behind = [number for number in range(min(page, len(hits))) if number not in first]
    over = max(len(first) + len(behind) - page, 0)

    def value(number: int) -> tuple[float, int]:
        kind = hits[number].kind
        net = holds(number) + _nudge(kind, wants, place=place) if kind in LESS else _NONE
        return net, -number

    least = sorted(behind, key=value)[:over] if over else []
    return [*first, *(number for number in behind if number not in least)]


def _first(
    hits: Sequence[Hit], holds: Callable[[int], float], wants: Mapping[str, float], *, place: bool
) -> list[int]:
    """The numbers of the hits that take the first places."""
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
    # Configuration repeats nothing: where its best is better than the second and the third, among
    # their kinds and by what they hold, it takes the third place, whatever is asked for.
    if taken.get("config") == 0 and len(first) == PLACES:
        config = of_kind["config"][0]
        if all(_better(hits, holds, config, number) for number in first[1:]):
            first[-1] = config
    # Which of them are shown is told by what they hold; behind the first their order stays.
    first[1:] = sorted(first[1:])
    # Another kind whose best holds as much as the first hit follows them.
    shown = {hits[number].kind for number in first}
    for kind in sorted((one for one in values if one not in shown), key=lambda one: -values[one]):
        if len(first) < PLACES + MORE and values[kind] >= holds(first[0]):
            first.append(of_kind[kind][0])
    return first


def _better(hits: Sequence[Hit], holds: Callable[[int], float], one: int, other: int) -> bool:
    """Whether a hit is better than another by both measures."""
    return hits[one].among > hits[other].among and holds(one) > holds(other)


def _asked(kind: str, wants: Mapping[str, float]) -> float:
    """How surely (0 to 1) a kind is asked for; a changelog tells the history as commits do."""
    past = wants.get("history", 0.0) if kind in ("commit", "changelog") else 0.0
    return max(past, wants.get(kind, 0.0))


def _nudge(kind: str, wants: Mapping[str, float], *, place: bool) -> float:
    """What the wording of a question adds to hits of a kind, less what they seem to hold."""
    asked = _asked(kind, wants)
    told = LESS[kind] * (asked == 1) if kind in _HOW else ASKED_FOR * asked
    elsewhere = PLACE * (1 - asked) if place and kind != "code" else 0.0
    return told - elsewhere - LESS[kind]


def most(kind: str, wants: Mapping[str, float]) -> int:
    """How many of a kind may take places: of one that repeats the code's words one by itself."""
    return EACH if not LESS[kind] or _asked(kind, wants) > 0 else 1
