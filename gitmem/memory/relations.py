"""Walks over the graph of memories and entities: neighbours, shortest paths, lineage. Pure.

``edges_of`` gives the edges at any of the given keys. A walk goes hop by hop and visits each node
once; its result does not depend on the order of the edges.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from gitmem.model.entity import HUBS, EntityEdge, split_entity_key
from gitmem.model.frozen import dataclass

MAX_HOPS = 4
COMMIT = "commit:"
MOST_ENDS = 2000  # nodes that a walk visits
_BESIDE = frozenset(("written_at", "began_at", "ended_at"))

EdgesOf = Callable[[Collection[str]], Iterable[EntityEdge]]
# Entity, relation and direction.
Bundle = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class WalkedEdge:
    """A link of the graph that a walk followed from the node ``via`` to the node ``key``.

    Nodes are memories, files, commits and so on. ``hop`` counts the links from the start to
    ``key``.
    """

    hop: int
    via: str
    key: str
    edge: EntityEdge

    @property
    def direction(self) -> str:
        """``out`` if the link leads from ``via`` to ``key``, ``in`` if it leads back."""
        return "out" if self.edge.source == self.via else "in"


@dataclass(frozen=True, slots=True)
class NeighbourWalk:
    """The links around a node of the graph, the nearest first.

    ``left_out`` is {(node, relation, ``in`` or ``out``): number of links} where some of these links
    were left out. ``early``: the walk stopped at 2,000 nodes.
    """

    steps: tuple[WalkedEdge, ...]
    left_out: dict[Bundle, int]
    early: bool


def walk_to_neighbours(
    start_id: str,
    get_edges: EdgesOf,
    *,
    max_hops: int = 1,
    relation: str = "",
    direction: str = "both",
    max_per_relation: int = 0,
) -> NeighbourWalk:
    """The NeighbourWalk with the links up to ``max_hops`` steps from the node ``start_id``.

    ``get_edges`` returns the links at any of some nodes. Only links with this ``relation`` (empty:
    any) and ``direction`` (in, out, both) are followed, none beyond hubs such as authors. A node
    appears at its smallest distance. ``max_per_relation``: of each relation of a node only so many
    links, the newest (0: all, the strongest first).
    """
    walked, left_out = list[WalkedEdge](), dict[Bundle, int]()
    visited, front = {start_id}, {start_id}
    for hop in range(1, max_hops + 1):
        steps = [
            step
            for step in _steps(hop, front, get_edges(front))
            if step.key not in visited
            and relation in ("", step.edge.relation)
            and direction in ("both", step.direction)
        ]
        chosen = (
            _newest(steps, max_per_relation, left_out)
            if max_per_relation
            else sorted(steps, key=_strength)
        )
        walked += chosen
        reached = {step.key for step in chosen}
        visited |= reached
        front = {key for key in reached if split_entity_key(key)[0] not in HUBS}
        if len(visited) > MOST_ENDS:
            return NeighbourWalk(tuple(walked), left_out, hop < max_hops)
        if not front:
            break
    return NeighbourWalk(tuple(walked), left_out, False)


def _strength(step: WalkedEdge) -> tuple[float, str, str, str, str, str]:
    edge = step.edge
    return -edge.strength, edge.relation, step.key, step.via, step.direction, edge.note


def _newest(
    steps: Iterable[WalkedEdge], most: int, left_out: dict[Bundle, int]
) -> list[WalkedEdge]:
    """The newest ``most`` steps of each bundle; bundles with more are counted in ``left_out``."""
    bundles: dict[Bundle, list[WalkedEdge]] = {}
    for step in steps:
        bundles.setdefault((step.via, step.edge.relation, step.direction), []).append(step)
    chosen = []
    for bundle in sorted(bundles):
        steps = sorted(
            bundles[bundle], key=lambda step: (-(step.edge.since or 0), step.key, step.edge.note)
        )
        chosen += steps[:most]
        if len(steps) > most:
            left_out[bundle] = len(steps)
    return chosen


def shortest_path(
    start_id: str, goal_id: str, get_edges: EdgesOf, *, max_hops: int = MAX_HOPS, relation: str = ""
) -> tuple[WalkedEdge, ...] | None:
    """The links of the shortest path between two nodes; None if it has more than ``max_hops``.

    ``get_edges`` returns the links at any of some nodes. Links are followed in either direction,
    but not through hubs such as authors. Of equally short paths the one wins with the fewest links
    that only name a commit, then the one with the strongest links.
    """
    if start_id == goal_id:
        return ()
    came: tuple[dict[str, WalkedEdge], dict[str, WalkedEdge]] = ({}, {})
    fronts = [{start_id}, {goal_id}]
    visited = [{start_id}, {goal_id}]
    for hop in range(1, max_hops + 1):
        side = 0 if len(fronts[0]) <= len(fronts[1]) else 1
        if not fronts[side]:
            return None
        reached = set()
        for step in sorted(_steps(hop, fronts[side], get_edges(fronts[side])), key=_edge_order):
            if step.key not in visited[side] and relation in ("", step.edge.relation):
                visited[side].add(step.key)
                came[side][step.key] = step
                reached.add(step.key)
        common = reached & visited[1 - side]
        if common:
            return _join_halves(
                start_id, goal_id, min(common, key=lambda key: _path_cost(came, key)), came
            )
        fronts[side] = {key for key in reached if split_entity_key(key)[0] not in HUBS}
        if len(visited[side]) > MOST_ENDS:
            fronts[side] = set(sorted(fronts[side])[:MOST_ENDS])
    return None


def _edge_order(step: WalkedEdge) -> tuple[bool, float, int, str, str, str]:
    edge = step.edge
    return (
        _is_incidental(step),
        -edge.strength,
        -(edge.since or 0),
        step.via,
        edge.relation,
        step.key,
    )


def _is_incidental(step: WalkedEdge) -> bool:
    """Whether an edge only says at which commit something else was done."""
    return step.edge.relation in _BESIDE


def _path_cost(
    came: tuple[dict[str, WalkedEdge], dict[str, WalkedEdge]], middle: str
) -> tuple[int, float, int, str]:
    steps = [side[middle] for side in came if middle in side]
    newest = min((step.edge.since or 0 for step in steps), default=0)
    return (
        sum(map(_is_incidental, steps)),
        -sum(step.edge.strength for step in steps),
        -newest,
        middle,
    )


def _join_halves(
    start: str, goal: str, middle: str, came: tuple[dict[str, WalkedEdge], dict[str, WalkedEdge]]
) -> tuple[WalkedEdge, ...]:
    first, second = list[WalkedEdge](), list[WalkedEdge]()
    at = middle
    while at != start:
        first.append(came[0][at])
        at = came[0][at].via
    at = middle
    while at != goal:
        step = came[1][at]  # walked from the goal, so it is reversed
        second.append(WalkedEdge(0, at, step.via, step.edge))
        at = step.via
    steps = [*reversed(first), *second]
    return tuple(
        WalkedEdge(hop, step.via, step.key, step.edge) for hop, step in enumerate(steps, 1)
    )


def predecessors_and_successors(
    node: str, replacements: Iterable[tuple[str, str]]
) -> list[tuple[int, str]]:
    """The nodes that ``node`` replaced or that replaced it, as (distance, node), the oldest first.

    ``replacements`` are pairs (newer, older). Distances are negative for older nodes.
    """
    newer, older = dict[str, set[str]](), dict[str, set[str]]()
    for new, old in replacements:
        newer.setdefault(old, set()).add(new)
        older.setdefault(new, set()).add(old)
    distances = {node: 0}
    for sign, following in ((-1, older), (1, newer)):
        distance, front = 0, {node}
        while front:
            distance += sign
            front = {key for node in front for key in following.get(node, ())} - distances.keys()
            distances |= dict.fromkeys(front, distance)
    return sorted((distance, key) for key, distance in distances.items())


def _steps(hop: int, front: Collection[str], edges: Iterable[EntityEdge]) -> list[WalkedEdge]:
    return [
        WalkedEdge(hop, via, key, edge)
        for edge in edges
        for via, key in ((edge.source, edge.target), (edge.target, edge.source))
        if via in front and via != key
    ]
