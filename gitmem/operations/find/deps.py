"""What a file imports, what imports it, and what it defines."""

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.code_relations import file_links, graph_target, index_note
from gitmem.code_relations.file_links import LinkedFile
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, Annotated, Arg, Operation
from gitmem.text.fence import one_line

_WIDTH = 110


@dataclass(frozen=True, slots=True)
class Deps:
    """Of which file."""

    path: Annotated[str, Arg("A file", positional=True, place="path")]
    limit: Annotated[int, Arg("At most so many of each", short="-n", least=1, most=1000)] = 50


@dataclass(frozen=True, slots=True)
class DefinedName:
    """A definition of the file, and the line where it begins."""

    name: str
    kind: str
    line: int
    exported: bool


@dataclass(frozen=True, slots=True)
class FileDependencies:
    """What a file imports from the repository and from outside, what imports it, its names.

    ``note`` says what the answer lacks.
    """

    path: str
    imports: tuple[LinkedFile, ...]
    outside: tuple[str, ...]
    imported_by: tuple[LinkedFile, ...]
    symbols: tuple[DefinedName, ...]
    note: str


def deps(app: App, request: Deps) -> FileDependencies:
    """Show what a file imports, what imports it, and what it defines.

    Imports are resolved to files of the repository; what leads out of it is listed as it is named.
    """
    meant = graph_target.find(app, request.path)
    if not meant.path:
        raise InvalidInput(f"{request.path[:80]!r} is no indexed file.", "Give the path of a file.")
    most = request.limit
    return FileDependencies(
        path=meant.path,
        imports=tuple(file_links.imports(app, meant.path)[:most]),
        outside=tuple(file_links.outside(app, meant.path)[:most]),
        imported_by=tuple(file_links.imported_by(app, meant)[:most]),
        symbols=tuple(
            DefinedName(graph_target.qualified(one), one.kind, one.start_line, one.exported)
            for one in file_links.defined(app, meant.path)[:most]
        ),
        note=index_note.of(app),
    )


def view(result: FileDependencies) -> str:
    """The file, then a section for each way, a line for each file or name."""
    lines = [result.path]
    lines += [f"  {result.note}"] if result.note else []
    for title, links in (("Imports", result.imports), ("Imported by", result.imported_by)):
        lines.append(f"{title} ({len(links)}):")
        for one in links:
            taken = f" ({', '.join(one.names)})" if one.names else ""
            taken += "" if one.kind == "import" else f" [{one.kind}]"
            lines.append(
                "  " + one_line(f"{one.confidence:.2f} {one.path}:{one.line}{taken}", _WIDTH)
            )
    if result.outside:
        lines.append(one_line(f"From outside: {', '.join(result.outside)}", 3 * _WIDTH))
    lines.append(f"Defines ({len(result.symbols)}):")
    lines += [
        "  " + one_line(f"{one.line:>5} {one.kind} {one.name}", _WIDTH) for one in result.symbols
    ]
    return "\n".join(lines)


DEPS = Operation(
    name="deps",
    request=Deps,
    run=deps,
    view=view,
    effect=READ,
    example="gitmem deps src/app.py",
    tool="deps",
)
