"""Storing the sessions of agents' hosts that belong to this repository.

Each conversation is stored in a transaction of its own, so an import that was killed goes on where
it was: what is stored is known by size, time and hash of its source. A changed source replaces its
conversation whole; a source that is gone takes it along, unless ``transcripts.keep`` is set.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import partial

from gitmem.agents.hosts import host_paths, registry
from gitmem.agents.wiring.surroundings import setup_folders
from gitmem.app import App
from gitmem.capture import conversation_proposals
from gitmem.clock import DAY
from gitmem.errors import GitmemError
from gitmem.files.plain_file import open_regular_file
from gitmem.indexing import text_vectors
from gitmem.model import ids
from gitmem.model.frozen import dataclass
from gitmem.sessions import meanwhile
from gitmem.store.db.redaction_gate import contains_secret
from gitmem.store.memory import memory_writes
from gitmem.store.session import exchanges
from gitmem.text.digest import blake2b
from gitmem.transcripts import json_lines
from gitmem.transcripts.formats import (
    DATABASES,
    FORMATS,
    HOSTS,
    TranscriptDatabaseFormat,
    TranscriptFileFormat,
)
from gitmem.transcripts.opencode import open_sessions_database
from gitmem.transcripts.places import (
    UNREADABLE,
    RepositoryFolders,
    find_repository_folders,
    find_transcript_files,
)
from gitmem.transcripts.record import ConversationRecord

# Read anew by a later version of the readers.
_READER = 1
PURGED, SECRET_NAME = "purged", "secret_name"
# A session that just ended was written to since.
RECENT = 2 * DAY
# What a damaged or hostile row makes a reader raise.
_MISREAD = (KeyError, TypeError, AttributeError, ValueError, IndexError, RecursionError)


@dataclass(frozen=True, slots=True)
class SessionImportCounts:
    """How many conversations an import stored, left unchanged or removed, and what it skipped.

    ``left_out`` counts by reason, such as ``damaged`` lines or ``foreign`` files. ``versions`` are
    those of agent programs that were never tested. ``waiting`` conversations stay although their
    program's folder is gone; ``proposed`` counts suggestions made of them in the inbox. ``shown``:
    it was printed before; ``dry_run``: nothing was stored.
    """

    conversations: int = 0
    exchanges: int = 0
    unchanged: int = 0
    removed: int = 0
    waiting: int = 0
    bytes: int = 0
    proposed: int = 0
    left_out: tuple[tuple[str, int], ...] = ()
    versions: tuple[str, ...] = ()
    shown: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class _Source:
    """A file or row with a session: the key under which it is stored, and how it is taken in.

    ``stamp`` changes with it; ``read`` fills a record and returns the hash of the content.
    """

    host: str
    key: str
    stamp: str
    changed: int
    size: int
    proven: str
    read: Callable[[ConversationRecord], str]


class SessionImporter:
    """Imports the sessions that agent programs wrote to disk into this repository's store.

    ``since`` (ms since 1970) leaves out older files, ``dry_run`` stores nothing.
    """

    def __init__(self, app: App, *, since: int = 0, dry_run: bool = False) -> None:
        self.app, self.since, self.dry_run = app, since, dry_run
        self.places: RepositoryFolders = find_repository_folders(app)
        self.bases, _ = setup_folders(app, sys.platform)
        self.counts: Counter[str] = Counter()
        self.sums: Counter[str] = Counter()
        self.versions: set[str] = set()
        self.present: set[str] = set()
        self.stored: list[str] = []
        self.proposed = 0

    def import_sessions(self, host_names: Collection[str] = ()) -> SessionImportCounts:
        """Import the sessions of these agent programs (none: of all); return the counts."""
        for host in HOSTS:
            if host in host_names or not host_names:
                self._host(host)
        if self.sums["removed"] and not self.dry_run:
            with self.app.store.write(keep_caches=True):
                exchanges.merge_exchange_text_index(self.app.store)
            self.app.store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        if self.sums["conversations"] and not self.dry_run:
            # Without a model, words alone find them.
            with suppress(GitmemError):
                text_vectors.embed_exchanges(self.app, self.app.store, self.app.progress)
            with suppress(GitmemError):
                self.proposed = conversation_proposals.propose_from_conversations(
                    self.app, self.app.store, self.stored
                )
        return SessionImportCounts(
            conversations=self.sums["conversations"],
            exchanges=self.sums["exchanges"],
            unchanged=self.sums["unchanged"],
            removed=self.sums["removed"],
            waiting=self.sums["waiting"],
            bytes=self.sums["bytes"],
            proposed=self.proposed,
            left_out=tuple(sorted((+self.counts).items())),
            versions=tuple(sorted(self.versions)),
            dry_run=self.dry_run,
        )

    def _host(self, name: str) -> None:
        stored_by_source = exchanges.conversation_ids_and_stamps_by_source(self.app.store, name)
        host = registry.find_host(name)
        if database := DATABASES.get(name):
            root = database.place(self.bases)
            sessions = self._rows(name, root, database)
        else:
            transcripts = host.live.transcripts
            assert transcripts is not None
            root = host_paths.expand_path_template(self.bases, host, transcripts.folder)
            sessions = self._files(name, root, named=transcripts.named_by_path)
        if not root or not os.path.exists(root):
            self.sums["waiting"] += len(stored_by_source)
            return
        unread = self.counts[UNREADABLE]
        for source in sessions:
            self.present.add(source.key)
            if source.changed >= self.since:
                self._take_in(source, *stored_by_source.get(source.key, ("", "")))
        # What a database holds is not known where it cannot be read.
        if name in FORMATS or unread == self.counts[UNREADABLE]:
            gone = {key: id for key, (id, _) in stored_by_source.items() if key not in self.present}
            self._remove(name, gone)

    def _files(self, name: str, root: str, *, named: bool) -> Iterator[_Source]:
        format = FORMATS[name]
        if not root or not os.path.isdir(root):
            return
        for path in find_transcript_files(
            root, format.patterns, self.places, self.counts, folders_named_by_path=named
        ):
            try:
                about = os.lstat(path)
            except OSError:
                self.counts[UNREADABLE] += 1
                continue
            yield _Source(
                name,
                path,
                f"{_READER}:{about.st_size}:{about.st_mtime_ns}",
                about.st_mtime_ns // 1_000_000,
                about.st_size,
                format.proven,
                partial(self._read_file, format, path),
            )

    def _read_file(
        self, format: TranscriptFileFormat, path: str, record: ConversationRecord
    ) -> str:
        """Read a file as far as it is this repository's."""
        content = blake2b(digest_size=16)
        with open_regular_file(path, extra_flags=getattr(os, "O_NOFOLLOW", 0)) as file:
            format.begin(path, record)
            size = os.fstat(file.fileno()).st_size
            placed = False
            for row in json_lines.read_json_objects(file, size, record.counts, content):
                with suppress(*_MISREAD):
                    format.read(row, record)
                if record.folder and not placed:
                    placed = self.places.contains_folder(record.folder)
                    if not placed:
                        return ""
        with suppress(*_MISREAD):
            format.finish(record)
        return content.hexdigest()

    def _rows(self, name: str, path: str, format: TranscriptDatabaseFormat) -> Iterator[_Source]:
        if not os.path.isfile(path) or os.path.islink(path):
            return
        try:
            with open_sessions_database(path) as database:
                for id, folder, changed, stamp in format.sessions(database):
                    self.present.add(f"{path}#{id}")
                    if not self.places.contains_folder(folder):
                        continue
                    yield _Source(
                        name,
                        f"{path}#{id}",
                        f"{_READER}:{stamp}",
                        changed,
                        0,
                        format.proven,
                        partial(format.read, database, id),
                    )
        except GitmemError:
            self.counts[UNREADABLE] += 1

    def _take_in(self, source: _Source, id: str, stamp: str) -> None:
        """Take in a source; ``id`` and ``stamp`` are those of what is stored of it, if anything."""
        if stamp.startswith(source.stamp + ":"):
            self.sums["unchanged"] += 1
            return
        record = ConversationRecord(registry.find_host(source.host).tags, self.places.relative_path)
        try:
            content = source.read(record)
        except (OSError, GitmemError):
            self.counts[UNREADABLE] += 1
            return
        if not content or not self.places.contains_folder(record.folder):
            return  # another repository's
        self.sums["bytes"] += source.size
        if id and stamp.endswith(f":{content}"):
            self.sums["unchanged"] += 1
            if not self.dry_run:
                with self.app.store.write(keep_caches=True):
                    exchanges.set_conversation_source_stamp(
                        self.app.store, id, f"{source.stamp}:{content}"
                    )
            return
        self._store(source, record, f"{source.stamp}:{content}", known=bool(id))

    def _store(
        self, source: _Source, record: ConversationRecord, stamp: str, *, known: bool
    ) -> None:
        self.counts.update(record.counts)
        if record.version and not record.version.startswith(source.proven):
            self.versions.add(f"{source.host} {record.version[:40]}")
        id = make_conversation_id(source.host, record.session, source.key, record.started_at)
        new = record.finish_exchanges(id)
        if not new and not known:
            return
        if memory_writes.is_memory_purged(self.app.store, id):
            self.counts[PURGED] += 1
            return
        if contains_secret(source.key):
            self.counts[SECRET_NAME] += 1
            return
        if not self.dry_run:
            if not record.branch:
                record.branch = meanwhile.branch_at_time(self.app, record.folder, record.started_at)
            conversation = record.make_conversation(id, source.host, source.key)
            with self.app.store.write():
                exchanges.replace_conversation(self.app.store, conversation, new, stamp)
            self.stored.append(id)
        self.sums["conversations"] += 1
        self.app.progress("sessions", self.sums["conversations"], 0)
        self.sums["exchanges"] += len(new)

    def _remove(self, host: str, unseen: dict[str, str]) -> None:
        """Remove the conversations whose source is gone."""
        if self.app.settings.number("transcripts.keep"):
            return
        gone = [
            id
            for key, id in unseen.items()
            if host in DATABASES or not os.path.lexists(key.partition("#")[0])
        ]
        if gone and not self.dry_run:
            with self.app.store.write():
                exchanges.delete_conversations(self.app.store, gone)
        self.sums["removed"] += len(gone)


def import_recent_sessions(app: App, host_names: Collection[str]) -> None:
    """Import the last two days' sessions of these agent programs (none: of all).

    Errors are ignored, for a background process with other work.
    """
    hosts = [host for host in HOSTS if host in host_names or not host_names]
    with suppress(GitmemError, OSError):
        if hosts:
            SessionImporter(app, since=app.now - RECENT).import_sessions(hosts)


def make_conversation_id(host: str, session_id: str, source_path: str, started_ms: int) -> str:
    """Return the id of a conversation, which is the same whenever it is read again.

    ``started_ms`` is in milliseconds since 1970.
    """
    identity = "\0".join((host, session_id, source_path)).encode("utf-8", "surrogatepass")
    return ids.new_ulid(started_ms, blake2b(identity, digest_size=10).digest())
