"""Hits in files as they are now: who edited a file since the index sees the file, not the index.

A stat tells which files were not touched since the index run began; only others are read, and what
they hold decides: a touched file is as it was. ``edited_file`` finds the passages in the rest.
"""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.clock import SystemClock
from gitmem.git.mtimes import changed
from gitmem.indexing import index_state
from gitmem.model.frozen import dataclass
from gitmem.retrieval.hit_view import HitItem
from gitmem.store.code import chunks
from gitmem.store.code.indexed_files import TreeState

# A file that changed so shortly before a run may have been read before it did: time stamps of some
# file systems are that coarse.
SLACK_MS = 2_000


@dataclass(frozen=True, slots=True)
class Present:
    """Hits with their present lines, None for a passage that is no longer there.

    ``edited`` counts files that were read since they are not as they were indexed.
    """

    items: tuple[HitItem | None, ...]
    edited: int = 0

    @property
    def lost(self) -> int:
        """How many passages are no longer there."""
        return self.items.count(None)


def present(
    app: App, known: TreeState | None, items: Sequence[HitItem], *, slack_ms: int = SLACK_MS
) -> Present:
    """The hits as their files are now.

    ``known`` is how far the worktree was indexed before it was searched: a run that ended
    meanwhile read another text than was found. ``slack_ms``: how coarse time stamps may be.
    """
    if app.layout.worktree is None:
        return Present(tuple(items))
    paths = {item.path for item in items if item.kind in ("code", "note")}
    if not paths:
        return Present(tuple(items))
    times = changed(app.worktree, paths)
    began, now = index_state.began(known), SystemClock().now()
    touched = [path for path in paths if not untouched(times.get(path), began - slack_ms, now)]
    doubtful = dict(
        content for content in (_read(app, path) for path in touched) if content is not None
    )
    if not doubtful:
        return Present(tuple(items))
    # Imported here: comparing and redacting files is for those who edit.
    from gitmem.retrieval import edited_file  # noqa: PLC0415

    return Present(*edited_file.reread(app, items, doubtful))


def untouched(changed: int | None, began: int, now: int) -> bool:
    """Whether what changed then is what a run read that began later. Pure; milliseconds.

    A clock that was set back proves nothing.
    """
    return changed is not None and changed < began <= now


def _read(app: App, path: str) -> tuple[str, bytes | None] | None:
    """A file's path and content (None where it has none); nothing if that is what is indexed."""
    # Imported here: most files were not touched.
    from gitmem.git.listing import is_blob, read_file  # noqa: PLC0415
    from gitmem.indexing.file_filter import LARGEST_EVER  # noqa: PLC0415

    shown = chunks.blob_of(app.store, app.worktree, path)
    data = read_file(app.worktree, path, LARGEST_EVER)
    known = shown is not None and data is not None and is_blob(data, shown[1])
    return None if known else (path, data)
