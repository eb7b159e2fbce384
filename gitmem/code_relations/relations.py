"""What the code graph says of a name: callers, callees, importers, imports, subclasses, bases."""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.graph.values import IMPORTS
from gitmem.code_relations import graph_target
from gitmem.code_relations.graph_target import Meant
from gitmem.code_relations.walk import Step, told, walk, ways
from gitmem.model.frozen import dataclass
from gitmem.store.code import graph_reads, symbols
from gitmem.store.code.graph_reads import Node

# What each question follows: which edges, against them (back) or along.
RELATIONS: dict[str, tuple[tuple[str, ...], bool]] = {
    "callers": (("call", "decorator"), True),
    "callees": (("call", "decorator"), False),
    "importers": (IMPORTS, True),
    "imports": (IMPORTS, False),
    "subclasses": (("inherit",), True),
    "bases": (("inherit",), False),
}
# How sure it is that a call of the same name, on something unknown, is meant.
_SAME_NAME = 0.4
_MOST_LINES = 2_000


@dataclass(frozen=True, slots=True)
class GraphItem:
    """A place that a name is related to: a path, a qualified name in it, and a line.

    ``line`` is where the relation stands, in ``path`` or, asked along the edges, in the file of
    what was asked about. ``way`` leads from that to here.
    """

    path: str
    name: str
    kind: str
    line: int
    depth: int
    confidence: float
    evidence: str
    way: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Related:
    """The nearest and surest places, and how many there are; see ``related``."""

    items: tuple[GraphItem, ...]
    total: int


def related(app: App, meant: Meant, relation: str, depth: int, most: int) -> Related:
    """The ``most`` nearest and surest related places. Raises InvalidInput.

    A definition that calls itself is among its own callers. Calls of the same name on something
    unknown are looked for, and counted, only while there are no more than ``most`` without them.
    """
    kinds, back = RELATIONS[relation]
    start = _start(app, meant, relation)
    own = _own(app, meant, kinds, back=back)
    if depth == 1 and relation != "imports":  # of which the files alone are told
        steps, total = _nearest(app, start, kinds, most, back=back)
    else:
        steps = walk(app, start, kinds, depth, back=back)
        steps = [step for step in steps if _fits(step, relation, meant)]
        total = len(steps)
    told_ways = ways(steps)
    found = own + [_item(step, tuple(told_ways[step.node.id])) for step in steps]
    found.sort(key=lambda one: (one.depth, -one.confidence if one.depth == 1 else 0))
    total += len(own)
    if relation == "callers" and total <= most:
        more = _same_name(app, meant, start)
        found, total = found + more, total + len(more)
    return Related(tuple(found[:most]), total)


def _nearest(
    app: App, start: Sequence[Node], kinds: Sequence[str], most: int, *, back: bool
) -> tuple[list[Step], int]:
    """One step, of which the store reads no more than is told: a name may have 10,000 callers."""
    known = {node.id: node for node in start}
    found, total = graph_reads.nearest(app.store, known, kinds, most, back=back)
    steps = [
        Step(node, known[link.target if back else link.source], link, 1, link.confidence)
        for link, node in found
    ]
    return steps, total


def _own(app: App, meant: Meant, kinds: Sequence[str], *, back: bool) -> list[GraphItem]:
    """Where what was asked about is related to itself: recursion, or two of the same name.

    Not of a file: what it holds uses itself all the time.
    """
    if meant.path:
        return []
    ends = {node.id: node for node in meant.nodes}
    links = graph_reads.within(app.store, ends, ends, kinds)
    found: dict[int, GraphItem] = {}
    for link in sorted(links, key=lambda one: (-one.confidence, one.line)):
        far, near = (link.source, link.target) if back else (link.target, link.source)
        step = Step(ends[far], ends[near], link, 1, link.confidence)
        found.setdefault(far, _item(step, (told(ends[near]), told(ends[far]))))
    return list(found.values())


def _start(app: App, meant: Meant, relation: str) -> list[Node]:
    if meant.path:
        if relation in ("subclasses", "bases"):
            raise InvalidInput(f"{meant.path} is a file.", "Name a class.")
        return [*meant.nodes]
    found = list(meant.nodes)
    if relation == "imports":
        files = graph_reads.nodes_named(
            app.store, app.worktree, ((one.path, "") for one in meant.symbols)
        )
        found += files
    if relation in ("callees", "callers"):
        for one in meant.symbols:
            inside = graph_target.qualified(one) + "."
            if relation == "callees":
                nodes = graph_reads.nodes_of(app.store, app.worktree, one.path)
                found += [node for node in nodes if node.name.startswith(inside)]
    return list(dict.fromkeys(found))


def _fits(step: Step, relation: str, meant: Meant) -> bool:
    """Imports of a file are told by file, those of a name by the file that takes it."""
    if relation == "imports" or (relation == "importers" and meant.path):
        return not step.node.name
    return True


def _item(step: Step, way: tuple[str, ...]) -> GraphItem:
    return GraphItem(
        step.node.path,
        step.node.name,
        step.link.kind,
        step.link.line,
        step.depth,
        step.confidence,
        step.link.evidence,
        way,
    )


def _same_name(app: App, meant: Meant, start: Sequence[Node]) -> list[GraphItem]:
    """Calls of the same name on something whose type is not known: they may be meant."""
    if not meant.symbols:
        return []
    name = meant.symbols[0].name
    there = symbols.by_name(app.store, app.worktree, name, graph_target.MOST)
    languages = {one.language for one in meant.symbols}
    mentions = symbols.references(app.store, app.worktree, name, ("call",), _MOST_LINES)
    resolved = _resolved(app, there)
    sure = round(_SAME_NAME / max(len({(one.path, one.container) for one in there}), 1), 3)
    evidence = "a call of the same name; what it is called on is not known"
    found = [
        GraphItem(one.path, "", "call", line, 1, sure, evidence, (told(node), one.path))
        for one in mentions
        for line in one.lines
        if (one.path, line) not in resolved and _same_language(one.path, languages, there)
        for node in start[:1] or [Node(0, meant.symbols[0].path, name)]
    ]
    return found[:_MOST_LINES]


def _resolved(app: App, there: Sequence[symbols.Symbol]) -> set[tuple[str, int]]:
    """The places where a call of the name is known to call one of its definitions."""
    nodes = graph_target.of_symbols(app, there)
    links = graph_reads.incoming(app.store, [one.id for one in nodes], ("call", "decorator"))
    paths = graph_reads.nodes(app.store, {one.source for one in links})
    return {(paths[one.source].path, one.line) for one in links if one.source in paths}


def _same_language(path: str, languages: set[str], there: Sequence[symbols.Symbol]) -> bool:
    endings = {one.path.rpartition(".")[2] for one in there if one.language in languages}
    return path.rpartition(".")[2] in endings
