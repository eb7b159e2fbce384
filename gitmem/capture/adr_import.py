"""Importing decision records as decisions.

A person's import gets the tier ``repository``; an agent's waits in the inbox. Changed records, and
those that are not in force, only a person imports. A second import changes only what changed in the
files, and does not bring back what was rejected.
"""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.capture import proposals
from gitmem.capture.change import edit_memory
from gitmem.capture.proposals import ProposedMemory
from gitmem.capture.provenance import is_agent, require_person
from gitmem.errors import Conflict, GitmemError, InvalidInput, NotFound
from gitmem.freshness import anchoring
from gitmem.git import listing
from gitmem.indexing import file_filter
from gitmem.memory import adr_format, decision_finder, draft, trust
from gitmem.memory.adr_format import DecisionRecord
from gitmem.memory.draft import MemoryDraft, MemoryOrigin
from gitmem.model import ids
from gitmem.model.anchor import CodeAnchor
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, memories, memory_writes, suggestions
from gitmem.store.memory.imported_files import KEY, imported_file_metadata, imported_ids_by_file

LARGEST = 256 << 10
MARKDOWN = (".md", ".markdown")
_IMPORTANCE = 0.82


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What was done with a file: ``action`` in a word or two, or the ``error`` if it failed.

    ``id`` is the memory made from the file or written to it, empty where there is none. ``note``
    says what was left out.
    """

    file: str
    id: str
    action: str
    error: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class FileOutcomes:
    """What was done with each file, and how many failed. ``dry_run``: nothing was written."""

    files: tuple[FileOutcome, ...]
    failed: int
    dry_run: bool


def summarize_file_outcomes(outcomes: Sequence[FileOutcome], *, dry_run: bool) -> FileOutcomes:
    """These outcomes as FileOutcomes, with the number of those that have an error."""
    return FileOutcomes(tuple(outcomes), sum(1 for outcome in outcomes if outcome.error), dry_run)


def import_decision_records(
    app: App, paths: tuple[str, ...], *, propose: bool, dry_run: bool
) -> list[FileOutcome]:
    """Import decision records (ADRs) from files and folders; returns a FileOutcome for each file.

    Without paths: from all files that look like records by their path. ``propose``: as proposals
    that wait for a person, as for an agent always. A file that fails does not stop the others.
    Raises NotFound if there is no record.
    """
    blobs = _files(app, paths)
    if not blobs:
        where = ", ".join(paths) or "the usual folders (docs/adr, docs/decisions, doc/adr, adr)"
        raise NotFound(
            f"There are no decision records in {where[:200]}.",
            "Give the folder: gitmem adr import FOLDER.",
        )
    propose = propose or is_agent(app)
    ids_by_file = imported_ids_by_file(app.store)
    return [
        _import_file(app, path, blob, ids_by_file.get(path, ()), propose, dry_run)
        for path, blob in blobs.items()
    ]


def _files(app: App, paths: tuple[str, ...]) -> dict[str, str]:
    """Path -> blob of the records, sorted by path."""
    named = [path for path in paths if path != "."]
    blobs = listing.list_files(app.layout, file_filter.name_refusal_reason, only_paths=named).blobs
    fits = (
        adr_format.is_decision_record_path
        if not named
        else lambda path: (
            path.lower().endswith(MARKDOWN) and not adr_format.is_decision_records_index_path(path)
        )
    )
    return {path: blobs[path] for path in sorted(blobs) if fits(path)}


def _import_file(
    app: App, path: str, blob: str, earlier_ids: Sequence[str], propose: bool, dry_run: bool
) -> FileOutcome:
    try:
        text = _text(app, path)
        record = adr_format.parse_decision_record(text)
        if record is None:
            return FileOutcome(path, "", "skipped", "It has no title, or nothing below it.")
        stored = _find_known(app.store, earlier_ids, record)
        draft = _draft(path, blob, record)
        if stored is not None:
            id, action = _update_known(app, stored, record, draft, dry_run)
        else:
            id, action = _keep_record(app, path, draft, record, propose, dry_run)
        return FileOutcome(path, id, action)
    except Conflict as error:
        return FileOutcome(path, "", "left alone", error.message)
    except GitmemError as error:
        return FileOutcome(path, "", "failed", error.message)


def _text(app: App, path: str) -> str:
    data = listing.read_worktree_file(listing.listed_files_root(app.layout), path, LARGEST)
    if data is None:
        raise NotFound(
            f"{path} cannot be read.", "Give an existing file that is not a symbolic link."
        )
    if reason := file_filter.content_refusal_reason(data, LARGEST, is_prose=True):
        raise InvalidInput(
            f"{path} was not imported: {reason}.", "Decision records are Markdown files."
        )
    return file_filter.decode_text(data)


def _keep_record(
    app: App,
    path: str,
    record_draft: MemoryDraft,
    record: DecisionRecord,
    propose: bool,
    dry_run: bool,
) -> tuple[str, str]:
    """Store a new record; the decision's id and what was done. Raises GitmemError."""
    database = app.store
    if record.id and memory_writes.is_memory_purged(database, record.id):
        return "", "purged before"
    memory = memory_of_imported_file(app, record_draft, _id(app, record))
    if propose and record.status == "accepted":
        if dry_run:
            return "", "would be proposed"
        finding = ProposedMemory(
            record_draft, f"decision record {path}", decision_finder.STATED_CONFIDENCE
        )
        return proposals.propose_imported_memory(app, database, finding)
    if not suggestions.is_memory_text_stored(database, memory):
        require_person(app, f"import a decision record that is {record.status}")
    # Two records that gitmem wrote are two decisions, even with one title.
    return store_memory_if_new(app, memory, dry_run=dry_run, match_by_title=not record.id)


def memory_of_imported_file(app: App, draft_of_file: MemoryDraft, memory_id: str) -> Memory:
    """The memory for a draft made from a file, checked but not stored. Raises InvalidInput.

    ``memory_id`` is a new id, or that of the memory made from the file before.
    """
    origin = MemoryOrigin(
        id=memory_id,
        now=app.now,
        project=subprojects.project_key_for_new_memories(app),
        branch=app.git_head.branch or "",
        commit=app.git_head.commit or "",
        source=app.source,
    )
    limit = app.settings.number("memory.max_bytes")
    return draft.prepare_memory(draft_of_file, origin, max_bytes=limit).memory


def store_memory_if_new(
    app: App, memory: Memory, *, dry_run: bool, match_by_title: bool = True
) -> tuple[str, str]:
    """Store a memory made from a file unless its text is stored; returns (its id or "", action).

    The action is ``added``, ``known`` or, with ``dry_run``, ``would be added``. ``match_by_title``:
    a decision with the same title counts as the same.
    """
    memory = replace(memory, trust="repository")  # a person imported it, but did not write it
    if dry_run:
        is_stored = suggestions.is_memory_text_stored(
            app.store, memory, match_decision_title=match_by_title
        )
        return "", "known" if is_stored else "would be added"
    cited = anchoring.make_code_anchors(app, memory).anchors if memory.paths else ()
    with app.store.write() as database:
        if suggestions.is_memory_text_stored(database, memory, match_decision_title=match_by_title):
            return "", "known"
        memory_writes.insert_memory(database, memory)
        anchors.replace_anchors(database, memory.id, cited)
    return memory.id, "added"


def _id(app: App, record: DecisionRecord) -> str:
    """The id in the record if it is valid and unused, else a new one."""
    fits = len(record.id) == ids.LENGTH and ids.normalise_id_prefix(record.id) == record.id
    free = fits and memories.get_memory(app.store, record.id) is None
    return record.id if free else app.new_id()


def _find_known(
    database: Database, earlier_ids: Sequence[str], record: DecisionRecord
) -> Memory | None:
    """The decision that gitmem wrote the record from, or made of its file earlier."""
    if record.id:
        memory = memories.get_memory(database, record.id)
        return memory if memory is not None and memory.kind == "decision" else None
    there = (memories.get_memory(database, id) for id in reversed(earlier_ids))
    return next(
        (memory for memory in there if memory is not None and memory.kind == "decision"), None
    )


def _update_known(
    app: App, stored: Memory, record: DecisionRecord, record_draft: MemoryDraft, dry_run: bool
) -> tuple[str, str]:
    if stored.archived_at is not None:
        return stored.id, "archived here"
    if record.id and not record.edited:
        return stored.id, "unchanged"
    waits = stored.state == "proposed" and stored.is_unaccepted_proposal
    origin = MemoryOrigin(id=stored.id, now=app.now, project=stored.project)
    limit = app.settings.number("memory.max_bytes")
    revised = draft.prepare_memory(record_draft, origin, max_bytes=limit).memory
    new = replace(
        stored,
        title=revised.title,
        content=revised.content,
        status=stored.status if waits else revised.status,
        metadata=stored.metadata if record.id else revised.metadata,
    )
    # A status that changed here but not in the file is the newer one.
    if not record.id and imported_file_metadata(stored).get("status") == record.status:
        new = replace(new, status=stored.status)
    new = replace(new, trust=trust.trust_after_import(stored, new))
    if new == stored:
        return stored.id, "waits in the inbox" if waits else "unchanged"
    check_agent_may_update(app, stored)
    if dry_run:
        return stored.id, "would be updated"
    update_memory_from_file(app, stored, new)
    return stored.id, "updated"


def check_agent_may_update(app: App, stored_memory: Memory) -> None:
    """Raise Conflict if an agent runs this and the memory, whose file changed, is no proposal."""
    if stored_memory.state != "proposed":
        require_person(app, "take over what changed in a file since it was imported")


def update_memory_from_file(
    app: App,
    stored_memory: Memory,
    new_version: Memory,
    new_anchors: Sequence[CodeAnchor] | None = None,
) -> None:
    """Store ``new_version`` in place of ``stored_memory``, after the file of this memory changed.

    ``new_anchors`` are the code that it is now about; None: this stays. Raises NotFound, and
    Conflict if the memory was edited meanwhile.
    """
    with app.store.write() as database:
        current = memories.get_memory(database, stored_memory.id)
        if current is not None and current != stored_memory:
            raise Conflict(
                f"Memory {stored_memory.id} was edited a moment ago.", "Run the import again."
            )
        edit_memory(app, database, stored_memory, lambda _: new_version, "imported")
        if new_anchors is not None:
            anchors.replace_anchors(database, stored_memory.id, new_anchors)


def _draft(path: str, blob: str, record: DecisionRecord) -> MemoryDraft:
    return MemoryDraft(
        content=record.content,
        title=record.title,
        kind="decision",
        tags=record.tags if record.id else decision_finder.project_area_tags_in_text(record.title),
        paths=record.paths,
        status=record.status,
        importance=_IMPORTANCE,
        metadata=None if record.id else metadata_of_decision_file(path, blob, record),
    )


def metadata_of_decision_file(path: str, blob_id: str, record: DecisionRecord) -> dict[str, object]:
    """The metadata of a decision imported from a file, enough to write that file again.

    ``blob_id`` is the git id of the file's content.
    """
    return {
        KEY: {
            "file": path,
            "blob": blob_id,
            "status": record.status,
            "number": record.number,
            "date": record.date,
            "head": record.head,
            "tail": record.tail,
        }
    }
