"""Opening the store, and its two kinds of transaction.

Readers never wait. Writers take the lock at their first statement (``BEGIN IMMEDIATE``), because a
transaction that reads and then writes fails at once whatever the time-out. A commit of canonical
rows waits for the disk (``synchronous=FULL``): an acknowledged memory survives a power cut.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import apsw

from gitmem.errors import ReadOnly, Unavailable
from gitmem.store.db.sqlite_errors import disk_full_error, sqlite_errors_as_gitmem_errors

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

    from gitmem.store.db.caches import Caches

BUSY_MS = 10_000
QUEUE_MS = 60_000  # as long as others get done meanwhile
_PAUSE_MS = 2
# As ``memory.lifecycle`` has them.
PROMOTED_AT, EXTENDED_BY = 5, 0.5
if TYPE_CHECKING:
    Row = tuple[Any, ...]
else:
    Row = tuple


class Database:
    """One open store (SQLite file of memories), for one thread; other threads open it again.

    ``read_only`` says that writes will be refused: the file or its folder cannot be written.
    ``scope`` is that of the memories in it: ``project``, or ``global`` for the user's own store.
    """

    def __init__(self, path: str, connection: apsw.Connection, *, read_only: bool) -> None:
        self.path = path
        self.connection = connection
        self.read_only = read_only
        # Read only because the disk is full.
        self.full = False
        self.lock_timeout_ms = BUSY_MS
        self.device = ""
        # The store's id, its key (``store.file.registration``) and its own seal of that key.
        self.store = ""
        self.key = b""
        self.seal = ""
        # Whether rows are accepted whatever their seals: while a person adopts a store.
        self.unsealed = False
        # Rows left out so far because another store wrote them: (table, id of the row).
        self.foreign: set[tuple[str, str]] = set()
        self.scope = "project"
        self.scratch: str | None = None
        # Whether sqlite-vec is loaded; None while nothing has asked for it (``vec_extension``).
        self.accelerated: bool | None = None
        # Cached answers, as long as nothing can have changed them; None where nothing is cached.
        self.caches: Caches | None = None
        # Rows changed by writes that change no cached answer.
        self.harmless = 0
        # Memories that were read and cannot be trusted: id -> why, in a word.
        self.left_out: dict[str, str] = {}
        self._writing = False
        self._pid = os.getpid()
        self.set_expiry_extension_by_use(PROMOTED_AT, EXTENDED_BY)

    def set_expiry_extension_by_use(self, min_uses_to_keep: int, extension_fraction: float) -> None:
        """Set how often-used memories live longer, for the queries of ``store.memory.expiry``.

        Each use adds ``extension_fraction`` of the memory's time to live; from ``min_uses_to_keep``
        uses on it never expires.
        """
        define = self.connection.create_scalar_function
        define("promoted_at", lambda *_: min_uses_to_keep, 0, deterministic=True)
        define("extended_by", lambda *_: extension_fraction, 0, deterministic=True)

    def rows(self, sql: str, values: tuple[Any, ...] | dict[str, Any] = ()) -> list[Row]:
        """Run a query; returns all rows as tuples. Raises as ``sqlite_errors_as_gitmem_errors``."""
        with sqlite_errors_as_gitmem_errors(self.path, self.connection):
            return self.connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: tuple[Any, ...] | dict[str, Any] = ()) -> Row | None:
        """Run a query; returns the first row as a tuple, or None if there is none."""
        with sqlite_errors_as_gitmem_errors(self.path, self.connection):
            return self.connection.execute(sql, values).fetchone()

    def value(self, sql: str, values: tuple[Any, ...] | dict[str, Any] = ()) -> Any:
        """Run a query; returns the first column of the first row, or None if there is no row."""
        row = self.row(sql, values)
        return None if row is None else row[0]

    def column(self, sql: str, values: tuple[Any, ...] | dict[str, Any] = ()) -> list[Any]:
        """Run a query; returns the first column of all rows as a list."""
        return [row[0] for row in self.rows(sql, values)]

    def run(self, sql: str, values: tuple[Any, ...] | dict[str, Any] = ()) -> int:
        """Execute a statement; returns the number of rows it changed."""
        with sqlite_errors_as_gitmem_errors(self.path, self.connection):
            self._still_writing()
            self.connection.execute(sql, values)
            return self.connection.changes()

    @contextmanager
    def write(self, *, keep_caches: bool = False) -> Iterator[Database]:
        """Run the block in a transaction that takes the write lock at once; nested blocks join it.

        ``keep_caches``: do not empty the caches, as nothing in them comes from the rows changed.
        Raises StoreBusy, DiskFull, ReadOnly or Unavailable; then nothing of the block is stored.
        """
        if self.full:
            raise disk_full_error(self.path)
        if self.read_only:
            raise ReadOnly(
                f"The store {self.path} cannot be written.",
                "Make the folder .gitmem and the files in it writable; reading works meanwhile.",
            )
        if not keep_caches:
            self.caches = None
        if self._writing or self.connection.in_transaction:
            self._still_writing()
            yield self
            return
        with sqlite_errors_as_gitmem_errors(self.path, self.connection):
            self.connection.execute("BEGIN IMMEDIATE")
            self._writing = True
            before = self.connection.total_changes()
            try:
                yield self
                self._still_writing()
                self.connection.execute("COMMIT")
                self.harmless += self.connection.total_changes() - before if keep_caches else 0
            except BaseException:
                self._roll_back()
                raise
            finally:
                self._writing = False

    def _still_writing(self) -> None:
        """Raise Unavailable where SQLite itself has rolled the transaction back.

        It does so where a file fails, even under a read whose error is suppressed: what is written
        afterwards would be stored alone, without what came before it.
        """
        if self._writing and not self.connection.in_transaction:
            raise Unavailable(
                f"The store {self.path} could not be written: SQLite rolled back after an error.",
                "Nothing of it was saved; try again.",
            )

    def _roll_back(self) -> None:
        # A full disk may have rolled the transaction back already.
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    @property
    def journal_mode(self) -> str:
        """SQLite's journal mode: ``wal``, or ``delete`` where processes cannot share memory."""
        return str(self.connection.pragma("journal_mode"))

    @property
    def schema_versions(self) -> tuple[int, int]:
        """(schema version that gitmem wrote in the file, SQLite's own count of schema changes)."""
        return self.value("PRAGMA user_version"), self.value("PRAGMA schema_version")

    @contextmanager
    def lock_timeout(self, timeout_ms: int, *, sync_commits: bool = True) -> Iterator[None]:
        """Within the block, wait at most ``timeout_ms`` for the lock that a write needs.

        Without ``sync_commits`` a commit in WAL mode is not synced to the disk, and a power cut may
        lose it.
        """
        self.connection.set_busy_handler(make_busy_handler(timeout_ms))
        before = self.connection.pragma("synchronous")
        if not sync_commits and self.journal_mode == "wal":
            self.connection.pragma("synchronous", "NORMAL")
        try:
            yield
        finally:
            self.connection.set_busy_handler(_busy_handler(self.path, self.lock_timeout_ms))
            self.connection.pragma("synchronous", before)

    def close(self) -> None:
        """Close the file and delete a temporary copy, if any; does nothing in a forked process."""
        if self._pid != os.getpid():
            return
        self.connection.close()
        if self.scratch:
            import shutil  # noqa: PLC0415 - only after a read from a read-only folder

            shutil.rmtree(self.scratch, ignore_errors=True)


def harden_connection(database: Database, lock_timeout_ms: int) -> Database:
    """Make a connection safe for a file made by a stranger, with this lock time-out; returns it.

    Triggers, views, attached files and unsafe SQL functions are switched off.
    """
    connection = database.connection
    database.lock_timeout_ms = lock_timeout_ms
    connection.set_busy_handler(_busy_handler(database.path, lock_timeout_ms))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 1)
    connection.pragma("foreign_keys", True)
    connection.pragma("cell_size_check", True)
    connection.pragma("secure_delete", True)
    connection.pragma("synchronous", "FULL")
    return database


def _busy_handler(path: str, lock_timeout_ms: int) -> Callable[[int], bool]:
    """The busy handler: a caller with full patience queues, a hook gives up after its time."""
    return make_busy_handler(lock_timeout_ms, path=path if lock_timeout_ms >= BUSY_MS else "")


def make_busy_handler(
    timeout_ms: int, *, path: str = "", max_queue_ms: int = QUEUE_MS
) -> Callable[[int], bool]:
    """A busy handler for SQLite: called while the file is locked, it waits or gives up.

    It retries every 2 ms for ``timeout_ms``. With the ``path`` of the store it waits another
    ``timeout_ms`` whenever others wrote meanwhile, up to ``max_queue_ms`` in all.
    """
    begin = until = 0.0
    stamps: tuple[int, ...] = ()

    def wait_for_next_try(tries: int) -> bool:
        nonlocal begin, until, stamps
        now = time.monotonic()
        if not tries:
            begin, until, stamps = now, now + timeout_ms / 1000, store_file_times_and_sizes(path)
        if now >= until:
            before, stamps = stamps, store_file_times_and_sizes(path)
            if stamps == before or now - begin >= max_queue_ms / 1000:
                return False
            until = min(now + timeout_ms / 1000, begin + max_queue_ms / 1000)
        time.sleep(_PAUSE_MS / 1000)
        return True

    return wait_for_next_try


def store_file_times_and_sizes(path: str) -> tuple[int, ...]:
    """Times (ns) and sizes of a store's file and log, to notice writes; empty without a path."""
    stamps: list[int] = []
    for name in (path, f"{path}-wal") if path else ():
        with suppress(OSError):
            file = os.stat(name)
            stamps += (file.st_mtime_ns, file.st_size)
    return tuple(stamps)
