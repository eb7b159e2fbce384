"""Stores that stay open from one call to the next, as long as they are surely unchanged.

Opening costs two milliseconds and an empty page cache, as much as many a call. A store that was
moved, replaced or migrated, or that git has begun to track, is opened again with all checks; unused
ones are closed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from gitmem.errors import (
    AmbiguousReference,
    Conflict,
    GitmemError,
    InvalidInput,
    NotFound,
    NotInitialized,
)
from gitmem.mcp.rpc.progress import CallProgress
from gitmem.store.db.caches import Cache, CacheLimits, Caches, CacheUsage
from gitmem.store.db.connection import Database

# Stores that are open at a time; the least recently used one is closed.
MOST = 4
# Stores whose caches, with their counts, are kept even while the store is closed.
MOST_COUNTED = 32
USUAL = CacheLimits()
# Size of SQLite's page cache: what searches of a store with 100,000 pieces read again and again.
CACHE_KIB = 16_000
# Steps of SQLite's machine, about a millisecond, between checks whether the call was stopped.
STEPS = 20_000
# Errors after which a store can stay open.
HARMLESS = (InvalidInput, NotFound, AmbiguousReference, Conflict, NotInitialized)
Stamp = tuple[object, ...]


class CachedStore:
    """An open database, its caches, and ``stamp``, which differs after its files changed."""

    __slots__ = ("caches", "index", "stamp", "store", "written")

    def __init__(self, store: Database, git_index_path: str, caches: Caches) -> None:
        self.store = store
        self.caches = caches
        self.index = git_index_path
        self.stamp = store_files_fingerprint(store, git_index_path)
        self.written: Stamp = ()


class StoreCache:
    """Databases that stay open between calls, by path. Use it from one thread only.

    ``read_only``: nothing may be written. At most ``max_open`` stay open. ``watch`` is the progress
    of the current call: if it is stopped, SQLite stops as well and commits nothing.
    """

    def __init__(self, *, read_only: bool = False, max_open: int = MOST) -> None:
        self.reading = read_only
        self.watch = CallProgress()
        self._most = max_open
        # By the path of a store, even while it is closed, so that counts continue.
        self._caches: dict[str, tuple[CacheLimits, Caches]] = {}
        # The last used one comes last.
        self._open: dict[str, CachedStore] = {}
        # Stores that were opened for the first time, and all that were opened.
        self.unchecked: list[str] = []
        self._known: set[str] = set()

    def take_store(self, path: str) -> CachedStore | None:
        """Remove and return a path's open database; None if none is open or its files changed."""
        cached = self._open.pop(path, None)
        if cached is None:
            return None
        if store_files_fingerprint(cached.store, cached.index) != cached.stamp:
            cached.store.close()
            return None
        self._forget_changed(cached)
        return cached

    def prepare_store(
        self, store: Database, git_index_path: str = "", limits: CacheLimits = USUAL
    ) -> CachedStore:
        """Make a newly opened database ready for the cache, with caches of answers; returns it.

        ``git_index_path`` is the file of git's index (empty: none), ``limits`` the most entries of
        each cache.
        """
        cached = CachedStore(store, git_index_path, self._caches_of(store.path, limits))
        if store.path not in self._known:
            self._known.add(store.path)
            self.unchecked.append(store.path)
        connection = store.connection
        connection.pragma("cache_size", -CACHE_KIB)
        connection.set_progress_handler(lambda: self.watch.stopped, STEPS)
        connection.set_commit_hook(lambda: self.watch.stopped)
        if self.reading and not store.read_only:
            # Code checks the flag; if some does not, SQLite refuses.
            store.read_only = True
            connection.pragma("query_only", True)
        self._forget_changed(cached)
        return cached

    def _caches_of(self, path: str, limits: CacheLimits) -> Caches:
        known_limits, caches = self._caches.pop(path, (None, None))
        if caches is None or known_limits != limits:
            # A question's vector is the same for every store.
            others = [caches.embeddings for of, caches in self._caches.values() if of == limits]
            embeddings = others[0] if others else Cache(limits.embeddings)
            caches = Caches(limits, embeddings)
        self._caches[path] = limits, caches
        while len(self._caches) > MOST_COUNTED:
            del self._caches[next(iter(self._caches))]
        return caches

    def _forget_changed(self, cached: CachedStore) -> None:
        """Drop cached answers if anything was written since, except our harmless rows."""
        store, connection = cached.store, cached.store.connection
        changes = connection.total_changes() - store.harmless
        written = (connection.pragma("data_version"), changes)
        if store.caches is None or written != cached.written:
            cached.caches.clear_stale_values()
            store.caches, cached.written = cached.caches, written

    def return_store(self, cached: CachedStore) -> None:
        """Put an open database back for the next call; the least recently used may be closed."""
        # A store in an unfinished transaction is in an unknown state.
        if cached.store.connection.in_transaction or not os.path.lexists(cached.store.path):
            cached.store.close()
            return
        self._open[cached.store.path] = cached
        if len(self._open) > self._most:
            oldest = next(iter(self._open))
            self._open.pop(oldest).store.close()

    def close_removed_stores(self) -> None:
        """Close the databases whose files were removed."""
        for path in [path for path in self._open if not os.path.lexists(path)]:
            self._open.pop(path).store.close()

    def close(self) -> None:
        """Close all databases and drop their cached answers."""
        while self._open:
            cached = self._open.popitem()[1]
            cached.caches.clear_stale_values()
            cached.store.close()

    def cache_usage(self) -> Iterator[CacheUsage]:
        """Yield the use (name, hits, misses ...) of the caches of all databases, closed or not."""
        for _limits, caches in self._caches.values():
            yield from caches.usage()

    def __len__(self) -> int:
        return len(self._open)


def store_files_fingerprint(store: Database, git_index_path: str) -> Stamp:
    """A tuple that differs if a database's file was replaced, its schema changed or git's index.

    ``git_index_path`` is the file of that index; empty: it does not count.
    """
    versions: Stamp = ()
    with suppress(GitmemError):
        versions = store.schema_versions
    return (
        _file_stamp(store.path),
        _file_stamp(git_index_path, content=True) if git_index_path else (),
        *versions,
    )


def _file_stamp(path: str, *, content: bool = False) -> Stamp:
    try:
        status = os.lstat(path)
    except OSError:
        return ()
    if content:
        return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size
    return status.st_dev, status.st_ino
