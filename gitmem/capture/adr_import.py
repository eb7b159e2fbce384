"""Decision records in files become decisions in the store (ML-35).

What a person imports is kept as the repository's word, what an agent imports waits in the inbox.
What changed in the files since, and what is not in force there, only a person takes over. Run
again, only what changed in the files changes here, and what was rejected stays away.
"""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.capture import proposals
from gitmem.capture.change import edit
from gitmem.capture.proposals import Found
from gitmem.capture.provenance import by_agent, refuse_agents
from gitmem.errors import Conflict, GitmemError, InvalidInput, NotFound
from gitmem.freshness import anchoring
from gitmem.git import listing
from gitmem.indexing import file_filter
from gitmem.memory import adr_format, decision_finder, draft, trust
from gitmem.memory.adr_format import Record
from gitmem.memory.draft import Draft, Origin
from gitmem.model import ids
from gitmem.model.anchor import Anchor
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, memories, memory_writes, suggestions
from gitmem.store.memory.imported_files import KEY, all_made, origin_of

LARGEST = 256 << 10
MARKDOWN = (".md", ".markdown")
_IMPORTANCE = 0.82


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What became of a file: ``action`` is a word or two, ``error`` why nothing did.

    ``id`` is that of the decision, empty where there is none. ``note`` says what was left out.
    """

    file: str
    id: str
    action: str
    error: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class FileOutcomes:
    """What became of each file, and how many could not be dealt with."""

    files: tuple[FileOutcome, ...]
    failed: int
    dry_run: bool


def counted(done: Sequence[FileOutcome], *, dry_run: bool) -> FileOutcomes:
    """What became of some files, as a result."""
    return FileOutcomes(tuple(done), sum(1 for one in done if one.error), dry_run)


def import_records(
    app: App, paths: tuple[str, ...], *, propose: bool, dry_run: bool
) -> list[FileOutcome]:
    """Take in the records in some files and folders, else all that look like one.

    Raises NotFound where there is none. A file that cannot be taken stops no other.
    """
    found = _files(app, paths)
    if not found:
        where = ", ".join(paths) or "the usual folders (docs/adr, docs/decisions, doc/adr, adr)"
        raise NotFound(
            f"There are no decision records in {where[:200]}.",
            "Give the folder: gitmem adr import FOLDER.",
        )
    propose = propose or by_agent(app)
    made = all_made(app.store)
    return [
        _taken(app, path, blob, made.get(path, ()), propose, dry_run)
        for path, blob in found.items()
    ]


def _files(app: App, paths: tuple[str, ...]) -> dict[str, str]:
    """Path -> blob of the records, in order of their names."""
    named = [path for path in paths if path != "."]
    found = listing.read(app.layout, file_filter.refuse_name, only=named).blobs
    fits = (
        adr_format.is_record
        if not named
        else lambda path: path.lower().endswith(MARKDOWN) and not adr_format.is_index(path)
    )
    return {path: found[path] for path in sorted(found) if fits(path)}


def _taken(
    app: App, path: str, blob: str, made: Sequence[str], propose: bool, dry_run: bool
) -> FileOutcome:
    try:
        text = _text(app, path)
        record = adr_format.parse(text)
        if record is None:
            return FileOutcome(path, "", "skipped", "It has no title, or nothing below it.")
        known = _known(app.store, made, record)
        said = _draft(path, blob, record)
        if known is not None:
            id, action = _again(app, known, record, said, dry_run)
        else:
            id, action = _kept(app, path, said, record, propose, dry_run)
        return FileOutcome(path, id, action)
    except Conflict as error:
        return FileOutcome(path, "", "left alone", error.message)
    except GitmemError as error:
        return FileOutcome(path, "", "failed", error.message)


def _text(app: App, path: str) -> str:
    data = listing.read_file(listing.root(app.layout), path, LARGEST)
    if data is None:
        raise NotFound(f"{path} cannot be read.", "It is a link, or gone.")
    if reason := file_filter.refuse_content(data, LARGEST):
        raise InvalidInput(f"{path} is left out: {reason}.", "A record is a Markdown file.")
    return file_filter.decode(data)


def _kept(
    app: App, path: str, made: Draft, record: Record, propose: bool, dry_run: bool
) -> tuple[str, str]:
    """The decision's id and what was done. Raises GitmemError."""
    database = app.store
    if record.id and memory_writes.buried(database, record.id):
        return "", "purged before"
    origin = Origin(
        id=_id(app, record),
        now=app.now,
        project=subprojects.key(app),
        branch=app.head.branch or "",
        commit=app.head.commit or "",
        source=app.source,
    )
    limit = app.settings.number("memory.max_bytes")
    memory = draft.prepare(made, origin, max_bytes=limit).memory
    if propose and record.status == "accepted":
        if dry_run:
            return "", "would be proposed"
        found = Found(made, f"decision record {path}", decision_finder.STATED)
        return proposals.propose_file(app, database, found)
    if not suggestions.said_before(database, memory):
        refuse_agents(app, f"import a decision record that is {record.status}")
    # Records that gitmem wrote were apart in the store that they are from.
    return add(app, memory, dry_run=dry_run, by_title=not record.id)


def add(app: App, memory: Memory, *, dry_run: bool, by_title: bool = True) -> tuple[str, str]:
    """Keep what a file says as the repository's word, unless it is known; the id, what was done.

    ``by_title``: a decision of the same title is taken for the same.
    """
    memory = replace(memory, trust="repository")  # a person asked for it, and did not say it
    if dry_run:
        known = suggestions.said_before(app.store, memory, by_title=by_title)
        return "", "known" if known else "would be added"
    cited = anchoring.anchor_citations(app, memory).anchors if memory.paths else ()
    with app.store.write() as database:
        if suggestions.said_before(database, memory, by_title=by_title):
            return "", "known"
        memory_writes.insert(database, memory)
        anchors.replace(database, memory.id, cited)
    return memory.id, "added"


def _id(app: App, record: Record) -> str:
    """The id that the file gives it, unless that is none or some other memory's."""
    fits = len(record.id) == ids.LENGTH and ids.normalise(record.id) == record.id
    free = fits and memories.get(app.store, record.id) is None
    return record.id if free else app.new_id()


def _known(database: Database, made: Sequence[str], record: Record) -> Memory | None:
    """The decision that a record was written from, or that was made of its file."""
    if record.id:
        found = memories.get(database, record.id)
        return found if found is not None and found.kind == "decision" else None
    there = (memories.get(database, id) for id in reversed(made))
    return next((one for one in there if one is not None and one.kind == "decision"), None)


def _again(app: App, known: Memory, record: Record, made: Draft, dry_run: bool) -> tuple[str, str]:
    if known.archived_at is not None:
        return known.id, "archived here"
    if record.id and not record.edited:
        return known.id, "unchanged"
    waits = known.state == "proposed" and known.source == proposals.SOURCE
    origin = Origin(id=known.id, now=app.now, project=known.project)
    limit = app.settings.number("memory.max_bytes")
    said = draft.prepare(made, origin, max_bytes=limit).memory
    new = replace(
        known,
        title=said.title,
        content=said.content,
        status=known.status if waits else said.status,
        metadata=known.metadata if record.id else said.metadata,
    )
    # A status that changed here and not in the file is newer than the file.
    if not record.id and origin_of(known).get("status") == record.status:
        new = replace(new, status=known.status)
    new = replace(new, trust=trust.after_import(known, new))
    if new == known:
        return known.id, "waits in the inbox" if waits else "unchanged"
    refuse_following(app, known)
    if dry_run:
        return known.id, "would be updated"
    follow(app, known, new)
    return known.id, "updated"


def refuse_following(app: App, known: Memory) -> None:
    """Raise Conflict where an agent would put what a file says now in place of what is in force."""
    if known.state != "proposed":
        refuse_agents(app, "take over what changed in a file since it was imported")


def follow(app: App, known: Memory, new: Memory, cited: Sequence[Anchor] | None = None) -> None:
    """Store what a file makes of a memory, with what it cites. Raises Conflict and NotFound.

    Also Conflict where the memory was edited since it was looked at: then nothing is written over.
    """
    with app.store.write() as database:
        now = memories.get(database, known.id)
        if now is not None and now != known:
            raise Conflict(f"Memory {known.id} was edited a moment ago.", "Import it again.")
        edit(app, database, known, lambda _: new, "imported")
        if cited is not None:
            anchors.replace(database, known.id, cited)


def _draft(path: str, blob: str, record: Record) -> Draft:
    return Draft(
        content=record.content,
        title=record.title,
        kind="decision",
        tags=record.tags if record.id else decision_finder.areas(record.title),
        paths=record.paths,
        status=record.status,
        importance=_IMPORTANCE,
        metadata=None if record.id else facts(path, blob, record),
    )


def facts(path: str, blob: str, record: Record) -> dict[str, object]:
    """What a decision keeps of the file that it was made of, so that it can be written again."""
    return {
        KEY: {
            "file": path,
            "blob": blob,
            "status": record.status,
            "number": record.number,
            "date": record.date,
            "head": record.head,
            "tail": record.tail,
        }
    }
