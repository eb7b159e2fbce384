"""Importing documents and decision records (ADRs), and exporting decisions as records."""

from gitmem.app import App
from gitmem.capture import adr_export, adr_import, document_import
from gitmem.capture.adr_export import FOLDER
from gitmem.capture.adr_import import FileOutcome, FileOutcomes
from gitmem.capture.document_import import MOST_CHARACTERS, DocumentImportOptions
from gitmem.errors import InvalidInput, NotFound
from gitmem.memory.adr_format import FORMATS
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, Texts, positional_arg
from gitmem.text.fence import one_line

_WIDTH = 160


@dataclass(frozen=True, slots=True)
class ImportAdrsRequest:
    """Arguments of `gitmem adr import`: files (empty: docs/adr etc.), and whether to the inbox."""

    path: Annotated[
        Texts, positional_arg("Files or folders (default: docs/adr and the like)", path_kind="path")
    ] = ()
    propose: shared.Propose = False
    dry_run: shared.DryRun = False


@dataclass(frozen=True, slots=True)
class ExportAdrsRequest:
    """Arguments of `gitmem adr export`: folder, format of new files, whether without an index."""

    folder: Annotated[str, positional_arg(f"The folder (default: {FOLDER})", path_kind="path")] = (
        FOLDER
    )
    format: Annotated[str, Arg("How new records are written", choices=FORMATS)] = "madr"
    no_index: Annotated[bool, Arg("Write no index of the records")] = False
    dry_run: shared.DryRun = False


@dataclass(frozen=True, slots=True)
class ImportDocsRequest:
    """Arguments of `gitmem import-docs`: files (``path``, empty: README and the like) to store.

    ``max_chars`` of each are kept; ``pin`` keeps them on top of every session; ``propose`` puts
    them into the inbox instead of storing them.
    """

    path: Annotated[
        Texts, positional_arg("Files (default: all of the usual names)", path_kind="path")
    ] = ()
    max_chars: Annotated[
        int, Arg("Characters of each document that are kept", minimum=100, maximum=1_000_000)
    ] = MOST_CHARACTERS
    pin: Annotated[bool, Arg("Pin them: they stay on top of every session")] = False
    propose: shared.Propose = False
    dry_run: shared.DryRun = False


def import_adrs(app: App, request: ImportAdrsRequest) -> FileOutcomes:
    """Import decision records (ADRs) as decisions.

    Reads MADR, Nygard's and plain records. Run again, it changes only what changed in the files. A
    record that was rejected or archived here is not imported again. With --propose accepted records
    wait in the inbox.
    """
    done = adr_import.import_decision_records(
        app, tuple(filter(None, request.path)), propose=request.propose, dry_run=request.dry_run
    )
    return adr_import.summarize_file_outcomes(done, dry_run=request.dry_run)


def export_adrs(app: App, request: ExportAdrsRequest) -> FileOutcomes:
    """Write decisions as decision records (ADRs), with an index.

    A decision imported from a file is written as it was there, with its present status. A file
    edited since then is not touched until it is imported again.
    """
    if not request.folder.strip():
        raise InvalidInput("No folder is given.", f"Give one, such as {FOLDER}.")
    done = adr_export.export_decision_records(
        app,
        request.folder.rstrip("/"),
        request.format,
        write_index=not request.no_index,
        dry_run=request.dry_run,
    )
    return adr_import.summarize_file_outcomes(done, dry_run=request.dry_run)


def import_docs(app: App, request: ImportDocsRequest) -> FileOutcomes:
    """Import CLAUDE.md, AGENTS.md, README and the like as memories.

    Also GEMINI.md, .cursorrules, CONTRIBUTING, ARCHITECTURE, CHANGELOG and decision records. Each
    becomes one memory, marked as said by the repository and not by you. Run again, it updates what
    changed in the files.
    """
    wishes = DocumentImportOptions(request.max_chars, request.pin, request.propose, request.dry_run)
    done = document_import.import_documents(app, tuple(filter(None, request.path)), wishes)
    if not done:
        raise NotFound(
            "No document with a name that gitmem knows, such as README.md, was found here.",
            "Name the files: gitmem import-docs docs/guide.md",
        )
    return adr_import.summarize_file_outcomes(done, dry_run=request.dry_run)


def view(result: FileOutcomes) -> str:
    """Return the text to print: a line for each changed file, and the number of unchanged files."""
    same = sum(1 for file in result.files if file.action == "unchanged")
    lines = [_line(file) for file in result.files if file.action != "unchanged"]
    lines += [f"{same} unchanged"] if same else []
    return "\n".join(lines) or "There are no decisions yet."


def view_docs(result: FileOutcomes) -> str:
    """Return the text to print: a line for each document."""
    return "\n".join(map(_line, result.files))


def _line(file: FileOutcome) -> str:
    text = one_line(file.error or file.note, _WIDTH)
    parts = (file.action, one_line(file.file, _WIDTH), file.id[:12], text)
    return "  ".join(filter(None, parts))


IMPORT = Operation("adr import", import_adrs, view, WRITE, "docs/adr")
EXPORT = Operation("adr export", export_adrs, view, WRITE, "--format nygard")
IMPORT_DOCS = Operation("import-docs", import_docs, view_docs, WRITE, "--dry-run")
