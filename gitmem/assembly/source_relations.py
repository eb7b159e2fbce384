"""How the places that an answer cites are related: what imports, calls and extends what."""

from collections.abc import Iterable, Sequence
from itertools import product

from gitmem.app import App
from gitmem.assembly.cited_answer import CitedSource
from gitmem.graph.values import IMPORTS
from gitmem.model.frozen import dataclass
from gitmem.store.code import graph_reads, symbols

_WORDS = {**dict.fromkeys(IMPORTS, "imports"), "call": "calls", "inherit": "extends"}
_MIN_CONFIDENCE = 0.5  # the confidence of an edge that is told
MAX_RELATIONS = 12


@dataclass(frozen=True, slots=True)
class SourceRelation:
    """How one source of an answer relates to another: imports, calls, extends or is about it.

    ``source`` and ``target`` are their numbers, ``name`` is what is imported, called or extended
    (empty for a whole file), ``line`` where, in the file of ``source`` (None for a memory).
    """

    source: int
    relation: str
    target: int
    name: str = ""
    line: int | None = None


def relations_between_sources(
    app: App, sources: Sequence[CitedSource]
) -> tuple[SourceRelation, ...]:
    """Return how the sources of an answer relate to each other, each relation once.

    At most ``MAX_RELATIONS`` (12) are returned. A call or base class counts only in the cited
    lines, an import anywhere in the file, and what is used is defined in cited lines. A memory is
    about the files that it names.
    """
    code = [source for source in sources if source.kind == "code" and source.lines]
    relations: dict[tuple[int, str, int, str], SourceRelation] = {}
    for relation in (*_of_graph(app, code), *_of_memories(sources, code)):
        key = relation.source, relation.relation, relation.target, relation.name
        relations.setdefault(key, relation)
    named = {(row.source, row.relation, row.target) for row in relations.values() if row.name}
    left = (
        row
        for row in relations.values()
        if row.name or (row.source, row.relation, row.target) not in named
    )
    return tuple(left)[:MAX_RELATIONS]


def _of_graph(app: App, code: Sequence[CitedSource]) -> Iterable[SourceRelation]:
    paths = dict.fromkeys(source.path for source in code)
    if len(paths) < 2:
        return
    nodes = [
        node for path in paths for node in graph_reads.nodes_of_file(app.store, app.worktree, path)
    ]
    nodes_by_id = {node.id: node for node in nodes}
    defined = {source.number: _names_defined(app, source) for source in code}
    for link in graph_reads.edges_between(app.store, nodes_by_id, nodes_by_id, tuple(_WORDS)):
        user, used = nodes_by_id[link.source], nodes_by_id[link.target]
        if user.path == used.path or link.confidence < _MIN_CONFIDENCE:
            continue
        imported = link.kind in IMPORTS
        users = [source for source in code if source.path == user.path]
        users = [source for source in users if imported or _holds(source, link.line)][:1]
        # A definition that the cited lines do not show has another place than theirs.
        name = used.name.rpartition(".")[2]
        targets = [source for source in code if source.path == used.path]
        targets = [source for source in targets if not name or name in defined[source.number]][:1]
        for source, target in product(users, targets):
            words = _WORDS[link.kind]
            yield SourceRelation(source.number, words, target.number, used.name, link.line)


def _line_range(source: CitedSource) -> tuple[int, int]:
    first, _, last = source.lines.partition("-")
    return int(first), int(last or first)


def _holds(source: CitedSource, line: int) -> bool:
    first, last = _line_range(source)
    return first <= line <= last


def _names_defined(app: App, source: CitedSource) -> set[str]:
    """The names of the definitions that have a line in the cited ones."""
    around = symbols.symbols_in_lines(app.store, app.worktree, source.path, *_line_range(source))
    return {symbol.name for symbol in around}


def _of_memories(
    sources: Sequence[CitedSource], code: Sequence[CitedSource]
) -> Iterable[SourceRelation]:
    for source in sources:
        cited = {path.partition(":")[0] for path in source.path.split()} if source.id else set()
        for other in code:
            if other.path in cited:
                yield SourceRelation(source.number, "is about", other.number)
