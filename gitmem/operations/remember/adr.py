"""Importing decision records (ADRs) from files, and exporting decisions as such."""

from gitmem.app import App
from gitmem.capture import adr_export, adr_import
from gitmem.capture.adr_export import FOLDER
from gitmem.capture.adr_import import FileOutcomes
from gitmem.errors import InvalidInput
from gitmem.memory.adr_format import FORMATS
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, Texts, given
from gitmem.text.fence import one_line

_WIDTH = 160


@dataclass(frozen=True, slots=True)
class AdrImport:
    """Which records to import, and how."""

    path: Annotated[
        Texts, given("Files or folders (default: docs/adr and the like)", place="path")
    ] = ()
    propose: shared.Propose = False
    dry_run: shared.DryRun = False


@dataclass(frozen=True, slots=True)
class AdrExport:
    """Where to write decisions to, and in which form."""

    folder: Annotated[str, given(f"The folder (default: {FOLDER})", place="path")] = FOLDER
    format: Annotated[str, Arg("How new records are written", choices=FORMATS)] = "madr"
    dry_run: shared.DryRun = False


def import_records(app: App, request: AdrImport) -> FileOutcomes:
    """Import decision records (ADRs) as decisions.

    Reads MADR, Nygard's and plain records. Run again, it changes only what changed in the files. A
    record that was rejected or archived here is not imported again. With --propose accepted records
    wait in the inbox.
    """
    done = adr_import.import_records(
        app, request.path, propose=request.propose, dry_run=request.dry_run
    )
    return adr_import.counted(done, dry_run=request.dry_run)


def export_records(app: App, request: AdrExport) -> FileOutcomes:
    """Write decisions as decision records (ADRs), with an index.

    A decision imported from a file is written as it was there, with its present status. A file
    edited since then is not touched until it is imported again.
    """
    if not request.folder.strip():
        raise InvalidInput("Which folder?", f"Give one, such as {FOLDER}.")
    done = adr_export.export_records(
        app, request.folder.rstrip("/"), request.format, dry_run=request.dry_run
    )
    return adr_import.counted(done, dry_run=request.dry_run)


def view(result: FileOutcomes) -> str:
    """A line for each changed file, and the number of unchanged ones."""
    same = sum(1 for file in result.files if file.action == "unchanged")
    lines = [
        f"{file.action}  {one_line(file.file, _WIDTH)}"
        + (f"  {file.id[:12]}" if file.id else "")
        + (f"  {one_line(file.error, _WIDTH)}" if file.error else "")
        for file in result.files
        if file.action != "unchanged"
    ]
    if same:
        lines.append(f"{same} unchanged")
    return "\n".join(lines) or "There are no decisions yet."


IMPORT = Operation("adr import", import_records, view, WRITE, "docs/adr")
EXPORT = Operation("adr export", export_records, view, WRITE, "--format nygard")
