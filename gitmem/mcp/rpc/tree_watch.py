"""Watching the worktrees that a server searches, so that saved files are soon indexed.

A thread for each worktree reports saved files to the drain, which indexes them. Only folders with
indexed files are watched, so nothing is walked, and builds in ignored folders cause no events. Of
several servers on one repository one watches. Without a watch (too many folders, a network mount, a
system that refuses) searches still notice changes of git's index and HEAD, and edits of files that
they show.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import islice

from gitmem import crashlog
from gitmem.app import App
from gitmem.clock import SystemClock
from gitmem.errors import GitmemError
from gitmem.files import lock
from gitmem.settings import Settings
from gitmem.spool import git_events
from gitmem.store.db import preflight

# Worktrees that one server watches, and folders of one worktree.
MOST, MOST_FOLDERS = 4, 20_000
MOST_MADE = 100  # folders added for a new folder
# Seconds after the first answer, so that loading libraries delays no answer.
PAUSE = 1.0
# Seconds to wait at the end for threads, which check every 0.2 s whether to stop.
ENDING = 0.4


class WorktreeWatches:
    """Watches the worktrees that a server searches for saved files, to index these soon.

    ``watch_worktree`` is called by one thread, ``request_stop`` by any. ``pause`` is in seconds.
    """

    def __init__(self, pause: float = PAUSE) -> None:
        self._pause = pause
        self._stop = threading.Event()
        self._watches: dict[str, WorktreeWatch] = {}

    def watch_worktree(self, app: App) -> None:
        """Start a watch of the App's worktree, unless it has one or settings forbid it."""
        tree = app.worktree
        existing = self._watches.get(tree)
        if existing is None and len(self._watches) >= MOST:
            return
        if (existing is not None and not existing.may_restart) or self._stop.is_set():
            return
        if _may_watch(app):
            watch = WorktreeWatch(app.settings.environment, tree, self._stop, self._pause)
            self._watches[tree] = watch
            watch.start()

    def request_stop(self) -> None:
        """Tell all watches to end."""
        self._stop.set()

    def join(self) -> None:
        """Wait at most 0.4 seconds for each watch to end."""
        for watch in self._watches.values():
            watch.join(ENDING)


class WorktreeWatch(threading.Thread):
    """A thread that watches one worktree for saved files, and has these indexed."""

    def __init__(
        self, environment: Mapping[str, str], tree: str, stop: threading.Event, pause: float
    ) -> None:
        super().__init__(name="gitmem-watch", daemon=True)
        self._environment = environment
        self._tree = tree
        self._ended = stop
        self._pause = pause
        self._refused = False
        self._made: set[str] = set()  # new folders, not indexed yet

    @property
    def may_restart(self) -> bool:
        """Whether the watch has ended for a reason that can pass, and may be started again."""
        return not (self._refused or self.is_alive())

    def run(self) -> None:
        """Watch until the event ``stop`` is set. Raises nothing: an error ends the watch."""
        if self._ended.wait(self._pause):
            return
        try:
            with closing(self._app()) as app:
                # A network mount reports the changes of others late or never.
                self._refused = preflight.choose_journal_mode(app.worktree) != "wal"
                handle = None if self._refused else _try_lock(app)
            if handle is None:
                return
            try:
                while not self._ended.is_set() and self._watch():
                    pass
            finally:
                os.close(handle)
        except (GitmemError, OSError):
            self._refused = True
        except Exception as error:  # a bug here must not end the server
            self._refused = True
            crashlog.record_crash(error, ["mcp", "watch"])

    def _app(self) -> App:
        return App(Settings(self._environment), SystemClock(), self._tree)

    def _watch(self) -> bool:
        """Watch the present folders; returns True when there are new folders to watch."""
        from gitmem.indexing import watcher  # noqa: PLC0415 - once a watch begins
        from gitmem.store.code import indexed_files  # noqa: PLC0415 - as above

        with closing(self._app()) as app:
            at = watcher.watched_paths(app.layout, app.store_path)
            names = self._made | indexed_files.indexed_folders(app.store, app.worktree)
        candidates = [
            os.path.join(self._tree, name) if name else self._tree for name in sorted(names)
        ]
        folders = [folder for folder in candidates if os.path.isdir(folder)]
        self._refused = len(folders) > MOST_FOLDERS
        if self._refused or not folders:
            return False
        with closing(self._app()) as app:
            _request_index(app)  # for files saved before the watch began
        for paths in watcher.watch_direct_changes(folders, at, self._ended):
            with closing(self._app()) as app:
                if not os.path.isdir(self._tree) or not _may_watch(app):
                    return False
                changed = watcher.unignored_paths(app.layout, at, paths)
                if changed:
                    _request_index(app, changed)
            # New folders, or folders made again, whose watch was that of the removed one.
            if made := [path for path in changed if os.path.isdir(os.path.join(self._tree, path))]:
                self._made.update(name for path in made for name in self._folders_below(path))
                return True
        return False

    def _folders_below(self, path: str) -> Iterator[str]:
        """A new folder and the folders below it, at most ``MOST_MADE``."""
        tree = os.walk(os.path.join(self._tree, path))
        for place, _, _ in islice(tree, MOST_MADE):
            yield os.path.relpath(place, self._tree)


def _request_index(app: App, paths: Sequence[str] = ()) -> None:
    """Ask the drain to index saved files, or to check the whole worktree, and start it."""
    from gitmem.maintenance import detached, index_request  # noqa: PLC0415 - after a save

    if (
        index_request.request_index_of_files(app, paths)
        if paths
        else index_request.request_index_refresh(app)
    ):
        detached.start_background_command(app, "drain")


def _may_watch(app: App) -> bool:
    number = app.settings.number
    if not (app.has_store and app.layout.worktree and number("hooks.enabled")):
        return False
    return bool(number("watch.enabled")) and app.settings.allows_background


def _try_lock(app: App) -> int | None:
    """The lock for watching this worktree; None if another server holds it."""
    app.refuse_tracked_store()
    folder = app.spool_folder
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    tree = git_events.worktree_name_in_events(app.layout.git_dir, is_linked=app.layout.linked)
    name = f"{git_events.WATCH}{tree}"
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(os.path.join(folder, name), flags, 0o600)
    if lock.try_lock_file(handle):
        return handle
    os.close(handle)
    return None
