"""An App that borrows its open stores from the server and returns them."""

from __future__ import annotations

import os

from gitmem.app import App
from gitmem.clock import Clock
from gitmem.errors import ReadOnly
from gitmem.mcp.rpc.store_cache import CachedStore, StoreCache
from gitmem.settings import Settings
from gitmem.store.db import preflight
from gitmem.store.db.caches import CacheLimits
from gitmem.store.db.connection import Database
from gitmem.store.file.migrate import HEADER_VERSION


class CachedStoreApp(App):
    """An App (settings, clock, repository) for one call, whose databases stay open between calls.

    They come from ``cache``; end the call with ``return_stores`` instead of ``close``.
    """

    def __init__(
        self,
        cache: StoreCache,
        settings: Settings,
        clock: Clock,
        start: str,
        *,
        agent: str,
        source: str,
    ) -> None:
        super().__init__(settings, clock, start, agent=agent, source=source)
        self.resident = True
        self.progress = cache.watch.report
        self._cache = cache
        self._borrowed: list[CachedStore] = []

    @property
    def store(self) -> Database:
        """The repository's memory database, from the cache or opened now.

        Raises NotInitialized if there is none, ReadOnly if it would have to be upgraded first by a
        read-only server.
        """
        if self._store is None:
            path = self.store_path
            self._store = self._take_open(path)
            if self._store is None:
                self._refuse_older(path)
                self._hold(super().store, os.path.join(self.layout.common_dir, "index"))
        return super().store

    def global_store(self, *, create: bool = False) -> Database | None:
        """The database of the user's memories for all projects, or None if there is none.

        ``create``: make it. Raises ReadOnly if a read-only server would have to make or upgrade it.
        """
        if self._global is None and (path := self.settings.user_store):
            self._global = self._take_open(path)
            if self._global is None and os.path.lexists(path):
                self._refuse_older(path)
                self._hold(super().global_store(), "")
            elif self._global is None and create and self._cache.reading:
                raise _read_only_error("The store for global memories does not exist.")
        return super().global_store(create=create)

    def _refuse_older(self, path: str) -> None:
        """Raise ReadOnly for an older store in a read-only server: opening would migrate it."""
        if (
            self._cache.reading
            and os.path.lexists(path)
            and preflight.check_store_file_owner_and_format(path) < HEADER_VERSION
        ):
            raise _read_only_error(f"The store {path} was made by an older gitmem.")

    def _take_open(self, path: str) -> Database | None:
        cached = self._cache.take_store(path)
        if cached is None:
            return None
        self._borrowed.append(cached)
        # These are notes of an earlier call.
        cached.store.left_out.clear()
        return cached.store

    def _hold(self, store: Database | None, index: str) -> None:
        # A store that cannot be written is read from a copy, which would become outdated.
        if store is not None and not store.read_only:
            self._borrowed.append(self._cache.prepare_store(store, index, _limits(self.settings)))

    def return_stores(self, *, call_succeeded: bool) -> None:
        """End the call: put its databases back into the cache, or close them if it failed."""
        for cached in self._borrowed:
            if call_succeeded and cached.store in (self._store, self._global):
                self._cache.return_store(cached)
                self._forget(cached.store)
            else:
                cached.store.close()
        self._cache.close_removed_stores()
        self.close()

    def _forget(self, store: Database) -> None:
        if self._store is store:
            self._store = None
        if self._global is store:
            self._global = None


def _limits(settings: Settings) -> CacheLimits:
    return CacheLimits(
        results=settings.number("cache.results"),
        expansions=settings.number("cache.expansions"),
        embeddings=settings.number("cache.embeddings"),
    )


def _read_only_error(why: str) -> ReadOnly:
    return ReadOnly(
        f"{why} This server is read-only, so it cannot change that.",
        "Run gitmem there once on the command line: gitmem list",
    )
