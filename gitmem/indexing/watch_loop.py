"""Refreshing the index after each change of the files, until Ctrl-C."""

import os

from gitmem import crashlog
from gitmem.app import App
from gitmem.clock import zones
from gitmem.errors import GitmemError, Unavailable
from gitmem.indexing import refresh, watcher
from gitmem.model.frozen import dataclass, replace
from gitmem.settings import Settings
from gitmem.text.quantity import quantity

# Signs of life between two tries where a refresh failed and nothing changed since: about 2 s.
PAUSE = 4
# Milliseconds to wait for a busy store: it is tried again anyway, and Ctrl-C should not wait long.
PATIENCE = 1_000


@dataclass(frozen=True, slots=True)
class WatchRefreshCounts:
    """The total counts of all refreshes of the index during a watch, until Ctrl-C ended it.

    ``added``, ``moved``, ``dropped`` and ``updated`` are files, ``failed`` is failed refreshes.
    """

    refreshes: int = 0
    added: int = 0
    moved: int = 0
    dropped: int = 0
    commits: int = 0
    failed: int = 0
    updated: int = 0


def watch_and_refresh_index(app: App) -> WatchRefreshCounts:
    """Refresh the index after each change until Ctrl-C; prints a line if anything was new."""
    app.store  # noqa: B018 - opening it is the check
    if not app.settings.number("watch.enabled"):
        raise Unavailable(
            "Watching is switched off.", "To switch it on: gitmem config watch.enabled 1."
        )
    at = watcher.watched_paths(app.layout, app.store_path)
    app.close_stores()
    quiet = app.settings.number("watch.debounce_ms")
    total = WatchRefreshCounts()
    refused, waited = "", 0
    try:
        for number, changed in enumerate(watcher.watch_change_batches(at, quiet)):
            waited += 1
            again = refused and waited >= PAUSE
            if not (number == 0 or again or watcher.has_indexable_path(app.layout, at, changed)):
                continue
            total, message = _refresh(app, total)
            if message and message != refused:
                app.say(f"{_clock(app)} not refreshed: {message}")
            refused, waited = message, 0
            if number == 0:
                app.say(f"watching {app.worktree}; press Ctrl-C to stop")
    except KeyboardInterrupt:
        pass  # how this command is meant to end
    return total


def _refresh(app: App, total: WatchRefreshCounts) -> tuple[WatchRefreshCounts, str]:
    """The counts with those of one more refresh, and why it failed."""
    # A fresh App sees the branch, the settings and the store as they are now.
    fresh = App(Settings(app.settings.environment), app.clock, app.start, agent=app.agent)
    fresh.progress = app.progress
    try:
        fresh.store.lock_timeout_ms = PATIENCE  # to which inner waits go back
        with fresh.store.lock_timeout(PATIENCE):
            done = refresh.refresh_index(fresh)
    except GitmemError as error:
        if not os.path.isdir(app.worktree):
            raise
        return replace(total, failed=total.failed + 1), error.message
    except Exception as error:  # a bug in one refresh must not end the watch
        message = crashlog.record_crash(error, ["watch"])
        return replace(total, failed=total.failed + 1), f"{message.message} {message.hint}"
    finally:
        fresh.close()
    line = describe_index_changes(done.added, done.moved, done.dropped, done.commits, done.updated)
    if not line:
        return total, ""
    app.say(f"{_clock(app)} {line} ({done.seconds:.1f} s)")
    return (
        WatchRefreshCounts(
            total.refreshes + 1,
            total.added + done.added,
            total.moved + done.moved,
            total.dropped + done.dropped,
            total.commits + done.commits,
            total.failed,
            total.updated + done.updated,
        ),
        "",
    )


def describe_index_changes(added: int, moved: int, dropped: int, commits: int, updated: int) -> str:
    """What a refresh changed, such as ``2 files added, 1 dropped, 1 commit``; empty: nothing."""
    parts: list[str] = []
    counts = ((added, "added"), (updated, "updated"), (moved, "moved"), (dropped, "dropped"))
    for count, what in counts:
        if count:
            noun = "" if parts else " files" if count > 1 else " file"
            parts.append(f"{count}{noun} {what}")
    if commits:
        parts.append(quantity(commits, "commit"))
    return ", ".join(parts)


def _clock(app: App) -> str:
    return (
        f"{zones.to_local_datetime(app.now, zones.load_time_zone(app.display_time_zone)):%H:%M:%S}"
    )
