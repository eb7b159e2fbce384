"""Settings that changed since the index was made."""

from collections import Counter

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.indexing import chunkers, refresh, text_vectors
from gitmem.store.code import commits, indexed_files, size_limit, vectors
from gitmem.store.db import projects

_NOTE = "note/"


def changed_settings(app: App) -> list[str]:
    """A sentence for each changed setting, which says what the next index run will do."""
    return [*_cutters(app), *_limits(app), *_commits(app), *_model(app)]


def _cutters(app: App) -> list[str]:
    knobs = refresh.index_settings(app)
    old: Counter[str] = Counter()
    lines: Counter[tuple[int, int]] = Counter()
    for path, (_, cutter) in indexed_files.indexed_paths(app.store, app.worktree).items():
        now = knobs.cutter(path)
        if cutter != now and chunkers.line_sizes(cutter) != chunkers.line_sizes(now):
            lines[chunkers.line_sizes(cutter)] += 1
        elif cutter != now:
            old[_size(cutter)] += 1
    notes, code = f"{knobs.words}/{knobs.overlap}", (knobs.lines, knobs.line_overlap)
    reasons = [
        f"index.words/index.overlap: {count} notes were split at {size}, now {notes}"
        if size
        else f"{count} files were split by an earlier version of gitmem"
        for size, count in sorted(old.items())
    ]
    return reasons + [
        f"index.lines/index.line_overlap: {lines[size]} files were split at {size[0]}/{size[1]}, "
        f"now {code[0]}/{code[1]}"
        for size in sorted(lines)
    ]


def _limits(app: App) -> list[str]:
    """Files that are indexed and no longer would be, and vice versa."""
    knobs = refresh.index_settings(app)
    paths = indexed_files.indexed_paths(app.store, app.worktree)
    shown = set(paths.values())
    excluded = sum(knobs.refuse(path).startswith("index.") for path in paths)
    resized = sum(entry in shown for entry in size_limit.misjudged_blobs(app.store, knobs.largest))
    counts = (
        ("index.exclude" if knobs.enabled else "index.enabled", excluded, "left out now"),
        ("index.max_file_bytes", resized, "judged anew by the limit of now"),
        ("index.max_files", max(len(paths) - knobs.most_files, 0), "more than wanted"),
    )
    return [f"{key}: {n} indexed files are {what}" for key, n, what in counts if n]


def _size(cutter: str) -> str:
    """``500/50`` of a note's cutter; empty for code."""
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
        return []  # reported by the check of the vectors
    if not made or made == now or not vectors.count_missing(app.store, now, ("chunk", "commit")):
        return []
    return [f"model: the index was built with {made}, now {now}"]
