"""The store of the last call, left open for the next one while it is surely the same.

Opening costs two milliseconds and an empty page cache, which is as much as many a question. A store
that was moved, replaced or migrated, or that git has begun to track, is opened anew with all its
checks; one that nobody asks for is closed, so an idle server is in nobody's way.
"""

from __future__ import annotations

import os

from gitmem.app import App
from gitmem.store.connection import Database

# Pages of a store of 100,000 pieces that one question after another reads.
CACHE_KIB = 16_000
# Terms whose rows are counted once, until somebody writes.
MOST_COUNTS = 10_000
Stamp = tuple[object, ...]


class Kept:
    """At most one open store. Use from one thread only."""

    def __init__(self) -> None:
        self._store: Database | None = None
        self._stamp: Stamp = ()
        self._written: Stamp = ()

    def lend(self, app: App) -> None:
        """Give an App the open store if it is the one that the App would open."""
        store = self._store
        if store is None:
            return
        if app.has_store and _stamp(app, store) == self._stamp:
            self._store = None
            self._count_anew(store)
            app.adopt(store)
        else:
            self.close()

    def _count_anew(self, store: Database) -> None:
        connection = store.connection
        written = (connection.pragma("data_version"), connection.total_changes())
        if store.counts is None or written != self._written or len(store.counts) > MOST_COUNTS:
            store.counts, self._written = {}, written

    def take_back(self, app: App) -> None:
        """Keep the store of an App that did its work well; what else it holds is closed."""
        self.close()
        store = app.hand_over()
        app.close()
        if store is None:
            return
        # A store that cannot be written is read from a copy, which grows old.
        if store.read_only or not app.has_store:
            store.close()
            return
        store.connection.pragma("cache_size", -CACHE_KIB)
        self._store, self._stamp = store, _stamp(app, store)

    def close(self) -> None:
        """Close the store, if one is open."""
        if self._store is not None:
            self._store.close()
        self._store, self._stamp = None, ()


def _stamp(app: App, store: Database) -> Stamp:
    """What has to be as it was: the file, its schema, and the index in which git may track it."""
    connection = store.connection
    return (
        store.path == app.store_path,
        _file(store.path),
        _file(os.path.join(app.layout.common_dir, "index")),
        connection.pragma("user_version"),
        connection.pragma("schema_version"),
    )


def _file(path: str) -> Stamp:
    try:
        found = os.lstat(path)
    except OSError:
        return ()
    if path.endswith("index"):
        return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size
    return found.st_dev, found.st_ino
