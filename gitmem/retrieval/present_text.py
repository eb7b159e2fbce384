"""Updating hits to the present text of their files.

Only files with a modification time after the begin of the index run are read and compared;
``edited_file`` finds the passages again in those that differ.
"""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.clock import SystemClock
from gitmem.git.mtimes import newest_change_times
from gitmem.indexing import index_state
from gitmem.model.frozen import dataclass
from gitmem.retrieval.hit_view import HitItem
from gitmem.store.code import chunks
from gitmem.store.code.indexed_files import WorktreeIndexState

# The resolution of time stamps on some file systems.
SLACK_MS = 2_000


@dataclass(frozen=True, slots=True)
class CurrentHits:
    """Hits (``items``) at their present lines, None for those whose passage is gone.

    ``edited`` counts the files that differ from the index.
    """

    items: tuple[HitItem | None, ...]
    edited: int = 0

    @property
    def lost_hit_count(self) -> int:
        """The number of passages that no longer exist."""
        return self.items.count(None)


def update_hits_from_files(
    app: App,
    worktree_state: WorktreeIndexState | None,
    items: Sequence[HitItem],
    *,
    timestamp_resolution_ms: int = SLACK_MS,
) -> CurrentHits:
    """Hits, updated from files that changed since they were indexed, as CurrentHits.

    ``worktree_state`` is the state of the index before the search; ``timestamp_resolution_ms`` is
    the resolution of time stamps in milliseconds.
    """
    if app.layout.worktree is None:
        return CurrentHits(tuple(items))
    paths = {item.path for item in items if item.kind in ("code", "note")}
    if not paths:
        return CurrentHits(tuple(items))
    times = newest_change_times(app.worktree, paths)
    began, now = index_state.index_run_started_ms(worktree_state), SystemClock().now()
    touched = [
        path
        for path in paths
        if not changed_before_index_run(times.get(path), began - timestamp_resolution_ms, now)
    ]
    doubtful = dict(
        content for content in (_read(app, path) for path in touched) if content is not None
    )
    if not doubtful:
        return CurrentHits(tuple(items))
    # Imported here: comparing and redacting files is for those who edit.
    from gitmem.retrieval import edited_file  # noqa: PLC0415

    return CurrentHits(*edited_file.relocate_hits(app, items, doubtful))


def changed_before_index_run(file_changed_ms: int | None, run_started_ms: int, now_ms: int) -> bool:
    """Whether a file was last changed before the index run that began at ``run_started_ms``.

    Times are milliseconds since 1970; ``file_changed_ms`` is None where the time is unknown. False
    if it is, or if the clock was set back.
    """
    return file_changed_ms is not None and file_changed_ms < run_started_ms <= now_ms


def _read(app: App, path: str) -> tuple[str, bytes | None] | None:
    """A file's path and content (None where it has none); nothing if that is what is indexed."""
    # Imported here: most files were not touched.
    from gitmem.git.listing import content_has_blob_id, read_worktree_file  # noqa: PLC0415
    from gitmem.indexing.file_filter import LARGEST_EVER  # noqa: PLC0415

    shown = chunks.blob_row_number_and_id(app.store, app.worktree, path)
    data = read_worktree_file(app.worktree, path, LARGEST_EVER)
    known = shown is not None and data is not None and content_has_blob_id(data, shown[1])
    return None if known else (path, data)
