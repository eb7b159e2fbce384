"""The files that the latest commits changed most, with the memories that cite them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.indexing import index_state
from gitmem.model.frozen import dataclass
from gitmem.store.code import commits
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, memories
from gitmem.text.fence import one_line

# Commits counted, files listed, memories for each file.
COMMITS, FILES, MEMORIES = 200, 20, 5
# A commit that touches more than this is a clean-up, a vendored copy or a rename of everything.
SWEEPING = 100
_WIDTH = 120


@dataclass(frozen=True, slots=True)
class FileChangeCount:
    """A path, how many commits changed it, and the time of the last one (ms since 1970)."""

    path: str
    commits: int
    last: int


def count_changes_by_file(
    times_and_paths: Iterable[tuple[int, Sequence[str]]],
) -> list[FileChangeCount]:
    """Return for each path how many commits changed it, the most changed first.

    ``times_and_paths`` has for each commit its time (milliseconds since 1970) and paths; commits
    with more than ``SWEEPING`` (100) paths are not counted.
    """
    counts: Counter[str] = Counter()
    last: dict[str, int] = {}
    for at, paths in times_and_paths:
        if len(paths) > SWEEPING:
            continue
        counts.update(paths)
        for path in paths:
            last[path] = max(at, last.get(path, 0))
    changed = [FileChangeCount(path, count, last[path]) for path, count in counts.items()]
    return sorted(changed, key=lambda file: (-file.commits, -file.last, file.path))


def hotspots_resource(app: App) -> dict[str, object]:
    """Return the MCP resource ``hotspots``: the most changed files, or a note if there are none."""
    store = app.store
    log = [
        (at, paths)
        for _, at, paths in commits.newest_commit_times_and_changed_paths(store, COMMITS)
    ]
    if not log:
        note = "No commits are indexed yet; `gitmem index` indexes them."
        return {"commits": 0, "index": index_state.index_state(app), "files": [], "note": note}
    existing = (file for file in count_changes_by_file(log) if _is_there(app, file.path))
    files = [
        {
            "path": file.path,
            "commits": file.commits,
            "last": format_iso(file.last),
            "memories": _memories_citing(store, file.path),
        }
        for file, _ in zip(existing, range(FILES), strict=False)
    ]
    return {"commits": len(log), "index": index_state.index_state(app), "files": files, "note": ""}


def _is_there(app: App, path: str) -> bool:
    tree = app.layout.worktree
    return tree is None or os.path.lexists(os.path.join(tree, path))


def _memories_citing(store: Database, path: str) -> list[dict[str, str]]:
    """The last active or proposed memories that cite a path; none of unconfirmed foreign origin."""
    ids = dict.fromkeys(id for id, _ in anchors.anchors_at_paths(store, [path]))
    citing = (memories.get_undamaged_memory(store, id) for id in ids)
    items = [
        {"id": memory.id, "kind": memory.kind, "title": one_line(memory.headline, _WIDTH)}
        for memory in citing
        if memory is not None
        and memory.state in ("active", "proposed")
        and not memory.is_unaccepted_proposal
        and memory.trust_tier != "foreign"
    ]
    return items[-MEMORIES:]
