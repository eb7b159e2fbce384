"""Walking the code graph breadth first, along or against its edges."""

from collections.abc import Iterable, Sequence

from gitmem.app import App
from gitmem.model.frozen import dataclass
from gitmem.store.code import graph_reads
from gitmem.store.code.graph_reads import GraphEdge, GraphNode

DEEPEST = 10
# Nodes that a walk visits at most: what everything uses is used by everything.
MOST_NODES = 20_000


@dataclass(frozen=True, slots=True)
class WalkStep:
    """A node (file or definition) that a walk over imports and calls reached, and how.

    ``before`` is the node one step nearer to where the walk began, ``link`` the edge between them,
    ``depth`` the number of steps, ``confidence`` (0 to 1) that of the whole way.
    """

    node: GraphNode
    before: GraphNode
    link: GraphEdge
    depth: int
    confidence: float


def walk_graph(
    app: App,
    start: Iterable[GraphNode],
    kinds: Sequence[str],
    depth: int,
    *,
    backwards: bool,
    min_confidence: float = 0.0,
    through_files: bool = True,
) -> list[WalkStep]:
    """All files and definitions within ``depth`` steps over imports and calls, as WalkStep values.

    Each comes once, the nearest and surest first; ``start`` is left out. ``kinds`` are the kinds of
    edges to follow, such as call. ``backwards`` goes against them: to callers and importers.
    ``min_confidence`` is the lowest confidence of a way that is followed. Without ``through_files``
    it does not go on from a file as a whole.
    """
    known = {node.id: node for node in start}
    sure = dict.fromkeys(known, 1.0)
    found: list[WalkStep] = []
    front = list(known)
    for steps in range(1, min(depth, DEEPEST) + 1):
        ask = graph_reads.incoming_edges if backwards else graph_reads.outgoing_edges
        links = ask(app.store, front, kinds, min_confidence)
        links.sort(key=lambda link: (-link.confidence, link.source, link.target, link.line))
        there = {link.source if backwards else link.target for link in links} - known.keys()
        reached = graph_reads.nodes_by_id(app.store, there)
        front = []
        for link in links:
            number, near = (link.source, link.target) if backwards else (link.target, link.source)
            if number in known or number not in reached or len(known) >= MOST_NODES:
                continue
            known[number] = reached[number]
            sure[number] = round(sure[near] * link.confidence, 3)
            found.append(WalkStep(reached[number], known[near], link, steps, sure[number]))
            if through_files or reached[number].name:
                front.append(number)
        if not front:
            break
    return found


def paths_to_nodes(steps: Iterable[WalkStep]) -> dict[int, list[str]]:
    """Node id -> the names on the way to that node, from where the walk began."""
    before: dict[int, WalkStep] = {}
    found: dict[int, list[str]] = {}
    for step in steps:
        before[step.node.id] = step
        above = found.get(step.before.id) or [node_text(step.before)]
        found[step.node.id] = [*above, node_text(step.node)]
    return found


def node_text(node: GraphNode) -> str:
    """A node as text: ``src/app.py:App.run``, or the path alone."""
    return f"{node.path}:{node.name}" if node.name else node.path
