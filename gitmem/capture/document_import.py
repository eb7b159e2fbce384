"""Importing documents such as AGENTS.md, CONTRIBUTING and README as memories, one for each file.

A second import updates the memory if the file changed. The block that gitmem itself writes into
such files is left out. The tier is ``repository``, as nobody here vouches for the text; what an
agent imports waits in the inbox.
"""

import re

from gitmem.app import App
from gitmem.capture import adr_import, proposals
from gitmem.capture.adr_import import FileOutcome
from gitmem.capture.proposals import ProposedMemory
from gitmem.capture.provenance import is_agent
from gitmem.errors import Conflict, GitmemError, InvalidInput
from gitmem.freshness import anchoring
from gitmem.git import listing
from gitmem.indexing import file_filter
from gitmem.memory import adr_format, decision_finder, trust
from gitmem.memory.draft import DOCUMENT_BYTES, MemoryDraft
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.memory.imported_files import KEY, imported_file_metadata, memories_imported_from
from gitmem.text.marked_block import BlockMarkers, remove_block
from gitmem.timeline import command_output

MOST_CHARACTERS = 50_000
_LARGEST = 1 << 20
_CUT = "\n\n(cut: the file has more)"
# The marks of the block that `gitmem setup` writes; a test compares them with those of setup.
OWN_BLOCK = BlockMarkers(b">>> gitmem >>>", b"<<< gitmem <<<")
_CONVENTION, _DOCUMENTATION = "convention", "documentation"
# Paths of known documents (in lower case) and the kind of memory that each becomes.
_KINDS = (
    (r"(?:claude|agents|gemini)\.md|\.cursorrules|\.github/copilot-instructions\.md", _CONVENTION),
    (r"(?:|docs/|\.github/)contributing\.(?:md|rst|txt)", _CONVENTION),
    (r"\.cursor/rules/[^/]+\.mdc?", _CONVENTION),
    (r"(?:readme|changelog|changes|roadmap)(?:\.(?:md|rst|txt))?", _DOCUMENTATION),
    (r"(?:|docs/)architecture\.(?:md|rst|txt)", _DOCUMENTATION),
)
_IMPORTANCE = {_CONVENTION: 0.8, _DOCUMENTATION: 0.5}


@dataclass(frozen=True, slots=True)
class DocumentImportOptions:
    """Options of an import of documents; ``max_chars`` of each document are kept.

    ``pin``: the memories are pinned. ``propose``: they wait in the inbox for a person. ``dry_run``:
    nothing is stored.
    """

    max_chars: int = MOST_CHARACTERS
    pin: bool = False
    propose: bool = False
    dry_run: bool = False


def import_documents(
    app: App, paths: tuple[str, ...], options: DocumentImportOptions
) -> list[FileOutcome]:
    """Import documents and decision records as memories; returns a FileOutcome for each file.

    ``paths`` are files and folders; without any, all documents with a known name are imported, such
    as README. A document that fails does not stop the others.
    """
    if is_agent(app):
        options = replace(options, propose=True)
    paths = tuple(path for path in paths if path != ".")  # no path means the whole repository
    blobs = listing.list_files(app.layout, file_filter.name_refusal_reason, only_paths=paths).blobs
    records = [path for path in blobs if adr_format.is_decision_record_path(path)]
    kinds = {
        path: memory_kind_of_document(path) or (_DOCUMENTATION if path in paths else "")
        for path in blobs
    }
    outcomes = [
        _import_file(app, path, blobs[path], kinds[path], options)
        for path in sorted(blobs)
        if kinds[path] and path not in records
    ]
    outcomes += [
        FileOutcome(path, "", "missing", f"{path} is not here, or may not be read.")
        for path in paths
        if path not in blobs and not any(file.startswith(f"{path}/") for file in blobs)
    ]
    if records:
        outcomes += adr_import.import_decision_records(
            app, tuple(sorted(records)), propose=options.propose, dry_run=options.dry_run
        )
    return outcomes


def memory_kind_of_document(path: str) -> str:
    """The kind of memory made from a document such as ``AGENTS.md``; empty for other files."""
    low = path.lower()
    return next((kind for pattern, kind in _KINDS if re.fullmatch(pattern, low)), "")


def _import_file(
    app: App, path: str, blob: str, kind: str, wishes: DocumentImportOptions
) -> FileOutcome:
    try:
        imported = [
            memory
            for memory in memories_imported_from(app.store, path)
            if memory.kind != "decision"
        ]
        text = _text(app, path)
        if not text:
            return FileOutcome(path, "", "empty")
        draft = _draft(app, path, blob, kind, text, wishes)
        if imported and imported[-1].archived_at is None and _is_unchanged(imported[-1], draft):
            waits = imported[-1].state == "proposed"
            return FileOutcome(
                path, imported[-1].id, "waits in the inbox" if waits else "unchanged"
            )
        note = _describe_cut(app, text, draft.content, wishes)
        return FileOutcome(path, *_keep_document(app, path, draft, imported, wishes), note=note)
    except Conflict as error:
        return FileOutcome(path, "", "left alone", error.message)
    except GitmemError as error:
        return FileOutcome(path, "", "failed", error.message)


def _text(app: App, path: str) -> str:
    """The text of a document without gitmem's own block and quotes. Raises InvalidInput."""
    data = listing.read_worktree_file(listing.listed_files_root(app.layout), path, _LARGEST)
    if data is None:
        raise InvalidInput(
            f"{path} cannot be read.", "Give an existing file that is not a symbolic link."
        )
    if not data.strip():
        return ""
    if reason := file_filter.content_refusal_reason(data, _LARGEST, is_prose=True):
        raise InvalidInput(
            f"{path} was not imported: {reason}.", "Only text files can be imported."
        )
    text = command_output.remove_gitmem_frames(
        file_filter.decode_text(remove_block(data, OWN_BLOCK))
    )
    return "\n".join(decision_finder.lines_without_gitmem_output(text)).strip()


def _draft(
    app: App, path: str, blob: str, kind: str, text: str, wishes: DocumentImportOptions
) -> MemoryDraft:
    content = _cut(text, wishes.max_chars, _most_bytes(app))
    origin: dict[str, object] = {"file": path, "blob": blob}
    if content != text:
        origin["kept"] = len(content)  # with another limit the content differs
    return MemoryDraft(
        content=content,
        title=path,
        kind=kind,
        tags=("document",),
        paths=(path,),
        importance=_IMPORTANCE[kind],
        pinned=wishes.pin,
        metadata={KEY: origin},
    )


def _is_unchanged(memory: Memory, draft: MemoryDraft) -> bool:
    return draft.metadata is not None and imported_file_metadata(memory) == draft.metadata[KEY]


def _describe_cut(app: App, text: str, content: str, wishes: DocumentImportOptions) -> str:
    """A note on how much of a document is kept and which limit cut it; empty if all of it."""
    if content == text:
        return ""
    limit = _most_bytes(app)
    by_size = len(_head_that_fits(text, limit)) < wishes.max_chars
    bound = f"{limit:,} bytes are the most" if by_size else f"--max-chars is {wishes.max_chars}"
    shown = len(content) - len(_CUT)
    return f"Its beginning is kept, {shown:,} of {len(text):,} characters: {bound}."


def _most_bytes(app: App) -> int:
    """The size of a document that is kept, in bytes."""
    return max(app.settings.number("memory.max_bytes"), DOCUMENT_BYTES)


def _cut(text: str, most: int, most_bytes: int) -> str:
    """The text or its beginning, cut between paragraphs where possible."""
    if len(text) <= most and len(text.encode("utf-8", "surrogatepass")) <= most_bytes:
        return text
    head = _head_that_fits(text, most_bytes)[: most - len(_CUT)]
    end = head.rfind("\n\n")
    return (head[:end] if end > len(head) // 2 else head).rstrip() + _CUT


def _head_that_fits(text: str, most_bytes: int) -> str:
    """The beginning of a text that fits into the bytes together with the note on the cut."""
    room = most_bytes - len(_CUT)
    return text.encode("utf-8", "surrogatepass")[:room].decode("utf-8", "ignore")


def _keep_document(
    app: App, path: str, draft: MemoryDraft, imported: list[Memory], wishes: DocumentImportOptions
) -> tuple[str, str]:
    """Store a document; the id of the memory and what was done. Raises GitmemError."""
    if imported and imported[-1].archived_at is not None:
        return imported[-1].id, "archived here"
    if imported:
        old = imported[-1]
        new = adr_import.memory_of_imported_file(app, draft, old.id)
        changed = replace(old, content=new.content, metadata=new.metadata)
        changed = replace(changed, trust=trust.trust_after_import(old, changed))
        adr_import.check_agent_may_update(app, old)
        if wishes.dry_run:
            return old.id, "would be updated"
        cited = anchoring.make_code_anchors(app, changed).anchors
        adr_import.update_memory_from_file(app, old, changed, cited)
        return old.id, "updated"
    if wishes.propose:
        finding = ProposedMemory(draft, f"document {path}", 0.7, identity=f"document\x1f{path}")
        if wishes.dry_run:
            return "", "would be proposed"
        return proposals.propose_imported_memory(app, app.store, finding)
    new = adr_import.memory_of_imported_file(app, draft, app.new_id())
    return adr_import.store_memory_if_new(app, new, dry_run=wishes.dry_run)
