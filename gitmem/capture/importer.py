"""Importing the records of an export into the store, each by itself and within its trust.

Unless a person says that the file is their ``own``, it cannot change, replace or link from a memory
that is trusted here: new memories are foreign, and links start at foreign memories only. Records
that fail are reported by line.
"""

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.capture import near_duplicates, proposals
from gitmem.capture.change import store_memory_version
from gitmem.capture.supersede import check_no_supersession_loop
from gitmem.errors import Conflict, GitmemError, MemoryDamaged, NotFound
from gitmem.memory import trust
from gitmem.memory.export_format import MemoryAnchors
from gitmem.memory.relations import COMMIT
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Link, Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, link_graph, memories, memory_writes

Record = tuple[int, Memory | MemoryAnchors | Link]


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """The number of a line that could not be imported, and why."""

    line: int
    error: str


@dataclass(frozen=True, slots=True)
class MemoryImportRun:
    """A running import of an export: call ``store_batch`` for its records, then read the counts.

    ``is_own_file``: the user says that the file is their own, so it may change trusted memories.
    ``stored_ids`` are the ids that were stored, ``new_ids`` those made for lines without an id.
    ``replaced`` are pairs (old version, new version). ``only_scope`` is the scope of the only store
    to use; empty: both. ``counts`` has added, updated, unchanged, purged and links.
    """

    app: App
    is_own_file: bool
    dry_run: bool
    counts: dict[str, int]
    problems: list[ImportProblem]
    stored_ids: set[str]
    new_ids: set[str]
    replaced: list[tuple[Memory, Memory]]
    only_scope: str = ""

    def store_batch(self, batch: list[Record]) -> None:
        """Store (line number, record) pairs: memories, then anchors (cited code), then links.

        Errors are added to ``problems``.
        """
        if not self.is_own_file:
            batch = [(number, self._localise(record)) for number, record in batch]
        for scope in ("project", "global"):
            part = [
                (n, record)
                for n, record in batch
                if isinstance(record, Memory) and record.scope == scope
            ]
            if part:
                self._take_memories(scope, part)
        if not self.dry_run:
            self._take_anchors([record for _, record in batch if isinstance(record, MemoryAnchors)])
        links = [(number, record) for number, record in batch if isinstance(record, Link)]
        for database in self._stores():
            here = [pair for pair in links if _has_ends(database, pair[1])]
            links = [pair for pair in links if pair not in here]
            if here:
                self._take_links(database, here)
        if not self.dry_run:
            missing = "The link points to a memory that does not exist here."
            self.problems.extend(ImportProblem(number, missing) for number, _ in links)

    def _localise(self, record: Memory | MemoryAnchors | Link) -> Memory | MemoryAnchors | Link:
        if not isinstance(record, Memory) or record.scope != "global":
            return record
        shared = self.app.global_store()
        if shared is not None and memories.row_number_of_memory(shared, record.id):
            return record  # imported as global by an earlier version
        return replace(
            record, scope="project", project=subprojects.project_key_for_new_memories(self.app)
        )

    def _stores(self) -> list[Database]:
        return [self.app.store_for_scope(self.only_scope)] if self.only_scope else self.app.stores()

    def _take_memories(self, scope: str, part: list[tuple[int, Memory]]) -> None:
        if self.dry_run and scope == "global" and self.app.global_store() is None:
            self.counts["added"] += len(part)
            return
        with self.app.store_for_scope(scope).write() as database:
            for number, memory in part:
                try:
                    self.counts[self._take_memory(database, memory)] += 1
                except (Conflict, NotFound, MemoryDamaged) as error:
                    self.problems.append(ImportProblem(number, _message(error)))

    def _take_anchors(self, cited: list[MemoryAnchors]) -> None:
        stored_anchors = [citing for citing in cited if citing.memory in self.stored_ids]
        for database in self._stores() if stored_anchors else ():
            with database.write():
                for citing in stored_anchors:
                    if memories.get_undamaged_memory(database, citing.memory) is not None:
                        anchors.replace_anchors(database, citing.memory, citing.anchors)

    def _take_memory(self, database: Database, record: Memory) -> str:
        if memory_writes.is_memory_purged(database, record.id):
            return "purged"
        present = memories.get_memory(database, record.id)
        if present is None:
            admitted = trust.trust_checked_import(record, None, is_own_file=self.is_own_file)
            if record.id in self.new_ids and near_duplicates.find_exact_duplicate(
                self.app, database, admitted
            ):
                return "unchanged"
            self._refuse_twin(database, record)
        elif (record.version, record.updated_at) <= (present.version, present.updated_at):
            return "unchanged"
        new = trust.trust_checked_import(record, present, is_own_file=self.is_own_file)
        if new.superseded_by:
            check_no_supersession_loop(database, new.superseded_by, new.id)
        if present is not None:
            self.replaced.append((present, new))
        if not self.dry_run:
            self._store(database, present, new)
            self.stored_ids.add(new.id)
        return "added" if present is None else "updated"

    def _refuse_twin(self, database: Database, record: Memory) -> None:
        """Raise Conflict where the other store has this id, which would then be ambiguous."""
        others = (store for store in self._stores() if store is not database)
        if any(memories.row_number_of_memory(other, record.id) for other in others):
            other = "global" if record.scope == "project" else "project"
            raise Conflict(
                f"Memory {record.id} exists here already as a {other} memory.",
                "That memory was left as it is.",
            )

    def _store(self, database: Database, present: Memory | None, new: Memory) -> None:
        if present is None:
            memory_writes.insert_memory(database, new)
            # Counts as a use, else a memory with an old date would fade at once.
            memory_writes.increment_access_counts(database, [new.id], self.app.now)
            if self.is_own_file:
                proposals.requeue_imported_proposal(self.app, database, new)
            return
        # The file's own time, so that two machines with the same memories export the same.
        store_memory_version(
            self.app, database, present, new, "imported", edited_at_ms=new.updated_at
        )

    def _take_links(self, database: Database, links: list[tuple[int, Link]]) -> None:
        with database.write():
            for number, link in links:
                try:
                    stores = self._should_store(database, link)
                except Conflict as error:
                    self.problems.append(ImportProblem(number, _message(error)))
                    continue
                self.counts["links"] += 1
                if stores and not self.dry_run:
                    memory_writes.add_link(database, link)

    def _should_store(self, database: Database, link: Link) -> bool:
        """Whether to store a link; False where it exists and may not change. Raises Conflict."""
        is_stored = link_graph.has_link(database, link.source, link.target, link.relation)
        ends = link_graph.memories_by_id(database, (link.source, link.target))
        source, target = ends[link.source], ends.get(link.target)
        if not self.is_own_file:
            if source.trust_tier != "foreign":
                if is_stored:
                    return False
                raise Conflict(
                    f"Memory {source.id} is trusted here ({source.trust_tier}); a foreign file "
                    "cannot link to it.",
                    "If the file is your own, add --trust.",
                )
            _refuse_outranked(link, source, target)
        if link.relation == "SUPERSEDES" and not is_stored:
            check_no_supersession_loop(database, link.source, link.target)
        return True


def _refuse_outranked(link: Link, source: Memory, target: Memory | None) -> None:
    if link.relation != "SUPERSEDES" or target is None:
        return
    if trust.is_more_trusted(target.trust_tier, source.trust_tier):
        raise Conflict(
            f"Memory {target.id} is trusted here ({target.trust_tier}); a foreign memory cannot "
            "supersede it.",
            "If the file is your own, add --trust.",
        )


def _has_ends(database: Database, link: Link) -> bool:
    memory_ids = [end for end in (link.source, link.target) if not end.startswith(COMMIT)]
    return all(memories.get_undamaged_memory(database, end) for end in memory_ids)


def _message(error: GitmemError) -> str:
    return f"{error.message} {error.hint}".strip()
