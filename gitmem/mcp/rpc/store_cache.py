"""Stores left open from one call to the next, while they are surely the same.

Opening costs two milliseconds and an empty page cache, which is as much as many a question. A store
that was moved, replaced or migrated, or that git has begun to track, is opened anew with all its
checks; those that nobody asks for are closed, so an idle server is in nobody's way.
"""

from __future__ import annotations

import os
from contextlib import suppress

from gitmem.errors import Ambiguous, Conflict, GitmemError, InvalidInput, NotFound, NotInitialized
from gitmem.mcp.rpc.progress import Watch
from gitmem.store.db.caches import Cache, Caches, Limits
from gitmem.store.db.connection import Database

# Stores of repositories that are open at one time; the one that was not used for longest goes.
MOST = 4
# Stores of which is counted how often something kept answered.
MOST_COUNTED = 32
USUAL = Limits()
# Pages of a store of 100,000 pieces that one question after another reads.
CACHE_KIB = 16_000
# Steps of SQLite's machine, about a millisecond, after which it asks whether to go on.
STEPS = 20_000
# Failures that say nothing about a store: it is as good as before.
HARMLESS = (InvalidInput, NotFound, Ambiguous, Conflict, NotInitialized)
Stamp = tuple[object, ...]


class Held:
    """An open store, and what has to be as it was for the store to be the same."""

    __slots__ = ("caches", "index", "stamp", "store", "written")

    def __init__(self, store: Database, index: str, caches: Caches) -> None:
        self.store = store
        self.caches = caches
        self.index = index
        self.stamp = stamp(store, index)
        self.written: Stamp = ()


class Kept:
    """The open stores by path. Use from one thread only.

    ``reading``: nothing may be written to any of them. ``watch`` is that of the call for which they
    are used now: what it stops, SQLite stops too, and nothing is committed any more.
    """

    def __init__(self, *, reading: bool = False, most: int = MOST) -> None:
        self.reading = reading
        self.watch = Watch()
        self._most = most
        # By store's path, also while it is closed: what was counted goes on.
        self._caches: dict[str, tuple[Limits, Caches]] = {}
        # The one that was used last stands last.
        self._open: dict[str, Held] = {}

    def take(self, path: str) -> Held | None:
        """The open store of a path, if it is still the one that would be opened there."""
        held = self._open.pop(path, None)
        if held is None:
            return None
        if stamp(held.store, held.index) != held.stamp:
            held.store.close()
            return None
        self._forget_changed(held)
        return held

    def hold(self, store: Database, index: str = "", limits: Limits = USUAL) -> Held:
        """A store that was just opened, made ready for this server; answers kept within limits."""
        held = Held(store, index, self._caches_of(store.path, limits))
        connection = store.connection
        connection.pragma("cache_size", -CACHE_KIB)
        connection.set_progress_handler(lambda: self.watch.stopped, STEPS)
        connection.set_commit_hook(lambda: self.watch.stopped)
        if self.reading and not store.read_only:
            # Whatever asks is told so; should something not ask, SQLite refuses.
            store.read_only = True
            connection.pragma("query_only", True)
        self._forget_changed(held)
        return held

    def _caches_of(self, path: str, limits: Limits) -> Caches:
        known, found = self._caches.pop(path, (None, None))
        if found is None or known != limits:
            # A question's vector is the same for every store.
            others = [one.embeddings for of, one in self._caches.values() if of == limits]
            embeddings = others[0] if others else Cache(limits.embeddings)
            found = Caches(limits, embeddings)
        self._caches[path] = limits, found
        while len(self._caches) > MOST_COUNTED:
            del self._caches[next(iter(self._caches))]
        return found

    def _forget_changed(self, held: Held) -> None:
        """Let go of answers, if anybody has written since; of this connection, but the harmless."""
        store, connection = held.store, held.store.connection
        changes = connection.total_changes() - store.harmless
        written = (connection.pragma("data_version"), changes)
        if store.caches is None or written != held.written:
            held.caches.forget()
            store.caches, held.written = held.caches, written

    def keep(self, held: Held) -> None:
        """Keep a store for the next call; the one that was not used for longest may have to go."""
        # A store in an unfinished transaction is in a state that nobody knows.
        if held.store.connection.in_transaction or not os.path.lexists(held.store.path):
            held.store.close()
            return
        self._open[held.store.path] = held
        if len(self._open) > self._most:
            oldest = next(iter(self._open))
            self._open.pop(oldest).store.close()

    def drop_gone(self) -> None:
        """Close the stores whose files were removed meanwhile."""
        for path in [path for path in self._open if not os.path.lexists(path)]:
            self._open.pop(path).store.close()

    def close(self) -> None:
        """Close all; of their answers nothing is kept."""
        while self._open:
            held = self._open.popitem()[1]
            held.caches.forget()
            held.store.close()

    def __len__(self) -> int:
        return len(self._open)


def stamp(store: Database, index: str) -> Stamp:
    """What has to be as it was: the file, its schema, and the index in which git may track it."""
    versions: Stamp = ()
    with suppress(GitmemError):
        versions = store.schema_versions
    return (_file(store.path), _file(index, content=True) if index else (), *versions)


def _file(path: str, *, content: bool = False) -> Stamp:
    try:
        found = os.lstat(path)
    except OSError:
        return ()
    if content:
        return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size
    return found.st_dev, found.st_ino
