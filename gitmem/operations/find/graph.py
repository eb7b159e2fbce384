"""The relations of a name in code: callers, callees, importers, imports, subclasses, bases."""

from gitmem.app import App
from gitmem.code_relations import by_name, graph_target, index_note, relations
from gitmem.code_relations.by_name import NameOccurrences, UnknownUses
from gitmem.code_relations.relations import RELATIONS, GraphItem, RelatedPlaces
from gitmem.errors import InvalidInput
from gitmem.model.frozen import copy_fields, dataclass, replace
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, positional_arg
from gitmem.text.diagram import Diagram, DiagramArrow, DiagramBox, diagram_renderers
from gitmem.text.fence import one_line
from gitmem.text.quantity import omitted_count_lines

_WIDTH = 110


@dataclass(frozen=True, slots=True)
class CodeGraphRequest:
    """Arguments of `gitmem graph`: a name or path, and which relation of it to list.

    The relation is the one flag that is set (``callers`` if none is); ``depth`` is how many steps
    to follow, ``paths`` shows the way to each place. ``format`` is text, mermaid or dot.
    """

    name: Annotated[str, positional_arg("A name (load, Config.load, src/config.py:load) or a path")]
    callers: Annotated[bool, Arg("Who calls it (default)")] = False
    callees: Annotated[bool, Arg("What it calls")] = False
    definition: Annotated[bool, Arg("Where it is defined")] = False
    importers: Annotated[bool, Arg("Who imports it")] = False
    imports: Annotated[bool, Arg("What its file imports")] = False
    subclasses: Annotated[bool, Arg("What inherits from it")] = False
    bases: Annotated[bool, Arg("What it inherits from")] = False
    depth: Annotated[int, Arg("So many steps", minimum=1, maximum=10)] = 1
    paths: Annotated[bool, Arg("Show the way to each")] = False
    limit: shared.Limit = 20
    format: shared.DiagramFormat = "text"


@dataclass(frozen=True, slots=True)
class DefinitionItem:
    """Where a name is defined: its kind, file, and first and last line, counted from 1."""

    path: str
    name: str
    kind: str
    start_line: int
    end_line: int
    signature: str
    exported: bool


@dataclass(frozen=True, slots=True)
class CodeGraphAnswer:
    """The places related to a name, the nearest and most certain first.

    ``total`` counts all of them, before --limit, including calls of the same name on a value of
    unknown type; ``unknown`` says how many such calls there are, and how often the name occurs
    elsewhere. ``way`` of an item is empty unless paths were requested. ``note`` says what the
    answer lacks.
    """

    name: str
    relation: str
    definitions: tuple[DefinitionItem, ...]
    items: tuple[GraphItem, ...]
    total: int
    note: str
    unknown: UnknownUses


def query_code_graph(app: App, request: CodeGraphRequest) -> CodeGraphAnswer:
    """Show who calls, imports or inherits from a name of code.

    It can also show what the name itself uses. Each line says how certain it is (0 to 1) and why.
    Calls on a value of unknown type are listed last, "by name alone". Creating an instance counts
    as a call of the class.
    """
    relation = _relation(request)
    meant = graph_target.find_graph_target(app, request.name)
    uses = RelatedPlaces(
        (),
        0,
        by_name.count_possible_uses(
            NameOccurrences((), False), index_note.unresolved_languages(meant)
        ),
    )
    if relation != "definition":
        uses = relations.find_related(app, meant, relation, request.depth, request.limit)
    if not request.paths and request.format == "text":
        uses = replace(uses, items=tuple(replace(item, way=()) for item in uses.items))
    return copy_fields(
        CodeGraphAnswer,
        uses,
        name=meant.name,
        relation=relation,
        definitions=tuple(
            copy_fields(DefinitionItem, symbol, name=graph_target.qualified_symbol_name(symbol))
            for symbol in meant.symbols[: request.limit]
        ),
        note=index_note.describe_index_gaps(app, meant),
    )


def _relation(request: CodeGraphRequest) -> str:
    chosen = [name for name in (*RELATIONS, "definition") if getattr(request, name)]
    if len(chosen) > 1:
        raise InvalidInput(
            f"{' and '.join('--' + name for name in chosen)} cannot be combined.",
            "Ask one at a time.",
        )
    return chosen[0] if chosen else "callers"


_SINGULAR = {
    "callers": "caller",
    "callees": "callee",
    "importers": "importer",
    "imports": "import",
    "subclasses": "subclass",
    "bases": "base",
    "definitions": "definition",
}


def view(result: CodeGraphAnswer) -> str:
    """Return the text to print: where the name is defined, a line for each place related to it."""
    count, word = result.total, result.relation
    if result.relation == "definition":
        count, word = len(result.definitions), "definitions"
    deep = any(item.depth > 1 for item in result.items)
    # Those by name alone come last: if one is shown, all others are shown too.
    certain_count = sum(item.confidence >= by_name.KNOWN for item in result.items)
    alone = count - certain_count if len(result.items) > certain_count and not deep else 0
    sure = count - alone
    head = f"{result.name}: {sure} {_SINGULAR.get(word) if sure == 1 else word}"
    lines = [one_line(head + (f", {alone} by name alone" if alone else ""), _WIDTH)]
    for definition in result.definitions:
        place = f"{definition.path}:{definition.start_line}-{definition.end_line}"
        lines.append("  " + one_line(f"{definition.kind} {definition.name}  {place}", _WIDTH))
    lines += [result.note] if result.note else []
    for item in result.items:
        place = f"{item.path}:{item.line}" if item.line else item.path
        named = f"{place} {item.name}" if item.name else place
        far = f"{item.depth} " if deep else ""
        used = f"; at {item.at}" if item.at != f"{item.path}:{item.line}" else ""
        text = f"{far}{item.confidence:.2f} {named}  ({item.evidence}{used})"
        lines.append("  " + one_line(text, 2 * _WIDTH))
        if item.way:
            lines.append("       " + one_line(f"{' -> '.join(item.way)}", 3 * _WIDTH))
    lines += omitted_count_lines(result.total - len(result.items))
    inside = "calls in it of names that are defined here" if result.relation == "callees" else ""
    if text := by_name.describe_possible_uses(
        result.unknown, inside or "calls of something of this name"
    ):
        lines.append("  " + one_line(text, 2 * _WIDTH))
    return "\n".join(lines)


# Where the arrow points from what is listed to the name itself.
_TO_THE_NAME = ("callers", "importers", "subclasses")


def make_code_graph_diagram(result: CodeGraphAnswer) -> Diagram:
    """Return a diagram: the name and the places related to it, arrows from user to used."""
    arrows = []
    for item in result.items:
        near = item.way[-2] if len(item.way) > 1 else result.name
        far = f"{item.path}:{item.name}" if item.name else item.path
        ends = (far, near) if result.relation in _TO_THE_NAME else (near, far)
        arrows.append(DiagramArrow(*ends, faint=item.confidence < by_name.KNOWN))
    names = [f"{definition.path}:{definition.name}" for definition in result.definitions] or [
        result.name
    ]
    return Diagram(tuple(DiagramBox(name, name) for name in names), tuple(arrows))


GRAPH = Operation(
    "graph",
    query_code_graph,
    view,
    READ,
    "Config.load --callers --depth 2",
    tool="graph",
    drawings=diagram_renderers(make_code_graph_diagram),
)
