"""The temporal graph as a JSON file: for other tools, and its links for another store."""

import os

from gitmem.app import App
from gitmem.capture.importer import Problem
from gitmem.capture.provenance import refuse_agents
from gitmem.errors import NotFound, Unavailable
from gitmem.history import entity_exchange
from gitmem.maintenance import export_file
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, WRITE, Annotated, Arg, Operation
from gitmem.text.quantity import quantity


@dataclass(frozen=True, slots=True)
class ExportEntities:
    """Where to."""

    target: Annotated[
        str,
        Arg("The file to write (default: standard output)", positional=True, metavar="FILE"),
    ] = ""
    force: Annotated[bool, Arg("Overwrite the file", short="-f")] = False


@dataclass(frozen=True, slots=True)
class ExportedEntities:
    """How much was exported. ``lines`` holds the text where no file was named."""

    entities: int
    edges: int
    target: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImportEntities:
    """Where from."""

    source: Annotated[
        str, Arg("A file that `gitmem entity export` wrote", positional=True, metavar="FILE")
    ]
    trust: Annotated[
        bool, Arg("The file is your own: its links may start at memories of yours", mcp=False)
    ] = False
    dry_run: Annotated[bool, Arg("Show what would be done, and do nothing")] = False


@dataclass(frozen=True, slots=True)
class ImportedEntities:
    """Links by what became of them; ``derived`` edges are read from the store instead.

    The number of a problem is that of its edge in the file.
    """

    added: int
    unchanged: int
    derived: int
    failed: int
    problems: tuple[Problem, ...]
    dry_run: bool


def export_entities(app: App, request: ExportEntities) -> ExportedEntities:
    """Export entities and their ties.

    As JSON. The same store gives the same bytes, an entity or an edge a line.
    """
    made = entity_exchange.document(app)
    if request.target in ("", "-"):
        return ExportedEntities(made.entities, made.edges, "", made.lines)
    path = os.path.abspath(os.path.join(app.start, request.target))
    content = ("\n".join(made.lines) + "\n").encode("utf-8", "backslashreplace")
    export_file.write(path, content, force=request.force)
    return ExportedEntities(made.entities, made.edges, path, ())


def import_entities(app: App, request: ImportEntities) -> ImportedEntities:
    """Import links between memories.

    Between memories that are here; all else in the file is derived, and passed over. Importing a
    file twice changes nothing. Without --trust a link may start only at a memory that came from
    elsewhere.
    """
    refuse_agents(app, "import links")
    path = os.path.join(app.start, request.source)
    if not os.path.isfile(path):
        raise NotFound(f"There is no file {path}.", "Name a file of `gitmem entity export`.")
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            text = file.read()
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be read: {error.strerror}.", "Check the permissions of the file."
        ) from error
    taken = entity_exchange.take(app, text, own=request.trust, dry_run=request.dry_run)
    return ImportedEntities(
        taken.added,
        taken.unchanged,
        taken.derived,
        len(taken.problems),
        taken.problems,
        request.dry_run,
    )


def view_exported(result: ExportedEntities) -> str:
    """The lines themselves, or a line on the file written."""
    if not result.target:
        return "\n".join(result.lines)
    return f"exported {result.entities} entities and {result.edges} edges to {result.target}"


def view_imported(result: ImportedEntities) -> str:
    """The counts, then each edge that failed."""
    would = "would be " if result.dry_run else ""
    lines = [
        f"{quantity(result.added, 'link')} {would}added, {result.unchanged} unchanged, "
        f"{quantity(result.derived, 'edge')} derived here anyway"
    ]
    return "\n".join([*lines, *(f"edge {one.line}: {one.error}" for one in result.problems)])


EXPORT = Operation(
    name="entity export",
    run=export_entities,
    view=view_exported,
    effect=READ,
    sample="entities.json",
)
IMPORT = Operation(
    name="entity import",
    run=import_entities,
    view=view_imported,
    effect=WRITE,
    sample="entities.json",
)
