"""Taking records of other devices into the store, each within its trust.

A record that this store sealed is its own. Those of a device that a person accepted may change
any memory; those of others are foreign: they are fenced, make new memories, and change only what
came from the same device. A version that may not take the place of the present one, or was made
beside it, waits in the inbox: it becomes a foreign memory of its own until a person decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from gitmem.app import App
from gitmem.capture.pair_suggestions import make_pair_suggestion
from gitmem.capture.supersede import check_no_supersession_loop
from gitmem.capture.versions import KIND, device_origin_of_memory, next_version_from_synced
from gitmem.errors import Conflict, GitmemError, InvalidInput, MemoryDamaged
from gitmem.memory import trust
from gitmem.model import ids
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Link, Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, memories, memory_writes, suggestions, sync_rows
from gitmem.store.memory.sync_rows import CONFLICT, CURRENT, SETTLED, SyncRecordRow
from gitmem.store.session.sessions import session_exists
from gitmem.sync import bodies, merge, record
from gitmem.sync.merge import ResolvedMemoryVersions
from gitmem.sync.outgoing import row_to_record_node
from gitmem.sync.record import LINK, MEMORY, TOMBSTONE, RecordNode, SyncRecord
from gitmem.text.digest import sha256

BATCH = 200
_STRANGER = 0.3
ADDED, UPDATED, PURGED, CONFLICTS, LINKS = "added", "updated", "purged", "conflicts", "links"
OUTCOMES = (ADDED, UPDATED, PURGED, CONFLICTS, LINKS)


@dataclass(frozen=True, slots=True)
class RefusedRecord:
    """A received record that was not stored: its device, the id of its memory or link, and why."""

    device: str
    id: str
    error: str


@dataclass(frozen=True, slots=True)
class ArrivedRecord:
    """A received record with its sender's name; ``sealed`` says that this very store wrote it."""

    record: SyncRecord
    author: str
    sealed: bool


class RecordImport:
    """One run of storing records received from other devices, and its results so far.

    ``trusted`` are the ids of devices that a person accepted, ``own`` is this store's device id and
    ``remote`` the name of the git remote. ``counts`` and ``changed`` are as in ``PullResult``;
    ``compact`` says that a memory was purged, so that the database file should be cleaned.
    """

    def __init__(self, app: App, remote: str, trusted: Collection[str], own: str) -> None:
        self.app = app
        self.remote = remote
        self.trusted = frozenset(trusted)
        self._own = own
        self.counts = dict.fromkeys(OUTCOMES, 0)
        self.changed: list[tuple[str, str]] = []
        self.refused: list[RefusedRecord] = []
        self.compact = False
        self._arrived: dict[str, ArrivedRecord] = {}
        self._project = app.project_identity.key  # before a transaction, since it may be stored
        self._shared = app.global_store()
        self._most = app.settings.number("memory.max_bytes")

    def store_records(
        self,
        database: Database,
        arrivals: Sequence[ArrivedRecord],
        *,
        reimport_existing: bool = False,
    ) -> None:
        """Store received records and add the outcome to ``counts``, ``changed`` and ``refused``.

        Records stored before are skipped unless ``reimport_existing``. The caller must not have a
        write transaction open.
        """
        every = () if reimport_existing else (each.record.hash for each in arrivals)
        stored_hashes = sync_rows.existing_record_hashes(database, every)
        self._arrived = {
            each.record.hash: each for each in arrivals if each.record.hash not in stored_hashes
        }
        by_id: dict[str, list[ArrivedRecord]] = {}
        for arrival in self._arrived.values():
            by_id.setdefault(arrival.record.id, []).append(arrival)
        of_links = {
            id for id, group in by_id.items() if any(each.record.kind == LINK for each in group)
        }
        order = sorted(by_id, key=lambda id: (id in of_links, id))
        for start in range(0, len(order), BATCH):
            part = order[start : start + BATCH]
            with database.write():
                rows = sync_rows.sync_records_by_id(database, part)
                for id in part:
                    self._take_item(database, id, by_id[id], rows.get(id, []))

    def _take_item(
        self,
        database: Database,
        id: str,
        arrived: Sequence[ArrivedRecord],
        rows: list[SyncRecordRow],
    ) -> None:
        good = []
        for arrival in arrived:
            try:
                self._check(arrival.record)
            except GitmemError as error:
                self._refuse(arrival.record, error)
                continue
            good.append(arrival)
        fresh = [_row(arrival.record) for arrival in good]
        sync_rows.add_sync_records(database, fresh)
        stored_hashes = {row.hash for row in rows}
        every = [*rows, *(row for row in fresh if row.hash not in stored_hashes)]
        try:
            # An id that a stranger gave to a link as well stands for the memory all the same.
            links = [row for row in every if row.kind != MEMORY]
            versions = [row for row in every if row.kind != LINK]
            if any(row.kind == LINK for row in links):
                self._take_link(database, id, links)
            if any(row.kind == MEMORY for row in versions) or versions == every != []:
                self._take_memory(database, id, versions)
        except MemoryDamaged:
            return  # the memory here is damaged and stays as it is; the records are known
        except GitmemError as error:
            for arrival in good:
                self._refuse(arrival.record, error)

    def _check(self, arrived: SyncRecord) -> None:
        """Raise InvalidInput where the body of a record is not valid."""
        if arrived.kind == MEMORY:
            bodies.memory_from_record(arrived, "", self._most)
            bodies.anchors_from_record(arrived)
        elif arrived.kind == LINK:
            bodies.link_from_record(arrived)

    def _refuse(self, arrived: SyncRecord, error: GitmemError) -> None:
        self.refused.append(RefusedRecord(arrived.device, arrived.id, error.as_sentences()))

    def _take_memory(self, database: Database, id: str, rows: list[SyncRecordRow]) -> None:
        present = memories.get_memory(database, id)
        if present is None and _was_here(database, id, rows):
            return
        current = _current_hash(present, rows)
        edited = _is_edited(present, rows)
        nodes = [row_to_record_node(row) for row in rows]
        settled = {row.hash for row in rows if row.state == SETTLED}
        believed = {node.hash for node in nodes if node.kind == MEMORY and self._believes(node)}
        # What a stranger made of it gives way to what one who is believed says.
        free = present is None or (present.trust_tier == "foreign" and not edited)
        gives_way = free and bool(believed) and current not in believed
        decided = merge.resolve_memory_versions(
            nodes,
            current,
            memory_exists=present is not None and not gives_way,
            may_replace=lambda node: (
                node.hash in believed
                if gives_way
                else not edited and self._may_change(node, present)
            ),
            may_purge=lambda node: self._may_purge(node, present, nodes),
            settled_hashes=settled,
        )
        if decided.purge:
            self._purge(database, id, present)
            return
        if present is None and decided.current not in self._arrived:
            return
        if decided.current in self._arrived and (decided.current != current or present is None):
            self._put(database, decided.current, present)
        elif decided.current != current:
            self._put_waiting(database, decided.current, present, rows)
        elif current:
            _note_current(database, id, current, rows)
        self._join(database, id, decided)
        self._note_conflicts(database, id, decided, rows)
        for stone in decided.claims:
            self._claim(database, id, stone)

    def _believes(self, node: RecordNode) -> bool:
        arrived = self._arrived.get(node.hash)
        sealed = arrived.sealed if arrived else node.device == self._own
        return sealed or node.device in self.trusted

    def _may_change(self, node: RecordNode, present: Memory | None) -> bool:
        if present is None or self._believes(node):
            return True
        return present.trust_tier == "foreign" and _came_from(present, node.device)

    def _may_purge(
        self, node: RecordNode, present: Memory | None, nodes: Iterable[RecordNode]
    ) -> bool:
        """A device may end what came from it alone; one that is believed may end anything."""
        if self._believes(node):
            return True
        written = {each.device for each in nodes if each.kind != TOMBSTONE}
        return written <= {node.device} and (present is None or _came_from(present, node.device))

    def _put(self, database: Database, hash: str, present: Memory | None) -> None:
        """Store the version of a record, as a new memory or in place of the present one."""
        arrived = self._arrived[hash]
        memory = self._admit(arrived, present)
        if memory.superseded_by:
            check_no_supersession_loop(database, memory.superseded_by, memory.id)
        if present is None:
            if self._shared is not None and memories.row_number_of_memory(self._shared, memory.id):
                raise Conflict(f"Memory {memory.id} exists here already as a global memory.")
            stored = memory_writes.insert_memory(database, memory)
            memory_writes.increment_access_counts(database, [memory.id], self.app.now)
        else:
            stored = memory_writes.revise_memory(
                database, present, memory, at_ms=memory.updated_at, action="synced", agent=""
            )
        cited = bodies.anchors_from_record(arrived.record)
        if cited or present is not None:
            anchors.replace_anchors(database, memory.id, cited)
        body = bodies.record_body_of_memory(stored, ())
        sync_rows.set_current_sync_record(
            database, memory.id, hash, record.text_and_content_digests(body)[1]
        )
        self._count(memory.id, ADDED if present is None else UPDATED)

    def _put_waiting(
        self, database: Database, hash: str, present: Memory | None, rows: Sequence[SyncRecordRow]
    ) -> None:
        """Put a version in force that waited in the inbox, now that its device is believed."""
        copy = next((row.copy for row in rows if row.hash == hash), "")
        version = memories.get_undamaged_memory(database, copy) if copy else None
        if version is None or present is None:
            return
        new = next_version_from_synced(version, present, "accepted")
        stored = memory_writes.revise_memory(
            database, present, new, at_ms=version.updated_at, action="synced", agent=""
        )
        memory_writes.remove_memory(database, copy)
        content = record.text_and_content_digests(bodies.record_body_of_memory(stored, ()))[1]
        sync_rows.set_current_sync_record(database, present.id, hash, content)
        self._count(present.id, UPDATED)

    def _admit(self, arrived: ArrivedRecord, present: Memory | None) -> Memory:
        """The memory in a record, trusted as its device is."""
        memory = bodies.memory_from_record(arrived.record, self._project, self._most)
        if arrived.sealed:
            tier = memory.trust
        else:
            accepted = arrived.record.device in self.trusted
            tier = "accepted" if accepted else "foreign"
            # A device speaks for nobody else, whatever the record says.
            memory = replace(memory, pinned=False, author=arrived.author)
            memory = bodies.add_sync_origin(memory, self._origin(arrived))
        if present is None:
            return replace(memory, trust=tier)
        first = {name: getattr(present, name) for name in trust.PROVENANCE}
        if not arrived.sealed:
            first["author"] = arrived.author  # nobody's words are shown under another's name
        return replace(memory, trust=tier, pinned=present.pinned or memory.pinned, **first)

    def _origin(self, arrived: ArrivedRecord) -> dict[str, object]:
        return {
            "device": arrived.record.device,
            "author": arrived.author,
            "remote": self.remote,
        }

    def _join(self, database: Database, id: str, decided: ResolvedMemoryVersions) -> None:
        """Add the tags, paths and weights of versions with the same words."""
        records = [self._arrived[hash].record for hash in decided.joined if hash in self._arrived]
        present = memories.get_memory(database, id)
        if not records or present is None:
            return
        before = bodies.record_body_of_memory(present, ())
        body: Mapping[str, object] = before
        for other in records:
            body = merge.merge_record_bodies(body, other.body)
        if body == before:
            return
        names: dict[str, Any] = {name: body.get(name) for name in (*record.SETS, *record.WEIGHTS)}
        lists: dict[str, Any] = {name: tuple(names[name] or ()) for name in record.SETS}
        joined = replace(present, **{**names, **lists})
        stored = memory_writes.revise_memory(
            database, present, joined, at_ms=present.updated_at, action="synced", agent=""
        )
        content = record.text_and_content_digests(bodies.record_body_of_memory(stored, ()))[1]
        sync_rows.set_current_sync_record(database, id, decided.current, content)
        self._count(id, UPDATED)

    def _note_conflicts(
        self,
        database: Database,
        id: str,
        decided: ResolvedMemoryVersions,
        rows: Sequence[SyncRecordRow],
    ) -> None:
        """Make a memory of each version that waits, and remove those that no longer do."""
        for row in rows:
            if row.state == CONFLICT and row.hash not in decided.conflicts:
                memory_writes.remove_memory(database, row.copy)
                if row.hash != decided.current:
                    sync_rows.set_sync_record_state(database, row.hash, "")
        waiting = {row.hash for row in rows if row.state == CONFLICT}
        for hash in decided.conflicts:
            arrived = self._arrived.get(hash)
            if hash in waiting or arrived is None:
                continue
            made = self._admit(arrived, None)
            copy = conflict_copy_of_version(made, hash)
            if not memories.row_number_of_memory(database, copy.id):
                memory_writes.insert_memory(database, copy)
            sync_rows.set_sync_record_state(database, hash, CONFLICT, conflict_copy_id=copy.id)
            self._suggest(database, KIND, hash, copy.id, id, _reason(arrived))
            self._count(id, CONFLICTS)

    def _claim(self, database: Database, id: str, stone: str) -> None:
        """Ask whether a memory is to be archived that another device purged."""
        arrived = self._arrived.get(stone)
        if arrived is not None and memories.row_number_of_memory(database, id):
            reason = f"{_who(arrived)} purged it; accepting archives it here"
            self._suggest(database, "stale", stone, id, "", reason)

    def _suggest(
        self, database: Database, kind: str, hash: str, id: str, other: str, reason: str
    ) -> None:
        key = sha256(f"{kind}\x1f{hash}".encode()).hexdigest()[:32]
        arrived = self._arrived[hash]
        believed = arrived.sealed or arrived.record.device in self.trusted
        # The surest come first in the inbox: a stranger does not push others off its first page.
        sure = 1.0 if believed else _STRANGER
        suggestion = make_pair_suggestion(self.app, kind, key, id, other, sure, reason)
        suggestions.add_suggestion(database, replace(suggestion, agent=""))

    def _purge(self, database: Database, id: str, present: Memory | None) -> None:
        if present is None:
            sync_rows.mark_sync_records_purged(database, id)
        else:
            memory_writes.purge_memory(database, id, at_ms=self.app.now)
            self.compact = True
            self._count(id, PURGED)

    def _take_link(self, database: Database, id: str, rows: list[SyncRecordRow]) -> None:
        node = merge.unreplaced_records(
            [row_to_record_node(row) for row in rows if row.kind == LINK]
        )[0]
        arrived = self._arrived.get(node.hash)
        stones = [row for row in rows if row.kind == TOMBSTONE]
        if stones or arrived is None:
            from_there = {row.device for row in rows if row.state == CURRENT}
            if any(
                self._believes(row_to_record_node(row)) or row.device in from_there
                for row in stones
            ):
                link = next(
                    (stored for stored in memories.all_links(database) if stored.id == id), None
                )
                if link:
                    memory_writes.remove_link(database, link.source, link.target, link.relation)
                sync_rows.mark_sync_records_purged(database, id)
            return
        link = bodies.link_from_record(arrived.record)
        believed = arrived.sealed or node.device in self.trusted
        _check_ends(database, link, "" if believed else node.device)
        if memory_writes.add_link(database, link):
            sync_rows.set_current_sync_record(database, id, node.hash, node.content)
            self.counts[LINKS] += 1

    def _count(self, id: str, outcome: str) -> None:
        self.counts[outcome] += 1
        self.changed.append((id, outcome))


def conflict_copy_of_version(version: Memory, record_hash: str) -> Memory:
    """Return a conflicting version as a memory of its own, for a person to decide about.

    It is foreign (not accepted). Its new id is computed from ``record_hash``, so that the same
    version always gives the same copy.
    """
    facts = {**device_origin_of_memory(version), "version_of": version.id}
    if version.archived_at is not None:
        facts["archived_at"] = version.archived_at
    id = ids.new_ulid(version.updated_at, bytes.fromhex(record_hash)[:10])
    free = replace(version, id=id, trust="foreign", pinned=False, archived_at=None)
    return bodies.add_sync_origin(replace(free, superseded_by=""), facts)


def _row(arrived: SyncRecord) -> SyncRecordRow:
    node = arrived.without_body
    fields = (node.hash, node.kind, node.id, node.device, node.counter, node.parents)
    return SyncRecordRow(*fields, node.text, node.content)


def _was_here(database: Database, id: str, rows: Iterable[SyncRecordRow]) -> bool:
    """Whether a memory was here and was purged or moved: then no version brings it back."""
    return (
        memory_writes.is_memory_purged(database, id)
        or any(row.state == CURRENT for row in rows)
        or session_exists(database, id)  # of a session only its summary is shared
    )


def _current_hash(present: Memory | None, rows: Sequence[SyncRecordRow]) -> str:
    """The record that the memory here comes from; one with the same content, if none is noted."""
    current = next((row.hash for row in rows if row.state == CURRENT), "")
    if current or present is None:
        return current
    content = record.text_and_content_digests(bodies.record_body_of_memory(present, ()))[1]
    same = [row for row in rows if row.kind == MEMORY and row.content == content]
    return same[0].hash if same else ""


def _came_from(memory: Memory, device: str) -> bool:
    """Whether the version of a memory that is here came from a device."""
    return device_origin_of_memory(memory).get("device") == device


def _is_edited(present: Memory | None, rows: Iterable[SyncRecordRow]) -> bool:
    """Whether the memory was edited here and the edit does not leave: nothing may replace it."""
    noted = next((row.content for row in rows if row.state == CURRENT), "")
    if present is None or not noted:
        return False
    return record.text_and_content_digests(bodies.record_body_of_memory(present, ()))[1] != noted


def _note_current(database: Database, id: str, hash: str, rows: Sequence[SyncRecordRow]) -> None:
    row = next(row for row in rows if row.hash == hash)
    if row.state != CURRENT:
        sync_rows.set_current_sync_record(database, id, hash, row.content)


def _check_ends(database: Database, link: Link, stranger: str) -> None:
    """Raise Conflict or InvalidInput where a link may not be stored.

    ``stranger`` is the device that sent it, unless it is believed.
    """
    source, target = (
        memories.get_undamaged_memory(database, end) for end in (link.source, link.target)
    )
    if source is None or (target is None and not link.target.startswith("commit:")):
        raise InvalidInput(f"The link {link.id} names a memory that is not in this store.")
    if not stranger:
        return
    if source.trust_tier != "foreign" or not _came_from(source, stranger):
        raise Conflict(f"Memory {source.id} did not come from the device that sent the link.")
    if link.relation == "SUPERSEDES" and target is not None and target.trust_tier != "foreign":
        raise Conflict(f"Memory {target.id} is trusted here; a foreign memory cannot supersede it.")


def _who(arrived: ArrivedRecord) -> str:
    author = f" ({arrived.author})" if arrived.author else ""
    return f"Device {arrived.record.device[:8]}{author}"


def _reason(arrived: ArrivedRecord) -> str:
    gone = " and archived" if arrived.record.body.get("archived_at") else ""
    return (
        f"{_who(arrived)} edited{gone} it too; accepting takes that version, rejecting keeps this"
    )
