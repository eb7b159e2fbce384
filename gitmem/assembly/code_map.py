"""What is known of each indexed file, for the code map: lines, memories, commits, owner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from gitmem.app import App
from gitmem.charts.treemap import FileFacts
from gitmem.clock import DAY
from gitmem.model.anchor import STALE
from gitmem.store.code import commits, indexed_files
from gitmem.store.code.commits import IndexedCommit
from gitmem.store.memory import anchors
from gitmem.timeline.co_change import SWEEPING

# Commits read for owners, and the days in which they count as changes lately.
COMMITS, DAYS = 3000, 365


def gather_map_files(app: App, folder: str = "") -> list[FileFacts]:
    """Return facts on each indexed file below ``folder``, in order of path, for a map of the code.

    They are its lines, memories that cite it, commits of the last year and main author.
    """
    log = commits.commits_in_period(app.store, path=folder, limit=COMMITS)
    owners, changes = owners_and_change_counts(log, app.now - DAYS * DAY)
    cited = anchors.citation_counts_by_path(app.store, app.worktree)
    files = []
    for path, _, lines, _ in indexed_files.file_sizes(app.store, app.worktree, folder):
        words = cited.get(path)
        counts = _counts(words) if words else (0, 0, 0)
        owner = owners.get(path, "")
        files.append(FileFacts(path, lines, *counts, changes.get(path, 0), owner))
    return files


def _counts(words: Mapping[str, int]) -> tuple[int, int, int]:
    """The memories that cite a file, those that may be wrong, and those without a verdict."""
    return words["all"], sum(words.get(word, 0) for word in STALE), words.get("unknown", 0)


def owners_and_change_counts(
    commits: Sequence[IndexedCommit], since_ms: int
) -> tuple[dict[str, str], Counter[str]]:
    """Return two mappings by path: who made most of its commits; its commits since ``since_ms``.

    ``commits`` is newest first; those with more than ``SWEEPING`` files do not count. Among equals
    the latest author wins. ``since_ms`` is in milliseconds since 1970.
    """
    authors: dict[str, Counter[str]] = {}
    changes: Counter[str] = Counter()
    for commit in commits:
        if len(commit.paths) > SWEEPING:
            continue
        for path in commit.paths:
            authors.setdefault(path, Counter())[commit.author] += 1
        if commit.at >= since_ms:
            changes.update(commit.paths)
    # ``most_common`` keeps the order of equals: the newest commit was counted first.
    return {path: names.most_common(1)[0][0] for path, names in authors.items()}, changes


def top_files_by_metric(files: Iterable[FileFacts], metric: str, limit: int) -> list[FileFacts]:
    """Return the ``limit`` files with the highest value of ``metric``.

    ``metric`` is stale (memories whose code changed), hot (commits) or remembered (memories).
    """
    return sorted(files, key=lambda file: (*_interest(file, metric), -file.lines, file.path))[
        :limit
    ]


def _interest(file: FileFacts, by: str) -> tuple[int, ...]:
    if by == "stale":
        return -file.stale, -file.unchecked, -file.memories
    if by == "hot":
        return (-file.commits,)
    return (-file.memories,) if by == "remembered" else ()
