"""The files that the latest commits changed most, with what is remembered about them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence

from gitmem.app import App
from gitmem.clock import iso
from gitmem.indexing import index_state
from gitmem.model.frozen import dataclass
from gitmem.store.code import commits
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, memories
from gitmem.text.fence import one_line

# Commits that are looked at, and how many files are told with how many memories each.
COMMITS, FILES, MEMORIES = 200, 20, 5
# A commit that touches more than this is a clean-up, a vendored copy or a rename of everything.
SWEEPING = 100
_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Changed:
    """A path, how many commits changed it, and the time of the last one in milliseconds."""

    path: str
    commits: int
    last: int


def most_changed(log: Iterable[tuple[int, Sequence[str]]]) -> list[Changed]:
    """Paths by how many commits changed them, then by who was changed last.

    ``log`` holds the time of each commit in milliseconds and its paths; sweeping ones do not count.
    """
    counts: Counter[str] = Counter()
    last: dict[str, int] = {}
    for at, paths in log:
        if len(paths) > SWEEPING:
            continue
        counts.update(paths)
        for path in paths:
            last[path] = max(at, last.get(path, 0))
    found = [Changed(path, count, last[path]) for path, count in counts.items()]
    return sorted(found, key=lambda one: (-one.commits, -one.last, one.path))


def hotspots(app: App) -> dict[str, object]:
    """The resource: files that are still there, or why there are none."""
    store = app.store
    log = [(at, paths) for _, at, paths in commits.latest(store, COMMITS)]
    if not log:
        note = "No commits are indexed yet; `gitmem index` indexes them."
        return {"commits": 0, "index": index_state.state(app), "files": [], "note": note}
    there = (one for one in most_changed(log) if _is_there(app, one.path))
    files = [
        {
            "path": one.path,
            "commits": one.commits,
            "last": iso(one.last),
            "memories": _about(store, one.path),
        }
        for one, _ in zip(there, range(FILES), strict=False)
    ]
    return {"commits": len(log), "index": index_state.state(app), "files": files, "note": ""}


def _is_there(app: App, path: str) -> bool:
    tree = app.layout.worktree
    return tree is None or os.path.lexists(os.path.join(tree, path))


def _about(store: Database, path: str) -> list[dict[str, str]]:
    """What is in use and somebody here vouches for."""
    ids = dict.fromkeys(id for id, _ in anchors.citing(store, [path]))
    found = (memories.usable(store, id) for id in ids)
    told = [
        {"id": one.id, "kind": one.kind, "title": one_line(one.headline, _WIDTH)}
        for one in found
        if one is not None and one.state in ("active", "proposed") and one.tier != "foreign"
    ]
    return told[-MEMORIES:]
