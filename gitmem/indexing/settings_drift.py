"""Settings that changed since the index was made: which, and what the next run does about it."""

from collections import Counter

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.indexing import refresh, text_vectors
from gitmem.store.code import commits, indexed_files, vectors
from gitmem.store.db import projects

_NOTE = "note/"


def changed(app: App) -> list[str]:
    """A sentence for each setting that differs from what this worktree's index was made with."""
    return [*_cutters(app), *_commits(app), *_model(app)]


def _cutters(app: App) -> list[str]:
    knobs = refresh.knobs(app)
    old: Counter[str] = Counter()
    for path, (_, cutter) in indexed_files.indexed(app.store, app.worktree).items():
        if cutter != knobs.cutter(path):
            old[_size(cutter)] += 1
    now = f"now {knobs.words}/{knobs.overlap}"
    return [
        f"index.words/index.overlap: {count} notes were split at {size}, {now}"
        if size
        else f"{count} files were split by an earlier version of gitmem"
        for size, count in sorted(old.items())
    ]


def _size(cutter: str) -> str:
    """``500/50`` of a note's cutter; empty for code, whose way of cutting nobody can set."""
    return "/".join(cutter.split("/")[2:4]) if cutter.startswith(_NOTE) else ""


def _commits(app: App) -> list[str]:
    basis = projects.meta(app.store, refresh.BASIS)
    most = app.settings.number("index.commits")
    made = basis.split(" ")[0] if basis else ""
    if made and made != str(most):
        return [f"index.commits: the history was read with {made}, now {most}"]
    total = commits.count(app.store)
    return [f"index.commits: {total} commits are indexed, {most} wanted"] if total > most else []


def _model(app: App) -> list[str]:
    made = projects.meta(app.store, refresh.EMBEDDED)
    try:
        now = text_vectors.name(app)
    except GitmemError:
        return []  # said by the check of the vectors
    if not made or made == now or not vectors.count_missing(app.store, now, ("chunk", "commit")):
        return []
    return [f"model: the index was built with {made}, now {now}"]
