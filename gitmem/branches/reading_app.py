"""An App in another project of the user's, in which nothing is created, migrated or written."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from gitmem.app import App
from gitmem.branches import other_projects
from gitmem.errors import NotInitialized
from gitmem.git import tracked
from gitmem.store.db import preflight
from gitmem.store.db.connection import Database, store_file_times_and_sizes
from gitmem.store.file.opening import open_store

T = TypeVar("T")
# Milliseconds that a reader waits for a store that is locked.
PATIENCE_MS = 250


class ReadOnlyApp(App):
    """An App in another project, whose store is opened for reading only."""

    def _open_at(self, path: str, lock_timeout_ms: int) -> Database:
        if path != self._default_path:
            tracked.refuse_tracked_file(self.layout, path, "the store", "It is not read.")
        return open_store(
            path, self.keys, lock_timeout_ms=min(lock_timeout_ms, PATIENCE_MS), read_only=True
        )

    def global_store(self, *, create: bool = False) -> Database | None:  # noqa: ARG002 - as above it
        """None: the user's memories for all projects are read by the caller's App."""
        return None


def run_with_read_only_app(app: App, root: str, use_app: Callable[[App], T]) -> T:
    """What ``use_app`` returns for an App of the project at ``root``, whose store is only read.

    Raises NotFound if its folder is gone, NotInitialized if it has no store, and what ``use_app``
    raises.
    """
    path = os.path.join(
        other_projects.require_existing_root(root), preflight.FOLDER, preflight.FILE_NAME
    )
    before = store_file_times_and_sizes(path)
    try:
        result = _read_once(app, root, use_app)
        if os.path.exists(path + preflight.SIDES[0]) or before == store_file_times_and_sizes(path):
            return result
    except Exception:
        if before == store_file_times_and_sizes(path):
            raise
    # A file without a log is read without locks, and somebody wrote to it meanwhile.
    return _read_once(app, root, use_app)


def _read_once(app: App, root: str, work: Callable[[App], T]) -> T:
    there = ReadOnlyApp.for_project(app, root)
    there.resident = app.resident
    try:
        if not there.has_store:
            raise NotInitialized(f"There is no store in {root}.", "Run `gitmem init` there.")
        return work(there)
    finally:
        there.close()
