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
class GraphWalkStep:
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
    edge_kinds: Sequence[str],
    max_depth: int,
    *,
    backwards: bool,
    min_confidence: float = 0.0,
    continue_from_files: bool = True,
) -> list[GraphWalkStep]:
    """Files and definitions within ``max_depth`` steps over imports and calls, as GraphWalkStep.

    Each comes once, the nearest and surest first; ``start`` is left out. ``edge_kinds`` are the
    kinds of edges to follow, such as call. ``backwards`` goes against them: to callers and
    importers. ``min_confidence`` is the lowest confidence of a way that is followed. Without
    ``continue_from_files`` it does not go on from a file as a whole.
    """
    known = {node.id: node for node in start}
    sure = dict.fromkeys(known, 1.0)
    found: list[GraphWalkStep] = []
    front = list(known)
    for steps in range(1, min(max_depth, DEEPEST) + 1):
        ask = graph_reads.incoming_edges if backwards else graph_reads.outgoing_edges
        links = ask(app.store, front, edge_kinds, min_confidence)
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
            found.append(GraphWalkStep(reached[number], known[near], link, steps, sure[number]))
            if continue_from_files or reached[number].name:
                front.append(number)
        if not front:
            break
    return found


def paths_to_nodes(steps: Iterable[GraphWalkStep]) -> dict[int, list[str]]:
    """Node id -> the names on the way to that node, from where the walk began."""
    before: dict[int, GraphWalkStep] = {}
    found: dict[int, list[str]] = {}
    for step in steps:
        before[step.node.id] = step
        above = found.get(step.before.id) or [format_graph_node(step.before)]
        found[step.node.id] = [*above, format_graph_node(step.node)]
    return found


def format_graph_node(node: GraphNode) -> str:
    """A node as text: ``src/app.py:App.run``, or the path alone."""
    return f"{node.path}:{node.name}" if node.name else node.path
