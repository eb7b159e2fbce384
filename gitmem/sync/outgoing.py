"""Making records of what was changed here since the last time, and of nothing that stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from gitmem.app import App
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Link, Memory
from gitmem.store.db.connection import Database
from gitmem.store.db.redaction_gate import redact_memory, redact_text
from gitmem.store.memory import anchors, memories, sync_rows
from gitmem.store.memory.sync_rows import CONFLICT, CURRENT, SETTLED, SyncRecordRow
from gitmem.store.session import sessions
from gitmem.sync import bodies, merge, record, select
from gitmem.sync.link import SyncProgress, save_sync_progress
from gitmem.sync.record import LINK, MEMORY, TOMBSTONE, RecordNode, SyncRecord
from gitmem.text.digest import sha256


@dataclass(frozen=True, slots=True)
class BlockedItem:
    """A memory, link or session that holds a secret, so that nothing is sent: its id and title."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class OutgoingRecords:
    """The records to write for sharing, and the items that hold a secret (``blocked``).

    Nothing may be sent unless ``blocked`` is empty. ``staying`` maps a reason, such as private, to
    the number of memories that are not shared; ``progress`` is to be stored once the records are
    written.
    """

    records: tuple[SyncRecord, ...]
    blocked: tuple[BlockedItem, ...]
    staying: Mapping[str, int]
    progress: SyncProgress


class _RecordBatch:
    """The records being made, each with the next counter of the device."""

    def __init__(self, progress: SyncProgress, counter: int) -> None:
        self.device = progress.device
        self.counter = counter
        self.records: list[SyncRecord] = []

    def add_record(
        self,
        kind: str,
        id: str,
        created_ms: int,
        body: Mapping[str, object],
        replaced: Iterable[RecordNode],
    ) -> None:
        replaced = tuple(replaced)[: record.MAX_PARENTS]
        self.counter = merge.next_logical_time(self.counter + 1, replaced)
        parents = [node.hash for node in replaced]
        self.records.append(
            record.make_record(
                kind,
                id,
                device=self.device,
                counter=self.counter,
                parent_hashes=parents,
                created_ms=max(created_ms, 0),
                body=body,
            )
        )


def prepare_outgoing_records(
    app: App, database: Database, progress: SyncProgress, *, include_unchanged: bool = False
) -> OutgoingRecords:
    """Return the records for memories, links and deletions since ``progress``; nothing is stored.

    ``progress`` is what was shared until now. With ``include_unchanged``, and whenever the rules of
    sharing changed, every memory is looked at.
    """
    rules = _rules(app)
    mark = sha256(repr((rules.include, rules.exclude)).encode()).hexdigest()[:16]
    since = -1 if include_unchanged or mark != progress.rules else progress.counter
    draft = _RecordBatch(progress, sync_rows.read_logical_clock(database))
    settled = {row.id for row in sync_rows.sync_records_in_states(database, (SETTLED,), MEMORY)}
    changed = sync_rows.memories_changed_since(database, since, settled)
    known = sync_rows.sync_records_by_id(database, (memory.id for memory in changed))
    copies = {row.copy for row in sync_rows.sync_records_in_states(database, (CONFLICT, SETTLED))}
    blocked, staying = list[BlockedItem](), Counter[str]()
    leaving = []
    for memory in changed:
        if memory.id in copies:
            continue
        rows = known.get(memory.id, ())
        if why := select.why_not_shared(memory, rules, was_shared=_current(rows) is not None):
            staying[why] += 1
        elif redact_memory(memory) != memory:
            blocked.append(BlockedItem(memory.id, redact_text(memory.headline)))
        else:
            leaving.append(memory)
    cited = anchors.anchors_by_memory(database, (memory.id for memory in leaving))
    for memory in leaving:
        body = bodies.record_body_of_memory(memory, cited.get(memory.id, ()))
        _add_version(draft, MEMORY, memory.id, memory.updated_at, body, known.get(memory.id, ()))
    if not rules.include and ("kind", "summary") not in rules.exclude:
        blocked += _add_sessions(draft, database)
    _add_tombstones(draft, database, since)
    blocked += _add_links(draft, database)
    counter = max(draft.counter, progress.counter)
    after = SyncProgress(progress.device, counter, mark, progress.tip)
    return OutgoingRecords(tuple(draft.records), tuple(blocked), staying, after)


def _current(rows: Iterable[SyncRecordRow]) -> SyncRecordRow | None:
    return next((row for row in rows if row.state == CURRENT), None)


def row_to_record_node(row: SyncRecordRow) -> RecordNode:
    """Return a stored record's row as a ``RecordNode``, the form that ``sync.merge`` works on."""
    return RecordNode(
        row.hash, row.kind, row.id, row.device, row.counter, row.parents, row.text, row.content
    )


def _add_version(
    draft: _RecordBatch,
    kind: str,
    id: str,
    at: int,
    body: Mapping[str, object],
    rows: Iterable[SyncRecordRow],
) -> None:
    """Add a record of what the store has, unless one with the same content is the only head."""
    rows = tuple(rows)
    current = _current(rows)
    open_hashes = {row.hash for row in rows if row.state == CONFLICT}
    top = [
        node
        for node in merge.unreplaced_records(map(row_to_record_node, rows))
        if node.hash not in open_hashes
    ]
    decided = any(row.state == SETTLED and row.hash in {n.hash for n in top} for row in rows)
    if (
        current is not None
        and not decided
        and current.content == record.text_and_content_digests(body)[1]
    ):
        return
    draft.add_record(kind, id, at, body, top)


def _add_sessions(draft: _RecordBatch, database: Database) -> list[BlockedItem]:
    """Add the summaries of a person's sessions that ended, each once; an agent's stay here."""
    ended = sessions.sessions_summarised_by_person(database)
    records_by_id = sync_rows.sync_records_by_id(database, (session.id for session in ended))
    blocked = []
    for session in ended:
        if session.id in records_by_id:
            continue
        if redact_text(text := f"{session.goal}\n{session.summary}") != text:
            blocked.append(BlockedItem(session.id, "the summary of a session"))
        else:
            draft.add_record(
                MEMORY, session.id, session.last_at, bodies.record_body_of_session(session), ()
            )
    return blocked


def _add_tombstones(draft: _RecordBatch, database: Database, since: int) -> None:
    purged = dict(sync_rows.tombstones_since(database, since))
    believed = {row.device for row in sync_rows.list_sync_devices(database) if row.accepted}
    believed.add(draft.device)
    for id, rows in sync_rows.sync_records_by_id(database, purged).items():
        devices = {row.device for row in rows}
        # A stranger's tombstone ends nothing that others wrote.
        stones = {row.device for row in rows if row.kind == TOMBSTONE}
        if not (stones & believed or (stones and devices == stones)):
            draft.add_record(
                TOMBSTONE,
                id,
                purged[id],
                {},
                merge.unreplaced_records(map(row_to_record_node, rows)),
            )


def records_for_export_file(app: App, database: Database) -> OutgoingRecords:
    """Return records of all memories and links that may be shared, for ``gitmem export --shared``.

    The same memories give the same records: they name no parents, and the counter is the memory's
    version. Nothing is stored.
    """
    rules = _rules(app)
    made, blocked, staying = list[SyncRecord](), list[BlockedItem](), Counter[str]()
    leaving = []
    for memory in memories.all_memories(database):
        if why := select.why_not_shared(memory, rules, was_shared=False):
            staying[why] += 1
        elif redact_memory(memory) != memory:
            blocked.append(BlockedItem(memory.id, redact_text(memory.headline)))
        else:
            leaving.append(memory)
    ids = {memory.id for memory in leaving}
    cited = anchors.anchors_by_memory(database, ids)
    for memory in leaving:
        body = bodies.record_body_of_memory(memory, cited.get(memory.id, ()))
        made.append(_for_file(database, MEMORY, memory, memory.version, memory.updated_at, body))
    for link in memories.all_links(database):
        if _has_ends(link, ids) and redact_text(link.context) == link.context:
            made.append(
                _for_file(
                    database, LINK, link, 1, link.created_at, bodies.record_body_of_link(link)
                )
            )
    return OutgoingRecords(tuple(made), tuple(blocked), staying, SyncProgress(database.device))


def _for_file(
    database: Database,
    kind: str,
    item: Memory | Link,
    counter: int,
    at: int,
    body: Mapping[str, object],
) -> SyncRecord:
    device = database.device
    return record.make_record(
        kind,
        item.id,
        device=device,
        counter=counter,
        parent_hashes=(),
        created_ms=max(at, 0),
        body=body,
    )


def _rules(app: App) -> select.SyncRules:
    return select.parse_sync_rules(
        app.settings.text("sync.include"), app.settings.text("sync.exclude")
    )


def _add_links(draft: _RecordBatch, database: Database) -> list[BlockedItem]:
    """Add records of links between memories that are shared; returns those with a secret."""
    shared = {row.id for row in sync_rows.sync_records_in_states(database, (CURRENT,), MEMORY)}
    shared |= {made.id for made in draft.records if made.kind == MEMORY}
    shared -= {made.id for made in draft.records if made.kind == TOMBSTONE}
    links_by_id = {link.id: link for link in memories.all_links(database)}
    records_by_id = sync_rows.sync_records_by_id(database, links_by_id)
    blocked = []
    for link in links_by_id.values():
        if not _has_ends(link, shared):
            continue
        if redact_text(link.context) != link.context:
            blocked.append(BlockedItem(link.source, f"link {link.relation}"))
            continue
        rows = records_by_id.get(link.id, ())
        _add_version(draft, LINK, link.id, link.created_at, bodies.record_body_of_link(link), rows)
    for row in sync_rows.sync_records_in_states(database, (CURRENT,), LINK):
        if row.id not in links_by_id and row.device == draft.device:
            draft.add_record(TOMBSTONE, row.id, 0, {}, [row_to_record_node(row)])
    return blocked


def _has_ends(link: Link, shared: Collection[str]) -> bool:
    return link.source in shared and (link.target in shared or link.target.startswith("commit:"))


def store_outgoing_records(database: Database, outgoing: OutgoingRecords, tip_commit: str) -> None:
    """Save the fact that these records were committed, with ``tip_commit`` as the last commit.

    The caller must have a write transaction open.
    """
    for outgoing_record in outgoing.records:
        node = outgoing_record.without_body
        fields = (node.hash, node.kind, node.id, node.device, node.counter, node.parents)
        sync_rows.add_sync_records(database, [SyncRecordRow(*fields, node.text, node.content)])
        if outgoing_record.kind == TOMBSTONE:
            sync_rows.mark_sync_records_purged(database, node.id)
        else:
            sync_rows.set_current_sync_record(database, node.id, node.hash, node.content)
    sync_rows.set_logical_clock(database, outgoing.progress.counter)
    parents = [hash for outgoing_record in outgoing.records for hash in outgoing_record.parents]
    sync_rows.unmark_settled_sync_records(database, parents)
    save_sync_progress(database, replace(outgoing.progress, tip=tip_commit))
