"""What a file imports, what imports it, and what it defines."""

from gitmem.app import App
from gitmem.code_relations import file_links, graph_target, index_note
from gitmem.code_relations.file_links import LinkedFile
from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Operation, positional_arg
from gitmem.text.diagram import Diagram, DiagramArrow, DiagramBox, diagram_renderers
from gitmem.text.fence import one_line
from gitmem.text.quantity import omitted_count_lines

_WIDTH = 110
_SURE = 0.5  # below, an arrow of the diagram is faint


@dataclass(frozen=True, slots=True)
class DependenciesRequest:
    """Arguments of `gitmem deps`: a file, the most rows of each list, and text, mermaid or dot."""

    path: Annotated[str, positional_arg("A file", path_kind="path")]
    limit: Annotated[int, shared.limit_arg(1000, "At most this many of each")] = 50
    format: shared.DiagramFormat = "text"


@dataclass(frozen=True, slots=True)
class FileDefinition:
    """A function, class or the like that the file defines, and the line where it begins."""

    name: str
    kind: str
    line: int
    exported: bool


@dataclass(frozen=True, slots=True)
class DependencyTotals:
    """How many files it imports, outside modules, importers and definitions a file has in all."""

    imports: int
    outside: int
    imported_by: int
    symbols: int


@dataclass(frozen=True, slots=True)
class FileDependencies:
    """What a file imports from the repository and from outside, what imports it, what it defines.

    ``totals`` counts each of these four, before --limit; ``note`` says what the answer lacks.
    """

    path: str
    imports: tuple[LinkedFile, ...]
    outside: tuple[str, ...]
    imported_by: tuple[LinkedFile, ...]
    symbols: tuple[FileDefinition, ...]
    totals: DependencyTotals
    note: str


def list_dependencies(app: App, request: DependenciesRequest) -> FileDependencies:
    """Show what a file imports, what imports it, and what it defines.

    Imports are resolved to files of the repository; imports from outside are listed by name.
    """
    meant = graph_target.find_graph_target(app, request.path)
    if not meant.path:
        raise InvalidInput(
            f"{request.path[:80]!r} is not a file in the index.",
            "Give the path of a file; `gitmem index` adds new files.",
        )
    most = request.limit
    imports = file_links.imports_of_file(app, meant.path)
    outside = file_links.external_imports(app, meant.path)
    users = file_links.importers_of_file(app, meant)
    defined = file_links.definitions_in_file(app, meant.path)
    return FileDependencies(
        path=meant.path,
        imports=tuple(imports[:most]),
        outside=tuple(outside[:most]),
        imported_by=tuple(users[:most]),
        symbols=tuple(
            FileDefinition(
                graph_target.qualified_symbol_name(symbol),
                symbol.kind,
                symbol.start_line,
                symbol.exported,
            )
            for symbol in defined[:most]
        ),
        totals=DependencyTotals(len(imports), len(outside), len(users), len(defined)),
        note=index_note.describe_index_gaps(app, meant),
    )


def view(result: FileDependencies) -> str:
    """Return the text to print: imports, importers and definitions, a line for each."""
    lines = [result.path]
    lines += [f"  {result.note}"] if result.note else []
    totals = result.totals
    lines.append(f"Imports ({totals.imports}):")
    lines += [_line(link, "", f", line {link.line}") for link in result.imports]
    lines += omitted_count_lines(totals.imports - len(result.imports))
    lines.append(f"Imported by ({totals.imported_by}):")
    lines += [_line(link, f":{link.line}", "") for link in result.imported_by]
    lines += omitted_count_lines(totals.imported_by - len(result.imported_by))
    if result.outside:
        left = totals.outside - len(result.outside)
        others = f" and {left} more" if left else ""
        lines.append(one_line(f"From outside: {', '.join(result.outside)}{others}", 3 * _WIDTH))
    lines.append(f"Defines ({totals.symbols}):")
    lines += [
        "  " + one_line(f"{symbol.line:>5} {symbol.kind} {symbol.name}", _WIDTH)
        for symbol in result.symbols
    ]
    lines += omitted_count_lines(totals.symbols - len(result.symbols))
    return "\n".join(lines)


def _line(link: LinkedFile, place: str, end: str) -> str:
    details = f" ({', '.join(link.names)})" if link.names else ""
    details += "" if link.kind == "import" else f" [{link.kind}]"
    details += f" through {link.through}" if link.through else ""
    return "  " + one_line(f"{link.confidence:.2f} {link.path}{place}{details}{end}", _WIDTH)


def make_dependency_diagram(result: FileDependencies) -> Diagram:
    """Return a diagram: the file, what it imports, and what imports it, arrows from importers."""
    arrows = [
        *(_arrow(link, link.path, result.path) for link in result.imported_by),
        *(_arrow(link, result.path, link.path) for link in result.imports),
        *(DiagramArrow(result.path, name) for name in result.outside),
    ]
    return Diagram((DiagramBox(result.path, result.path),), tuple(arrows))


def _arrow(link: LinkedFile, source: str, target: str) -> DiagramArrow:
    return DiagramArrow(
        source, target, "" if link.kind == "import" else link.kind, link.confidence < _SURE
    )


DEPS = Operation(
    "deps",
    list_dependencies,
    view,
    READ,
    "src/app.py",
    tool="deps",
    drawings=diagram_renderers(make_dependency_diagram),
)
