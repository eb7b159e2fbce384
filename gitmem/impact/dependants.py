"""Finding the files that depend on something, directly or through others."""

from collections.abc import Iterable

from gitmem.app import App
from gitmem.code_relations.by_name import NameOccurrences
from gitmem.code_relations.graph_target import qualified_symbol_name
from gitmem.code_relations.walk import GraphWalkStep, format_graph_node, walk_graph
from gitmem.graph.impact_score import FileDependencyLink
from gitmem.graph.values import IMPORTS
from gitmem.model.frozen import dataclass, replace
from gitmem.search import file_kinds
from gitmem.store.code import graph_reads
from gitmem.store.code.graph_reads import GraphNode
from gitmem.store.code.symbols import Symbol

KINDS = ("call", "inherit", "decorator", *IMPORTS)
# That a file imports another says less than that it calls it.
_IMPORTED = 0.8
_LEAST = 0.3


@dataclass(frozen=True, slots=True)
class DependantFile:
    """A file that depends on a target, in ``depth`` steps (uses, imports), with confidence 0 to 1.

    ``way`` are the names from the target to it, ``evidence`` explains the last step in words.
    ``test``: the file holds tests.
    """

    path: str
    depth: int
    confidence: float
    way: tuple[str, ...]
    evidence: str
    test: bool


def find_dependant_files(
    app: App, start_nodes: Iterable[GraphNode], max_depth: int, *, whole_files: bool
) -> list[DependantFile]:
    """The files that use, directly or over others, ``start_nodes``, the nearest and surest first.

    Nodes are files or definitions in the graph of calls and imports; at most ``max_depth`` steps
    are followed. ``whole_files``: the nodes are files; then importers of a dependant depend on it
    too. Otherwise only users of the names, and of their callers, do.
    """
    nodes = list(dict.fromkeys(start_nodes))
    # A name may be used in its own file; a file as a whole is no user of itself.
    own = {node.path for node in nodes} if whole_files else set()
    found: dict[str, DependantFile] = {}
    before: dict[int, GraphWalkStep] = {}
    steps = walk_graph(
        app,
        nodes,
        KINDS,
        max_depth,
        backwards=True,
        min_confidence=_LEAST,
        continue_from_files=whole_files,
    )
    for step in steps:
        before[step.node.id] = step
        path = step.node.path
        sure = step.confidence * (_IMPORTED if step.link.kind in IMPORTS else 1.0)
        earlier = found.get(path)
        if path in own or path.endswith("/"):
            continue
        if earlier is None or (step.depth == earlier.depth and sure > earlier.confidence):
            way, evidence = _way(step, before), step.link.evidence
            found[path] = DependantFile(path, step.depth, round(sure, 3), way, evidence, False)
    return _marked(found, {step.node.path for step in steps if _is_test(step.node)})


def _marked(found: dict[str, DependantFile], tested: set[str]) -> list[DependantFile]:
    for path, dependant in found.items():
        if path in tested or "test" in file_kinds.kinds_of_file(path, ""):
            found[path] = replace(dependant, test=True)
    return sorted(
        found.values(),
        key=lambda dependant: (dependant.depth, -dependant.confidence, dependant.path),
    )


def _is_test(node: GraphNode) -> bool:
    """Whether a definition stands among the tests that a file of Rust holds."""
    return node.path.endswith(".rs") and node.name.startswith("tests.")


def find_files_naming_symbols(
    name_occurrences: NameOccurrences, symbols: Iterable[Symbol]
) -> list[DependantFile]:
    """The files that surely name some definitions, even where the code graph has no link to them.

    ``name_occurrences`` are the places that name ``symbols``. Each file has ``depth`` 1.
    """
    found: dict[str, DependantFile] = {}
    names = {symbol.path: f"{symbol.path}:{qualified_symbol_name(symbol)}" for symbol in symbols}
    for place in name_occurrences.sure_occurrences:
        way = (names.get(place.path) or next(iter(names.values())), f"{place.path}:{place.line}")
        user = DependantFile(place.path, 1, place.confidence, way, place.evidence, False)
        found.setdefault(place.path, user)
    return _marked(found, set())


def _way(step: GraphWalkStep, before: dict[int, GraphWalkStep]) -> tuple[str, ...]:
    """The names from where the walk began to here."""
    way = [format_graph_node(step.node)]
    at: GraphWalkStep | None = step
    while at is not None and len(way) < 12:
        way.append(format_graph_node(at.before))
        at = before.get(at.before.id)
    return tuple(way[::-1])


def links_of_neighbour_files(
    app: App, start_nodes: Iterable[GraphNode], *, incoming_links: bool
) -> dict[str, FileDependencyLink]:
    """A dict: path of a file linked directly to some nodes of the code graph -> how it is linked.

    A link is a call, an import or the like. ``incoming_links``: files that use the nodes; else
    files that the nodes use. Links to a whole package (folder) are left out.
    """
    nodes = {node.id: node for node in start_nodes}
    ask = graph_reads.incoming_edges if incoming_links else graph_reads.outgoing_edges
    links = ask(app.store, nodes, KINDS, _LEAST)
    ends = graph_reads.nodes_by_id(
        app.store, {link.source if incoming_links else link.target for link in links}
    )
    own = {node.path for node in nodes.values()}
    found: dict[str, FileDependencyLink] = {}
    for link in links:
        path = ends[link.source if incoming_links else link.target].path
        if path not in own and not path.endswith("/"):
            earlier = found.get(path)
            sure = max(link.confidence, earlier.confidence if earlier else 0.0)
            found[path] = FileDependencyLink(1, sure, (earlier.edges if earlier else 0) + 1)
    return found


def is_in_import_cycle(app: App, path: str, dependants: Iterable[DependantFile]) -> bool:
    """Whether the file ``path`` imports one of ``dependants``, all the files that depend on it."""
    there = {dependant.path for dependant in dependants}
    nodes = graph_reads.nodes_by_name(app.store, app.worktree, [(path, "")])
    links = graph_reads.outgoing_edges(app.store, [node.id for node in nodes], IMPORTS, _LEAST)
    targets = graph_reads.nodes_by_id(app.store, {link.target for link in links})
    return any(target.path in there for target in targets.values())
