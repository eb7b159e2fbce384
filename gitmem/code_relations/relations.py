"""The relations of a name in the code graph: callers, callees, importers, subclasses, bases."""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.code_relations import by_name, graph_target, index_note
from gitmem.code_relations.by_name import NameOccurrence, NameOccurrences, UnknownUses
from gitmem.code_relations.graph_target import GraphTarget
from gitmem.code_relations.walk import GraphWalkStep, format_graph_node, paths_to_nodes, walk_graph
from gitmem.errors import InvalidInput
from gitmem.graph.source_file import CALLABLE, CLASSES
from gitmem.graph.values import IMPORTS
from gitmem.model.frozen import dataclass, replace
from gitmem.store.code import chunks, code_uses, graph_reads, symbols
from gitmem.store.code.graph_reads import GraphNode

# What each question follows: which edges, against them (back) or along.
RELATIONS: dict[str, tuple[tuple[str, ...], bool]] = {
    "callers": (("call", "decorator"), True),
    "callees": (("call", "decorator"), False),
    "importers": (IMPORTS, True),
    "imports": (IMPORTS, False),
    "subclasses": (("inherit",), True),
    "bases": (("inherit",), False),
}
_HOLDERS = CALLABLE | CLASSES
_CALLS = ("call", "decorator")
_MOST_NAMES = 5_000


@dataclass(frozen=True, slots=True)
class GraphItem:
    """A place related to a target of a query: a path, a qualified name in it, and a line.

    ``line`` is where it uses the target or, for what the target uses, where that is defined (0 if
    unknown). ``depth`` is the number of steps from the target, ``way`` the names on them, ``at``
    where the relation is written, as ``path:line``. ``confidence`` is from 0 to 1, ``evidence`` the
    reason.
    """

    path: str
    name: str
    kind: str
    line: int
    depth: int
    confidence: float
    evidence: str
    way: tuple[str, ...]
    at: str


@dataclass(frozen=True, slots=True)
class RelatedPlaces:
    """The result of ``find_related``: the nearest and surest places (``items``).

    ``total`` is the number of all places, ``unknown`` sums up the places that may be further uses.
    """

    items: tuple[GraphItem, ...]
    total: int
    unknown: UnknownUses


def find_related(
    app: App, target: GraphTarget, relation: str, depth: int, max_items: int
) -> RelatedPlaces:
    """The ``max_items`` nearest and surest places related to a target, within ``depth`` steps.

    ``relation`` is a key of ``RELATIONS``, such as callers, callees or imports. A definition that
    calls itself is among its own callers. Calls of the same name on an unknown receiver come last.
    Raises InvalidInput.
    """
    kinds, back = RELATIONS[relation]
    start = _start(app, target, relation)
    own = _own(app, target, relation)
    if depth == 1 and relation != "imports":  # which are filtered below
        steps, total = _nearest(app, start, kinds, max_items, back=back)
    else:
        steps = walk_graph(app, start, kinds, depth, backwards=back)
        steps = [step for step in steps if _fits(step, relation, target)]
        total = len(steps)
    way_of = paths_to_nodes(steps)
    items = own + [_item(step, tuple(way_of[step.node.id]), back) for step in steps]
    items.sort(key=lambda item: (item.depth, -item.confidence if item.depth == 1 else 0))
    named, places = _named(app, target, relation)
    shown = items[:max_items]
    shown += [_named_item(app, place, target) for place in named[: max_items - len(shown)]]
    if not back:
        shown = _with_lines(app, shown)
    if relation == "callees":
        places = _unresolved_calls(app, target)
    rest = by_name.count_possible_uses(places, index_note.unresolved_languages(target))
    return RelatedPlaces(tuple(shown), total + len(own) + len(named), rest)


def find_call_occurrences(app: App, target: GraphTarget) -> list[NameOccurrence]:
    """The lines (NameOccurrence) that call a target's definitions, those by name alone last."""
    nodes = {node.id: node for node in target.nodes}
    links = graph_reads.incoming_edges(app.store, nodes, RELATIONS["callers"][0])
    callers = graph_reads.nodes_by_id(app.store, {link.source for link in links})
    sure = [
        NameOccurrence(
            callers[link.source].path, link.line, link.kind, link.confidence, link.evidence
        )
        for link in links
    ]
    return sure + _named(app, target, "callers")[0]


def _named(
    app: App, meant: GraphTarget, relation: str
) -> tuple[list[NameOccurrence], NameOccurrences]:
    """The places related by name alone, and all places with that name."""
    kinds = RELATIONS[relation][0]
    if relation not in ("callers", "subclasses"):
        return [], NameOccurrences((), False)
    places = by_name.find_name_occurrences(app, meant.symbols)
    return [place for place in places.occurrences if place.kind in kinds], places


def _unresolved_calls(app: App, meant: GraphTarget) -> NameOccurrences:
    """The calls in some definitions that have no edge though the repository defines their name."""
    found: list[tuple[str, int, str]] = []
    for symbol in meant.symbols:
        shown = chunks.blob_row_number_and_id(app.store, app.worktree, symbol.path)
        uses = code_uses.name_uses_of_blob(app.store, shown[0]) if shown else []
        nodes = graph_reads.nodes_of_file(app.store, app.worktree, symbol.path)
        links = graph_reads.outgoing_edges(app.store, [node.id for node in nodes], _CALLS)
        ends = graph_reads.nodes_by_id(app.store, {link.target for link in links})
        resolved = {
            (link.line, part) for link in links for part in ends[link.target].name.split(".")
        }
        found += [
            (symbol.path, line, name)
            for line, kind, _, name, _ in uses
            if kind == "call"
            and symbol.start_line <= line <= symbol.end_line
            and (line, name) not in resolved
        ]
    names = {name for _, _, name in found}
    known = {
        symbol.name
        for symbol in symbols.definitions_of_names(app.store, app.worktree, names, _MOST_NAMES)
    }
    evidence = "what it is called on is not known"
    places = [
        NameOccurrence(path, line, "call", 0.0, evidence)
        for path, line, name in found
        if name in known
    ]
    return NameOccurrences(tuple(dict.fromkeys(places)), False)


def _nearest(
    app: App, start: Sequence[GraphNode], kinds: Sequence[str], most: int, *, back: bool
) -> tuple[list[GraphWalkStep], int]:
    """One step; reads no more than ``most`` rows, since a name may have 10,000 callers."""
    known = {node.id: node for node in start}
    found, total = graph_reads.most_confident_neighbours(
        app.store, known, kinds, most, backwards=back
    )
    steps = [
        GraphWalkStep(node, known[link.target if back else link.source], link, 1, link.confidence)
        for link, node in found
    ]
    return steps, total


def _own(app: App, meant: GraphTarget, relation: str) -> list[GraphItem]:
    """Relations of the target to itself: recursion, or two definitions of the same name.

    For callees also what is defined inside it. Not for a file or a class, whose parts use each
    other all the time.
    """
    if meant.path:
        return []
    kinds, back = RELATIONS[relation]
    ends = {node.id: node for node in meant.nodes}
    inner = relation == "callees" and all(symbol.kind in CALLABLE for symbol in meant.symbols)
    # What one inner function calls of another is called by both of them together.
    targets = {node.id: node for node in _start(app, meant, relation)} if inner else ends
    links = graph_reads.edges_between(app.store, targets, targets, kinds)
    found: dict[int, GraphItem] = {}
    for link in sorted(links, key=lambda link: (-link.confidence, link.line)):
        far, near = (link.source, link.target) if back else (link.target, link.source)
        step = GraphWalkStep(targets[far], targets[near], link, 1, link.confidence)
        found.setdefault(
            far,
            _item(step, (format_graph_node(targets[near]), format_graph_node(targets[far])), back),
        )
    return list(found.values())


def _start(app: App, meant: GraphTarget, relation: str) -> list[GraphNode]:
    if meant.path:
        if relation in ("subclasses", "bases"):
            raise InvalidInput(
                f"{meant.path} is a file, and only classes have {relation}.", "Name a class."
            )
        return [*meant.nodes]
    found = list(meant.nodes)
    if relation == "imports":
        files = graph_reads.nodes_by_name(
            app.store, app.worktree, ((symbol.path, "") for symbol in meant.symbols)
        )
        found += files
    if relation in ("callees", "callers"):
        for symbol in meant.symbols:
            inside = graph_target.qualified_symbol_name(symbol) + "."
            if relation == "callees":
                nodes = graph_reads.nodes_of_file(app.store, app.worktree, symbol.path)
                found += [node for node in nodes if node.name.startswith(inside)]
    return list(dict.fromkeys(found))


def _fits(step: GraphWalkStep, relation: str, meant: GraphTarget) -> bool:
    """Whether a step ends as the relation needs: imports at files, not at names."""
    if relation == "imports" or (relation == "importers" and meant.path):
        return not step.node.name
    return True


def _item(step: GraphWalkStep, way: tuple[str, ...], back: bool) -> GraphItem:
    place = step.node.path if back else step.before.path
    return GraphItem(
        step.node.path,
        step.node.name,
        step.link.kind,
        step.link.line if back else 0,
        step.depth,
        step.confidence,
        step.link.evidence,
        way,
        f"{place}:{step.link.line}",
    )


def _with_lines(app: App, items: Sequence[GraphItem]) -> list[GraphItem]:
    """The items with the lines where they are defined."""
    lines: dict[str, dict[str, int]] = {}
    for path in {item.path for item in items if item.name}:
        for each in symbols.symbols_of_path(app.store, app.worktree, path):
            known = lines.setdefault(path, {})
            known.setdefault(graph_target.qualified_symbol_name(each), each.start_line)
    return [
        replace(item, line=lines.get(item.path, {}).get(item.name, 0) if item.name else 1)
        for item in items
    ]


def _named_item(app: App, place: NameOccurrence, meant: GraphTarget) -> GraphItem:
    """A place that names the target, with the definition around it."""
    holder = ""
    for each in symbols.symbols_of_path(app.store, app.worktree, place.path):
        if each.start_line <= place.line <= each.end_line and each.kind in _HOLDERS:
            holder = graph_target.qualified_symbol_name(each)
    first = meant.symbols[0]
    way = (f"{first.path}:{graph_target.qualified_symbol_name(first)}", place.path)
    at = f"{place.path}:{place.line}"
    return GraphItem(
        place.path, holder, place.kind, place.line, 1, place.confidence, place.evidence, way, at
    )
