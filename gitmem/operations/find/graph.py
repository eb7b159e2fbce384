"""What a name of code is related to: callers, callees, importers, imports, subclasses, bases."""

from gitmem.app import App
from gitmem.code_relations import by_name, graph_target, index_note, relations
from gitmem.code_relations.by_name import ByName, UnknownUses
from gitmem.code_relations.relations import RELATIONS, GraphItem, Related
from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass, like, replace
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, given
from gitmem.text.fence import one_line
from gitmem.text.quantity import more

_WIDTH = 110


@dataclass(frozen=True, slots=True)
class Graph:
    """Which name, and what of it."""

    name: Annotated[str, given("A name (load, Config.load, src/config.py:load) or a path")]
    callers: Annotated[bool, Arg("Who calls it (default)")] = False
    callees: Annotated[bool, Arg("What it calls")] = False
    definition: Annotated[bool, Arg("Where it is defined")] = False
    importers: Annotated[bool, Arg("Who imports it")] = False
    imports: Annotated[bool, Arg("What its file imports")] = False
    subclasses: Annotated[bool, Arg("What inherits from it")] = False
    bases: Annotated[bool, Arg("What it inherits from")] = False
    depth: Annotated[int, Arg("So many steps", least=1, most=10)] = 1
    paths: Annotated[bool, Arg("Show the way to each")] = False
    limit: shared.Limit = 20


@dataclass(frozen=True, slots=True)
class DefinitionItem:
    """Where a name is defined; lines count from 1, both ends included."""

    path: str
    name: str
    kind: str
    start_line: int
    end_line: int
    signature: str
    exported: bool


@dataclass(frozen=True, slots=True)
class GraphAnswer:
    """What a name is related to in one way, the nearest and surest first.

    ``total`` counts what there is before the limit, calls of the same name on something unknown
    too; ``unknown`` says how many these are, and how often the name stands elsewhere. ``way`` of an
    item is empty unless the paths were asked for. ``note`` says what the answer lacks.
    """

    name: str
    relation: str
    definitions: tuple[DefinitionItem, ...]
    items: tuple[GraphItem, ...]
    total: int
    note: str
    unknown: UnknownUses


def graph(app: App, request: Graph) -> GraphAnswer:
    """Show who calls, imports or inherits from a name of code.

    Or what it uses itself. Each line says how sure it is and why. What is called on something of
    unknown type is listed last, as calls of the same name. A class is called where it is made.
    """
    relation = _relation(request)
    meant = graph_target.find(app, request.name)
    found = Related((), 0, by_name.unknown(ByName((), False), index_note.unresolved(meant)))
    if relation != "definition":
        found = relations.related(app, meant, relation, request.depth, request.limit)
    shown = found.items if request.paths else tuple(replace(one, way=()) for one in found.items)
    return GraphAnswer(
        name=meant.said,
        relation=relation,
        definitions=tuple(
            like(DefinitionItem, symbol, name=graph_target.qualified(symbol))
            for symbol in meant.symbols[: request.limit]
        ),
        items=shown,
        total=found.total,
        note=index_note.of(app, meant),
        unknown=found.unknown,
    )


def _relation(request: Graph) -> str:
    asked = [name for name in (*RELATIONS, "definition") if getattr(request, name)]
    if len(asked) > 1:
        raise InvalidInput(
            f"{' and '.join('--' + name for name in asked)} are two questions.",
            "Ask one at a time.",
        )
    return asked[0] if asked else "callers"


_ONE = {
    "callers": "caller",
    "callees": "callee",
    "importers": "importer",
    "imports": "import",
    "subclasses": "subclass",
    "bases": "base",
    "definitions": "definition",
}


def view(result: GraphAnswer) -> str:
    """Where the name is defined, then a line for each place: how far, how sure, and its way."""
    count, word = result.total, result.relation
    if result.relation == "definition":
        count, word = len(result.definitions), "definitions"
    deep = any(one.depth > 1 for one in result.items)
    # Those by name alone come last: where one is shown, all that are known are.
    known = sum(one.confidence >= by_name.KNOWN for one in result.items)
    alone = count - known if len(result.items) > known and not deep else 0
    sure = count - alone
    head = f"{result.name}: {sure} {_ONE.get(word) if sure == 1 else word}"
    lines = [one_line(head + (f", {alone} by name alone" if alone else ""), _WIDTH)]
    for each in result.definitions:
        place = f"{each.path}:{each.start_line}-{each.end_line}"
        lines.append("  " + one_line(f"{each.kind} {each.name}  {place}", _WIDTH))
    lines += [result.note] if result.note else []
    for one in result.items:
        place = f"{one.path}:{one.line}" if one.line else one.path
        named = f"{place} {one.name}" if one.name else place
        far = f"{one.depth} " if deep else ""
        used = f"; at {one.at}" if one.at != f"{one.path}:{one.line}" else ""
        told = f"{far}{one.confidence:.2f} {named}  ({one.evidence}{used})"
        lines.append("  " + one_line(told, 2 * _WIDTH))
        if one.way:
            lines.append("       " + one_line(f"{' -> '.join(one.way)}", 3 * _WIDTH))
    lines += more(result.total - len(result.items))
    inside = "calls in it of names that are defined here" if result.relation == "callees" else ""
    if told := by_name.sentence(result.unknown, inside or "calls of something of this name"):
        lines.append("  " + one_line(told, 2 * _WIDTH))
    return "\n".join(lines)


GRAPH = Operation("graph", graph, view, READ, "Config.load --callers --depth 2", tool="graph")
