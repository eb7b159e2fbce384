"""Importing documents on how to work in a repository."""

from gitmem.app import App
from gitmem.capture import adr_import, document_import
from gitmem.capture.adr_import import FileOutcomes
from gitmem.capture.document_import import MOST_CHARACTERS, ImportOptions
from gitmem.errors import NotFound
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, Texts, given
from gitmem.text.fence import one_line

_WIDTH = 160


@dataclass(frozen=True, slots=True)
class ImportDocs:
    """Which documents, and how."""

    path: Annotated[Texts, given("Files (default: all of the usual names)", place="path")] = ()
    max_chars: Annotated[
        int, Arg("Characters of each document that are kept", least=100, most=1_000_000)
    ] = MOST_CHARACTERS
    pin: Annotated[bool, Arg("Pin them: they stay on top of every session")] = False
    propose: shared.Propose = False
    dry_run: shared.DryRun = False


def import_docs(app: App, request: ImportDocs) -> FileOutcomes:
    """Import CLAUDE.md, AGENTS.md, README and the like as memories.

    Also GEMINI.md, .cursorrules, CONTRIBUTING, ARCHITECTURE, CHANGELOG and decision records. Each
    becomes one memory, marked as said by the repository and not by you. Run again, it updates what
    changed in the files.
    """
    wishes = ImportOptions(request.max_chars, request.pin, request.propose, request.dry_run)
    done = document_import.import_documents(app, request.path, wishes)
    if not done:
        raise NotFound(
            "There are no such documents here.", "Name the files: gitmem import-docs docs/guide.md."
        )
    return adr_import.counted(done, dry_run=request.dry_run)


def view(result: FileOutcomes) -> str:
    """A line for each document."""
    return "\n".join(
        f"{file.action}  {one_line(file.file, _WIDTH)}"
        + (f"  {file.id[:12]}" if file.id else "")
        + (f"  {one_line(file.error or file.note, _WIDTH)}" if file.error or file.note else "")
        for file in result.files
    )


IMPORT_DOCS = Operation("import-docs", import_docs, view, WRITE, "--dry-run")
