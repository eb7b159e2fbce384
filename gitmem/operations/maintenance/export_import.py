"""Exporting memories to a text file and importing them, to review them or take them elsewhere."""

import os
from collections.abc import Collection, Iterable, Iterator

from gitmem.app import App
from gitmem.branches import subprojects, visible_here
from gitmem.capture.importer import ImportProblem, MemoryImportRun, Record
from gitmem.capture.provenance import require_person
from gitmem.errors import GitmemError, InvalidInput, NotFound, Unavailable
from gitmem.maintenance import export_file
from gitmem.memory import draft, export_format
from gitmem.memory.foreign_record import NewMemoryIdentity
from gitmem.memory.relations import COMMIT
from gitmem.memory.trust import may_show_automatically
from gitmem.model.exchange import TRANSCRIPT
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Link, Memory
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, WRITE, Annotated, Arg, Operation, Texts, positional_arg
from gitmem.retrieval.request_filters import stores_of_scope
from gitmem.store.db import redaction_gate, seals
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, memories, rewritten_commits
from gitmem.store.memory.filters import MemoryFilter
from gitmem.sync import bodies, exchange, outgoing, record, segment
from gitmem.text.quantity import quantity

BATCH = 200
_MOST_NAMED = 20  # ids in the suggested `gitmem trust` command
SHOWN = 20  # failed lines that are shown


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """Arguments of `gitmem export`: the file to write (``target``, empty: standard output).

    ``scope`` is project, global or all; ``kind`` are the only kinds of memory (empty: all);
    ``records`` is only what may be shared; ``force`` overwrites the file.
    """

    target: shared.OutputFile = ""
    scope: Annotated[str, Arg("Which memories", choices=("project", "global", "all"))] = "project"
    kind: Annotated[Texts, Arg("Only this kind of memory", metavar="KIND")] = ()
    records: Annotated[
        bool, Arg("Only what `gitmem sync` would send, to keep in the repository", flag="--shared")
    ] = False
    force: shared.Overwrite = False


@dataclass(frozen=True, slots=True)
class ExportResult:
    """Counts of what was exported. ``lines`` holds the text if no file was named.

    ``others`` is the number of global memories that were not exported, ``proposed`` that of the
    memories of the kinds asked for that are only proposed. ``staying`` says with --shared how many
    memories are not shared, and why.
    """

    memories: int
    links: int
    target: str
    lines: tuple[str, ...]
    others: int
    proposed: int = 0
    staying: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """Arguments of `gitmem import`: ``source`` is a path, or with ``piped`` the text of the file.

    ``trust``: the file is the user's own, and each memory keeps its trust; ``dry_run`` changes
    nothing.
    """

    source: Annotated[
        str, positional_arg("A file of JSON Lines, such as `gitmem export` writes", max_stdin_mb=64)
    ]
    piped: shared.Piped = False
    trust: shared.OwnFile = False
    dry_run: shared.DryRun = False


@dataclass(frozen=True, slots=True)
class ImportResult:
    """Counts of lines by outcome, and the first lines that failed.

    ``purged`` counts memories that were purged here and are not imported again. ``foreign`` counts
    imported memories that nobody here has accepted, ``foreign_ids`` are their ids if they are few;
    ``elsewhere`` counts imported memories of commits that HEAD's history does not contain.
    """

    added: int
    updated: int
    unchanged: int
    links: int
    purged: int
    failed: int
    problems: tuple[ImportProblem, ...]
    dry_run: bool
    foreign: int = 0
    foreign_ids: tuple[str, ...] = ()
    elsewhere: int = 0


def _exported_memories(stores: Iterable[Database]) -> list[Memory]:
    return [
        # The placeholder of a branch without commits becomes its first commit, if there is one.
        replace(memory, commit=firsts.get(memory.commit, memory.commit))
        for store in stores
        for firsts in (rewritten_commits.first_commits_of_new_branches(store),)
        for memory in memories.all_memories(store)
        # What was proposed from a session is as personal as the session, until it is accepted.
        if not (memory.status == "proposed" and f'"{TRANSCRIPT}"' in memory.metadata)
    ]


def export_memories(app: App, request: ExportRequest) -> ExportResult:
    """Export memories and links as JSON Lines.

    The order is stable, so that two exports can be diffed. Archived and superseded memories are
    included; history and usage counts are not. The first line ends with a seal of your store, by
    which `gitmem recover` recognises the file as yours. With --kind what is only proposed is left
    out, and only links between exported memories are included. With --shared the file holds only
    what may be shared, a line each, and is the same as long as these memories are.
    """
    if request.records:
        return _export_shared(app, request)
    lines = list[str]()
    kinds = frozenset(map(draft.check_memory_kind, request.kind))
    stores = stores_of_scope(app, request.scope)
    exported = _exported_memories(stores)
    links = [link for store in stores for link in memories.all_links(store)]
    proposed = 0
    if kinds:
        exported = [memory for memory in exported if memory.kind in kinds]
        proposed = sum(memory.state == "proposed" for memory in exported)
        exported = [memory for memory in exported if memory.state != "proposed"]
    ids = {memory.id for memory in exported}
    if kinds:
        # Links to one of these memories, or to a commit.
        links = [
            link
            for link in links
            if link.source in ids and (link.target in ids or link.target.startswith(COMMIT))
        ]
    exported.sort(key=lambda memory: memory.id)
    links.sort(key=lambda link: link.id)
    # Redacted again, since some texts were stored before a kind of secret was known.
    lines += [
        export_format.memory_as_json_line(redaction_gate.redact_memory(memory))
        for memory in exported
    ]
    lines += [
        export_format.anchors_as_json_line(id, cited)
        for store in stores
        for id, cited in sorted(
            anchors.anchors_by_memory(store, anchors.anchored_memory_ids(store)).items()
        )
        if id in ids or not kinds
    ]
    lines += [
        export_format.link_as_json_line(
            replace(link, context=redaction_gate.redact_text(link.context))
        )
        for link in links
    ]
    shared = app.global_store() if request.scope == "project" else None
    others = memories.count_filtered_memories(shared, MemoryFilter(states=())) if shared else 0
    body = export_format.signed_export_bytes(lines)
    sealed = [seals.seal_of_export(store.key, body) for store in stores]
    lines.insert(0, export_format.export_header(app.project_identity.key, sealed))
    written = _written(app, request, len(exported), len(links), lines, others)
    return replace(written, proposed=proposed)


def _export_shared(app: App, request: ExportRequest) -> ExportResult:
    if request.kind or request.scope != "project":
        raise InvalidInput(
            "--shared cannot be combined with --kind or --scope.",
            "Leave those out; sync.include and sync.exclude set what is shared.",
        )
    ready = outgoing.records_for_export_file(app, app.store)
    exchange.check_no_secrets_blocked(ready.blocked)
    author = exchange.author_name(app)
    lines = [
        line
        for number, part in enumerate(
            segment.make_segments(
                ready.records, device=app.store.device, author=author, seal_key=app.store.key
            )
        )
        for line in part.decode("utf-8").splitlines()[bool(number) :]
    ]
    links = sum(1 for each in ready.records if each.kind == record.LINK)
    written = _written(app, request, len(ready.records) - links, links, lines, 0)
    return replace(written, staying=tuple(sorted(ready.staying.items())))


def _written(
    app: App, request: ExportRequest, count: int, links: int, lines: list[str], others: int
) -> ExportResult:
    if request.target in ("", "-"):
        return ExportResult(count, links, "", tuple(lines), others)
    path = os.path.abspath(os.path.join(app.start, request.target))
    text = "\n".join(lines) + "\n"
    export_file.write_export_file(path, text.encode("utf-8", "surrogatepass"), force=request.force)
    return ExportResult(count, links, path, (), others)


def import_memories(app: App, request: ImportRequest) -> ImportResult:
    """Import memories from JSON Lines.

    Reads the output of `gitmem export` and of other programs: a line needs only "content" (or
    "text"); id and time are then new, and the kind is note. Imported memories are foreign until you
    accept them (`gitmem trust`): found on request, never shown at the start of a session, and they
    never change a memory of yours. With --trust the file is your own, and each memory keeps its
    trust. Running it twice changes nothing. A memory that is already here is updated only if the
    file's version is newer. Lines that cannot be imported are reported by number and the others
    stored. Secrets are redacted.
    """
    if request.trust:
        require_person(app, "decide what is trusted")
    text = request.source if request.piped else _read(app, request.source)
    largest = app.settings.number("memory.max_bytes")
    counts = dict.fromkeys(("added", "updated", "unchanged", "links", "purged"), 0)
    problems, batch, born = list[ImportProblem](), list[Record](), set[str]()
    project = subprojects.project_key_for_new_memories(app)
    shared_records = segment.is_segment(text)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or (shared_records and number == 1):
            continue
        if shared_records:
            try:
                batch += [(number, each) for each in _read_shared(line, project, largest)]
            except GitmemError as error:
                problems.append(ImportProblem(number, error.message))
            continue
        try:
            birth = NewMemoryIdentity(app.new_id(), app.now, project)
            record = export_format.parse_export_line(line, max_bytes=largest, new_identity=birth)
        except GitmemError as error:
            problems.append(ImportProblem(number, error.message))
            continue
        if isinstance(record, Memory) and record.id == birth.id:
            born.add(record.id)
        if record is not None:
            batch.append((number, record))
    intake = MemoryImportRun(app, request.trust, request.dry_run, counts, problems, set(), born, [])
    for start in range(0, len(batch), BATCH):
        intake.store_batch(batch[start : start + BATCH])
    problems.sort(key=lambda problem: problem.line)
    foreign, elsewhere = _hidden_here(app, intake.stored_ids)
    return ImportResult(
        **counts,
        failed=len(problems),
        problems=tuple(problems[:SHOWN]),
        dry_run=request.dry_run,
        foreign=len(foreign),
        foreign_ids=foreign if len(foreign) <= _MOST_NAMED else (),
        elsewhere=elsewhere,
    )


def _read_shared(
    line: str, project: str, largest: int
) -> list[Memory | export_format.MemoryAnchors | Link]:
    """What is in a line of `gitmem export --shared`. Raises InvalidInput."""
    read = record.parse_record_line(line.encode("utf-8", "surrogatepass"))
    if read.kind == record.LINK:
        return [bodies.link_from_record(read)]
    if read.kind == record.TOMBSTONE:
        return []  # a file ends nothing here
    memory = replace(
        bodies.memory_from_record(read, project, largest), version=max(read.counter, 1)
    )
    cited = bodies.anchors_from_record(read)
    return [memory, export_format.MemoryAnchors(memory.id, cited)] if cited else [memory]


def _hidden_here(app: App, taken: Collection[str]) -> tuple[tuple[str, ...], int]:
    """Of the imported memories: ids of the foreign ones, and how many belong to other commits."""
    foreign: list[str] = []
    elsewhere = 0
    for store in app.stores() if taken else ():
        memories_ = [
            memory for id in sorted(taken) if (memory := memories.get_undamaged_memory(store, id))
        ]
        foreign += [
            memory.id for memory in memories_ if not may_show_automatically(memory.trust_tier)
        ]
        elsewhere += len(
            visible_here.memories_of_other_branches(app, store, [memory.id for memory in memories_])
        )
    return tuple(foreign), elsewhere


def _read(app: App, source: str) -> str:
    path = os.path.join(app.start, source)
    if not os.path.isfile(path):
        raise NotFound(f"There is no file {path}.", "Name the file that `gitmem export` wrote.")
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            text = file.read()
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be read: {error.strerror}.", "Check the permissions of the file."
        ) from error
    if text.startswith('{"format":"gitmem-entities"'):
        raise InvalidInput(
            f"{path} was written by `gitmem entity export` of an earlier version.",
            "Run `gitmem export` where it was made: that includes its links between memories.",
        )
    return text


def view_exported(result: ExportResult) -> str:
    """Return the text to print: the exported lines, or a line on the file written."""
    if not result.target:
        return "\n".join(result.lines)
    memories_, links = quantity(result.memories, "memory"), quantity(result.links, "link")
    line = f"exported {memories_} and {links} to {result.target}"
    if result.others:
        left = quantity(result.others, "global memory", "global memories")
        line += f"\n{left} not included: --scope all exports them too"
    if result.proposed:
        left = quantity(result.proposed, "proposal")
        line += f"\n{left} not included: without --kind they are exported too"
    if result.staying:
        line += f"\nnot shared: {', '.join(f'{count} {why}' for why, count in result.staying)}"
    if result.staying and not result.memories:
        line += (
            "\nWhat a person wrote or accepted here is shared (`gitmem trust ID`, `gitmem inbox`), "
            "but for the tag private and what sync.exclude names."
        )
    return line


def view_imported(result: ImportResult) -> str:
    """Return the text to print: the counts of imported lines, and the first lines that failed."""
    would = "would be " if result.dry_run else ""
    lines = [
        f"{result.added} {would}added, {result.updated} {would}updated, "
        f"{result.unchanged} unchanged, {quantity(result.links, 'link')}"
    ]
    if result.purged:
        lines.append(f"{result.purged} left out: they were purged here")
    lines += [f"line {problem.line}: {problem.error}" for problem in result.problems]
    if more := result.failed - len(result.problems):
        lines.append(f"and {quantity(more, 'line')} more that cannot be imported")
    return "\n".join([*lines, *_next_steps(result)])


def _next_steps(result: ImportResult) -> Iterator[str]:
    """Why imported memories are not shown yet, and how to change that."""
    if result.elsewhere:
        belong = "belong" if result.elsewhere > 1 else "belongs"
        yield (
            f"{result.elsewhere} {belong} to commits that this branch does not contain: "
            "gitmem list --all-branches"
        )
    if result.foreign:
        are = "are" if result.foreign > 1 else "is"
        yield f"{result.foreign} {are} foreign: found on request, and never shown unasked"
        some = " ".join(result.foreign_ids) or "ID ..."
        yield f"  read them (gitmem list --all-branches), then: gitmem trust {some}"


EXPORT = Operation("export", export_memories, view_exported, READ, "memories.jsonl")

IMPORT = Operation("import", import_memories, view_imported, WRITE, "memories.jsonl")
