"""Keeping the index up to date at every save, as the git hooks do at every commit."""

from gitmem.app import App
from gitmem.indexing import watch_loop
from gitmem.indexing.watch_loop import WatchRefreshCounts
from gitmem.operations.registry import WRITE, EmptyRequest, Operation


def index_changed_files(app: App, _request: EmptyRequest) -> WatchRefreshCounts:
    """Keep the index up to date until Ctrl-C.

    Runs `gitmem index` half a second (`watch.debounce_ms`) after files that are not ignored,
    the branch or the commit changed, and prints a line if anything was new. A busy store or another
    error is reported and tried again.
    """
    return watch_loop.watch_and_refresh_index(app)


def view(result: WatchRefreshCounts) -> str:
    """Return the text to print: how much all updates of the index added up to."""
    line = watch_loop.describe_index_changes(
        result.added, result.moved, result.dropped, result.commits, result.updated
    )
    return f"stopped: {line or 'no changes'}"


WATCH = Operation("watch", index_changed_files, view, WRITE, failed_field="")
