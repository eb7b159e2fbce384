"""Finding cycles in a directed graph.

Without recursion: a cycle may have as many members as there are files.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping


def find_cycles(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """The groups of nodes that reach each other along edges, largest first, each sorted by name.

    An edge is (from, to). A node with an edge to itself is a group, too.
    """
    after: dict[str, list[str]] = {}
    own: set[str] = set()
    for source, target in edges:
        after.setdefault(source, []).append(target)
        if source == target:
            own.add(source)
    groups = [sorted(group) for group in _connected(after) if len(group) > 1 or group[0] in own]
    return sorted(groups, key=lambda group: (-len(group), group))


def _connected(after: Mapping[str, list[str]]) -> list[list[str]]:
    """Strongly connected components, by Tarjan's algorithm with a stack of its own."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    stack: list[str] = []
    found: list[list[str]] = []
    for root in after:
        if root in index:
            continue
        work = [(root, iter(after.get(root, ())))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            below = next(rest, None)
            if below is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = [stack.pop()]
                    while group[-1] != node:
                        group.append(stack.pop())
                    found.append(group)
                    on_stack.difference_update(group)
            elif below not in index:
                index[below] = low[below] = len(index)
                stack.append(below)
                on_stack.add(below)
                work.append((below, iter(after.get(below, ()))))
            elif below in on_stack:
                low[node] = min(low[node], index[below])
    return found


def shortest_cycle(cycle_nodes: Collection[str], edges: Iterable[tuple[str, str]]) -> list[str]:
    """A shortest cycle within a group, from its first member by name and back: ``[a, b, a]``."""
    inside = set(cycle_nodes)
    after: dict[str, list[str]] = {}
    for source, target in edges:
        if source in inside and target in inside:
            after.setdefault(source, []).append(target)
    start = min(inside)
    before: dict[str, str] = {}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for target in sorted(after.get(node, ())):
            if target == start:
                return [*_way(before, node, start), start]
            if target not in before:
                before[target] = node
                waiting.append(target)
    return [start]


def _way(before: Mapping[str, str], node: str, start: str) -> list[str]:
    """The nodes from the start to one, both included."""
    way = [node]
    while way[-1] != start:
        way.append(before[way[-1]])
    return way[::-1]
