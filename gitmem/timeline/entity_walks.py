"""Walks over the edges between entities: neighbours by hop and the shortest way. Pure.

``edges_of`` gives the edges that touch any of some keys. Every walk enters an entity once, so that
cycles end; the same edges give the same walk, in whatever order they come.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from gitmem.model.entity import HUBS, Edge, parted
from gitmem.model.frozen import dataclass

DEEPEST = 4
_BESIDE = frozenset(("written_at", "began_at", "ended_at"))
MOST_ENTITIES = 2000  # that a walk enters

EdgesOf = Callable[[Collection[str]], Iterable[Edge]]


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


def neighbours(
    start: str,
    edges_of: EdgesOf,
    *,
    depth: int = 1,
    relation: str = "",
    direction: str = "both",
    most: int = 10,
) -> tuple[list[Step], dict[tuple[str, str, str], int], bool]:
    """The entities around one, by hop: of each relation the newest ``most``.

    Also (entity, relation, direction) -> how many there are, where some were left out, and whether
    the walk ended early, at 2,000 entities. From a hub such as an author nothing is followed.
    """
    found, left_out = list[Step](), dict[tuple[str, str, str], int]()
    known, front = {start}, {start}
    for hop in range(1, depth + 1):
        steps = [
            step
            for step in _steps(hop, front, edges_of(front))
            if step.key not in known
            and relation in ("", step.edge.relation)
            and direction in ("both", step.direction)
        ]
        kept = _newest(steps, most, left_out)
        found += kept
        reached = {step.key for step in kept}
        known |= reached
        front = {key for key in reached if parted(key)[0] not in HUBS}
        if len(known) > MOST_ENTITIES:
            return found, left_out, hop < depth
        if not front:
            break
    return found, left_out, False


def _newest(
    steps: Iterable[Step], most: int, left_out: dict[tuple[str, str, str], int]
) -> list[Step]:
    """Of each relation of each entity the newest ones, in an order of their own."""
    groups: dict[tuple[str, str, str], list[Step]] = {}
    for step in steps:
        groups.setdefault((step.via, step.edge.relation, step.direction), []).append(step)
    kept = []
    for group in sorted(groups):
        steps = sorted(groups[group], key=_age)
        kept += steps[:most]
        if len(steps) > most:
            left_out[group] = len(steps)
    return kept


def _age(step: Step) -> tuple[int, str, str]:
    return -(step.edge.since or 0), step.key, step.edge.note


def path(start: str, goal: str, edges_of: EdgesOf, *, depth: int = DEEPEST) -> list[Step] | None:
    """The shortest way between two entities; None where none of at most ``depth`` edges is found.

    It is looked for from both ends. It leads through no hub: one author has made most commits.
    """
    if start == goal:
        return []
    came: tuple[dict[str, Step], dict[str, Step]] = ({}, {})
    fronts = [{start}, {goal}]
    known = [{start}, {goal}]
    for hop in range(1, depth + 1):
        side = 0 if len(fronts[0]) <= len(fronts[1]) else 1
        if not fronts[side]:
            return None
        reached = set()
        for step in sorted(_steps(hop, fronts[side], edges_of(fronts[side])), key=_way):
            if step.key not in known[side]:
                known[side].add(step.key)
                came[side][step.key] = step
                reached.add(step.key)
        met = reached & known[1 - side]
        if met:
            return _joined(start, goal, min(met, key=lambda one: _worth(came, one)), came)
        fronts[side] = {key for key in reached if parted(key)[0] not in HUBS}
        if len(known[side]) > MOST_ENTITIES:
            fronts[side] = set(sorted(fronts[side])[:MOST_ENTITIES])
    return None


def _way(step: Step) -> tuple[bool, int, str, str, str]:
    return _weak(step), -(step.edge.since or 0), step.via, step.edge.relation, step.key


def _weak(step: Step) -> bool:
    """Whether an edge says only at which commit something else was done."""
    return step.edge.relation in _BESIDE


def _worth(came: tuple[dict[str, Step], dict[str, Step]], middle: str) -> tuple[int, int, str]:
    """Of ways that are as short, one along edges that say more is taken, then the newest."""
    steps = [one[middle] for one in came if middle in one]
    newest = min((step.edge.since or 0 for step in steps), default=0)
    return sum(map(_weak, steps)), -newest, middle


def _joined(
    start: str, goal: str, middle: str, came: tuple[dict[str, Step], dict[str, Step]]
) -> list[Step]:
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
    return [Step(hop, one.via, one.key, one.edge) for hop, one in enumerate(steps, 1)]


def _steps(hop: int, front: Collection[str], edges: Iterable[Edge]) -> list[Step]:
    return [
        Step(hop, via, to, edge)
        for edge in edges
        for via, to in ((edge.source, edge.target), (edge.target, edge.source))
        if via in front and via != to
    ]
