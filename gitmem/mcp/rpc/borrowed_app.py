"""An App that borrows its stores from the server and gives them back."""

from __future__ import annotations

import os

from gitmem.app import App
from gitmem.clock import Clock
from gitmem.errors import ReadOnly
from gitmem.mcp.rpc.store_cache import Held, Kept
from gitmem.settings import Settings
from gitmem.store.db import preflight
from gitmem.store.db.caches import Limits
from gitmem.store.db.connection import Database
from gitmem.store.file.migrate import HEADER_VERSION


class Guest(App):
    """An App for one call. ``leave`` it at the end instead of closing it."""

    def __init__(
        self, kept: Kept, settings: Settings, clock: Clock, start: str, *, agent: str, source: str
    ) -> None:
        super().__init__(settings, clock, start, agent=agent, source=source)
        self.resident = True
        self.progress = kept.watch.tell
        self._kept = kept
        self._borrowed: list[Held] = []

    @property
    def store(self) -> Database:
        """The repository's store, as it was left open or opened now. Raises what App's does."""
        if self._store is None:
            path = self.store_path
            self._store = self._taken(path)
            if self._store is None:
                self._refuse_older(path)
                self._hold(super().store, os.path.join(self.layout.common_dir, "index"))
        return super().store

    def global_store(self, *, create: bool = False) -> Database | None:
        """The user's own store, likewise. Raises ReadOnly where nothing may be written."""
        if self._global is None and (path := self.settings.user_store):
            self._global = self._taken(path)
            if self._global is None and os.path.lexists(path):
                self._refuse_older(path)
                self._hold(super().global_store(), "")
            elif self._global is None and create and self._kept.reading:
                raise _only_reading("The store for global memories does not exist.")
        return super().global_store(create=create)

    def _refuse_older(self, path: str) -> None:
        """Opening an older store brings it up to date, which is writing."""
        if self._kept.reading and os.path.lexists(path) and preflight.check(path) < HEADER_VERSION:
            raise _only_reading(f"The store {path} was made by an older gitmem.")

    def _taken(self, path: str) -> Database | None:
        held = self._kept.take(path)
        if held is None:
            return None
        self._borrowed.append(held)
        # What an earlier call met is no news of this one.
        held.store.left_out.clear()
        return held.store

    def _hold(self, store: Database | None, index: str) -> None:
        # A store that cannot be written is read from a copy, which grows old.
        if store is not None and not store.read_only:
            self._borrowed.append(self._kept.hold(store, index, _limits(self.settings)))

    def leave(self, *, well: bool) -> None:
        """Give the stores back; where the call did not go ``well`` they are closed."""
        for held in self._borrowed:
            if well and held.store in (self._store, self._global):
                self._kept.keep(held)
                self._forget(held.store)
            else:
                held.store.close()
        self._kept.drop_gone()
        self.close()

    def _forget(self, store: Database) -> None:
        if self._store is store:
            self._store = None
        if self._global is store:
            self._global = None


def _limits(settings: Settings) -> Limits:
    return Limits(
        results=settings.number("cache.results"),
        expansions=settings.number("cache.expansions"),
        embeddings=settings.number("cache.embeddings"),
    )


def _only_reading(why: str) -> ReadOnly:
    return ReadOnly(
        f"{why} This server is read-only.",
        "Run gitmem there once on the command line, such as `gitmem list`.",
    )
