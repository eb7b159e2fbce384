"""Which hits come first, of those that are best of their kind (code, docs, commits, ...). Pure.

The best of each kind are compared by ``best_piece.chunk_score``: the share of the question in a
single passage, and its similarity. Each further hit of a kind is at a disadvantage, so that several
kinds share the first places. The wording of a question only nudges. The three figures below were
chosen on five sets; chosen on any four the rule is one question of 571 worse on the fifth
(docs/benchmarks.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gitmem.model.frozen import dataclass

# Places given by value, and further ones for kinds as good as the first hit.
PLACES, MORE = 3, 2
# Deductions: for kinds beside code and documents; for kinds that repeat them, such as tests and
# commits; and for each further hit of the same kind.
BESIDE, REPEATS, FURTHER = 0.6, 1.0, 0.15
# Deduction by kind; other kinds take no place.
LESS = {
    "code": 0.0,
    "docs": 0.0,
    "memory": FURTHER,
    **dict.fromkeys(("config", "markup", "example"), BESIDE),
    **dict.fromkeys(("commit", "test", "changelog"), REPEATS),
}
# Bonus for a kind that is surely asked for. Any "how" hints at documents and examples, so for these
# it only cancels the deduction.
REQUESTED = BESIDE + REPEATS
_HOW = frozenset(("docs", "example"))
# Bonus of code for questions about a place, and for the first place if no kind is asked for.
PLACE = FIRST = BESIDE
# Deduction for a hit with score 0 among its kind, less for better ones.
WORSE = 2 * FURTHER
# Hits considered of code, documents and kinds asked for; of others one.
EACH = 3
_NONE = float("-inf")


@dataclass(frozen=True, slots=True)
class KindScoredHit:
    """A search hit: its kind (code, docs, commit, ...), and its score within the kind."""

    kind: str
    score: float


def order_first_page(
    hits: Sequence[KindScoredHit],
    value_of_hit: Callable[[int], float],
    requested_kinds: Mapping[str, float],
    *,
    asks_for_place: bool,
    page_size: int,
) -> list[int]:
    """The indexes of the hits on the first page, at most ``page_size``, in the order to show them.

    ``hits`` are sorted by score; ``value_of_hit(index)`` tells how well a hit answers and is called
    for few. ``requested_kinds`` is how surely (0 to 1) the question asks for each kind,
    ``asks_for_place`` whether it asks for a place in the code. Hits of other kinds than the best
    may come in; those that answer least then leave.
    """
    first = _first(hits, value_of_hit, requested_kinds, place=asks_for_place)
    behind = [number for number in range(min(page_size, len(hits))) if number not in first]
    over = max(len(first) + len(behind) - page_size, 0)

    def value(number: int) -> tuple[float, int]:
        kind = hits[number].kind
        net = (
            value_of_hit(number) + _nudge(kind, requested_kinds, place=asks_for_place)
            if kind in LESS
            else _NONE
        )
        return net, -number

    least = sorted(behind, key=value)[:over] if over else []
    return [*first, *(number for number in behind if number not in least)]


def _first(
    hits: Sequence[KindScoredHit],
    holds: Callable[[int], float],
    wants: Mapping[str, float],
    *,
    place: bool,
) -> list[int]:

    of_kind: dict[str, list[int]] = {}
    for number in sorted(range(len(hits)), key=lambda number: -hits[number].score):
        if hits[number].kind in LESS:
            of_kind.setdefault(hits[number].kind, []).append(number)

    def value(kind: str, at: int) -> float:
        numbers = of_kind[kind][: candidate_count_of_kind(kind, wants)]
        if at == len(numbers):
            return _NONE
        share = hits[numbers[at]].score / (hits[numbers[0]].score or 1.0)
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
    # Configuration repeats nothing: if its best hit beats the second and third by both measures, it
    # takes the third place, whatever is asked for.
    if taken.get("config") == 0 and len(first) == PLACES:
        config = of_kind["config"][0]
        if all(_better(hits, holds, config, number) for number in first[1:]):
            first[-1] = config
    # Value decides which are shown; after the first they keep their order.
    first[1:] = sorted(first[1:])
    # Then other kinds whose best is as good as the first hit.
    shown = {hits[number].kind for number in first}
    for kind in sorted(
        (kind for kind in values if kind not in shown), key=lambda kind: -values[kind]
    ):
        if len(first) < PLACES + MORE and values[kind] >= holds(first[0]):
            first.append(of_kind[kind][0])
    return first


def _better(
    hits: Sequence[KindScoredHit], holds: Callable[[int], float], number: int, other: int
) -> bool:

    return hits[number].score > hits[other].score and holds(number) > holds(other)


def _certainty(kind: str, wants: Mapping[str, float]) -> float:
    """How surely (0 to 1) a kind is asked for; a changelog tells the history as commits do."""
    past = wants.get("history", 0.0) if kind in ("commit", "changelog") else 0.0
    return max(past, wants.get(kind, 0.0))


def _nudge(kind: str, wants: Mapping[str, float], *, place: bool) -> float:
    """The bonus of a kind for the wording of a question, less its deduction."""
    certainty = _certainty(kind, wants)
    hinted = LESS[kind] * (certainty == 1) if kind in _HOW else REQUESTED * certainty
    elsewhere = PLACE * (1 - certainty) if place and kind != "code" else 0.0
    return hinted - elsewhere - LESS[kind]


def candidate_count_of_kind(kind: str, requested_kinds: Mapping[str, float]) -> int:
    """How many hits of a kind are considered for the first page: 3 or 1.

    It is 3 for code, docs and kinds that the question asks for with a certainty over 0.
    """
    return EACH if not LESS[kind] or _certainty(kind, requested_kinds) > 0 else 1
