"""Walks over what ties memories and entities: neighbours, shortest ways, lines of descent.

Pure: ``edges_of`` gives the edges that touch any of some keys. Every walk goes hop by hop and
enters each end once, so that cycles end; the same edges give the same walk, in whatever order they
come.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from gitmem.model.entity import HUBS, Edge, parted
from gitmem.model.frozen import dataclass

DEEPEST = 4
COMMIT = "commit:"
MOST_ENDS = 2000  # that a walk enters
_BESIDE = frozenset(("written_at", "began_at", "ended_at"))

EdgesOf = Callable[[Collection[str]], Iterable[Edge]]
# Entity, relation and direction.
Bundle = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """One edge walked along: at hop ``hop`` from ``via`` to ``key``."""

    hop: int
    via: str
    key: str
    edge: Edge

    @property
    def direction(self) -> str:
        """``out`` where the edge points the way it was walked, else ``in``."""
        return "out" if self.edge.source == self.via else "in"


@dataclass(frozen=True, slots=True)
class Around:
    """What lies around a start, by hop.

    ``left_out`` says how many edges an end has of a relation, where some were left out; ``early``:
    the walk ended at 2,000 ends.
    """

    steps: tuple[Step, ...]
    left_out: dict[Bundle, int]
    early: bool


def neighbours(
    start: str,
    edges_of: EdgesOf,
    *,
    depth: int = 1,
    relation: str = "",
    direction: str = "both",
    most: int = 0,
) -> Around:
    """Every edge to an end not nearer to ``start``, by hop, the strongest first.

    An end stands at its smallest hop, once for each edge that leads there. With ``most``, of each
    relation of an end the newest so many. From a hub such as an author nothing is followed.
    """
    found, left_out = list[Step](), dict[Bundle, int]()
    known, front = {start}, {start}
    for hop in range(1, depth + 1):
        steps = [
            step
            for step in _steps(hop, front, edges_of(front))
            if step.key not in known
            and relation in ("", step.edge.relation)
            and direction in ("both", step.direction)
        ]
        chosen = _newest(steps, most, left_out) if most else sorted(steps, key=_strength)
        found += chosen
        reached = {step.key for step in chosen}
        known |= reached
        front = {key for key in reached if parted(key)[0] not in HUBS}
        if len(known) > MOST_ENDS:
            return Around(tuple(found), left_out, hop < depth)
        if not front:
            break
    return Around(tuple(found), left_out, False)


def _strength(step: Step) -> tuple[float, str, str, str, str, str]:
    edge = step.edge
    return -edge.strength, edge.relation, step.key, step.via, step.direction, edge.note


def _newest(steps: Iterable[Step], most: int, left_out: dict[Bundle, int]) -> list[Step]:
    """Of each relation of each end the newest ones, in an order of their own."""
    bundles: dict[Bundle, list[Step]] = {}
    for step in steps:
        bundles.setdefault((step.via, step.edge.relation, step.direction), []).append(step)
    chosen = []
    for bundle in sorted(bundles):
        steps = sorted(bundles[bundle], key=_age)
        chosen += steps[:most]
        if len(steps) > most:
            left_out[bundle] = len(steps)
    return chosen


def _age(step: Step) -> tuple[int, str, str]:
    return -(step.edge.since or 0), step.key, step.edge.note


def path(
    start: str, goal: str, edges_of: EdgesOf, *, depth: int = DEEPEST, relation: str = ""
) -> tuple[Step, ...] | None:
    """The shortest way between two ends; None where none of at most ``depth`` edges is found.

    It is looked for from both sides, along edges in either direction, and leads through no hub: one
    author has made most commits. Of ways as short, one along edges that say more is taken, then
    along the strongest, then the newest.
    """
    if start == goal:
        return ()
    came: tuple[dict[str, Step], dict[str, Step]] = ({}, {})
    fronts = [{start}, {goal}]
    known = [{start}, {goal}]
    for hop in range(1, depth + 1):
        side = 0 if len(fronts[0]) <= len(fronts[1]) else 1
        if not fronts[side]:
            return None
        reached = set()
        for step in sorted(_steps(hop, fronts[side], edges_of(fronts[side])), key=_way):
            if step.key not in known[side] and relation in ("", step.edge.relation):
                known[side].add(step.key)
                came[side][step.key] = step
                reached.add(step.key)
        met = reached & known[1 - side]
        if met:
            return _joined(start, goal, min(met, key=lambda key: _worth(came, key)), came)
        fronts[side] = {key for key in reached if parted(key)[0] not in HUBS}
        if len(known[side]) > MOST_ENDS:
            fronts[side] = set(sorted(fronts[side])[:MOST_ENDS])
    return None


def _way(step: Step) -> tuple[bool, float, int, str, str, str]:
    edge = step.edge
    return _weak(step), -edge.strength, -(edge.since or 0), step.via, edge.relation, step.key


def _weak(step: Step) -> bool:
    """Whether an edge says only at which commit something else was done."""
    return step.edge.relation in _BESIDE


def _worth(
    came: tuple[dict[str, Step], dict[str, Step]], middle: str
) -> tuple[int, float, int, str]:
    steps = [side[middle] for side in came if middle in side]
    newest = min((step.edge.since or 0 for step in steps), default=0)
    return sum(map(_weak, steps)), -sum(step.edge.strength for step in steps), -newest, middle


def _joined(
    start: str, goal: str, middle: str, came: tuple[dict[str, Step], dict[str, Step]]
) -> tuple[Step, ...]:
    first, second = list[Step](), list[Step]()
    at = middle
    while at != start:
        first.append(came[0][at])
        at = came[0][at].via
    at = middle
    while at != goal:
        step = came[1][at]  # walked from the goal: turned round
        second.append(Step(0, at, step.via, step.edge))
        at = step.via
    steps = [*reversed(first), *second]
    return tuple(Step(hop, step.via, step.key, step.edge) for hop, step in enumerate(steps, 1))


def lineage(start: str, replaced: Iterable[tuple[str, str]]) -> list[tuple[int, str]]:
    """What something replaced and what replaced it, as (steps away, key), oldest first.

    ``replaced`` are pairs (newer, older); steps count down into the past, 0 is the start itself.
    """
    newer, older = dict[str, set[str]](), dict[str, set[str]]()
    for new, old in replaced:
        newer.setdefault(old, set()).add(new)
        older.setdefault(new, set()).add(old)
    found = {start: 0}
    for sign, following in ((-1, older), (1, newer)):
        distance, front = 0, {start}
        while front:
            distance += sign
            front = {key for one in front for key in following.get(one, ())} - found.keys()
            found |= dict.fromkeys(front, distance)
    return sorted((distance, key) for key, distance in found.items())


def _steps(hop: int, front: Collection[str], edges: Iterable[Edge]) -> list[Step]:
    return [
        Step(hop, via, key, edge)
        for edge in edges
        for via, key in ((edge.source, edge.target), (edge.target, edge.source))
        if via in front and via != key
    ]
