"""Files that the same commits change, and the authors of these commits. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations
from posixpath import basename, splitext

from gitmem.clock import format_iso
from gitmem.model.frozen import dataclass
from gitmem.text import identifiers

# A commit with more files is a clean-up, a vendored copy or a large rename.
SWEEPING = 30
# The least number of common commits.
MIN_COMMON_COMMITS = 2
# The factor on a commit's weight for each later commit (`tests.bench.graph.impact`).
FADING = 0.95


@dataclass(frozen=True, slots=True)
class CoChangedFile:
    """Another file that changed with a file: in how many commits, and in what share of them.

    ``share`` (0 to 1) is the share of the first file's commits.
    """

    path: str
    commits: int
    share: float


@dataclass(frozen=True, slots=True)
class FileOwner:
    """An author of commits to a file: their number, share (0 to 1), and last time (ISO 8601)."""

    name: str
    commits: int
    share: float
    last: str


def files_changed_together(
    path: str, paths_by_commit: Iterable[Sequence[str]], limit: int
) -> list[CoChangedFile]:
    """At most ``limit`` CoChangedFiles for a file, the most common commits first, at least two.

    ``paths_by_commit`` are the paths that each commit changed.
    """
    counts: Counter[str] = Counter()
    own = 0
    for paths in paths_by_commit:
        if len(paths) <= SWEEPING and path in paths:
            own += 1
            counts.update(set(paths) - {path})
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [
        CoChangedFile(other, count, round(count / own, 2))
        for other, count in ranked[:limit]
        if count >= MIN_COMMON_COMMITS
    ]


def co_change_strengths(path: str, paths_by_commit: Iterable[Sequence[str]]) -> dict[str, float]:
    """{path: strength} for each other file that changed with a file, from one common commit on.

    ``paths_by_commit`` are the paths of each commit, the newest first. A commit adds 1 if it
    changed only the two files, less if it changed more or is older.
    """
    totals: dict[str, float] = {}
    weight = 1.0
    for paths in paths_by_commit:
        if len(paths) <= SWEEPING and path in paths:
            for other in paths:
                if other != path:
                    totals[other] = totals.get(other, 0.0) + weight / (len(paths) - 1)
            weight *= FADING
    return totals


def co_change_likelihoods(path: str, paths_by_commit: Sequence[Sequence[str]]) -> dict[str, float]:
    """{path: likelihood, 0 to 1} that other files change when ``path`` changes, from past commits.

    ``paths_by_commit`` are the paths of each commit, the newest first. The numbers are proportional
    to ``co_change_strengths``; the greatest is that file's share of the commits of ``path``.
    """
    weights = co_change_strengths(path, paths_by_commit)
    if not weights:
        return {}
    first = min(weights, key=lambda other: (-weights[other], other))
    own = [paths for paths in paths_by_commit if len(paths) <= SWEEPING and path in paths]
    share = sum(first in paths for paths in own) / len(own)
    return {other: share * value / weights[first] for other, value in weights.items()}


def rank_file_owners(authors_and_times: Iterable[tuple[str, int]], limit: int) -> list[FileOwner]:
    """At most ``limit`` FileOwners, most commits first, from (author, ms since 1970) of commits."""
    counts: Counter[str] = Counter()
    last: dict[str, int] = {}
    for author, at in authors_and_times:
        counts[author] += 1
        last[author] = max(at, last.get(author, 0))
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], -last[pair[0]], pair[0]))
    whole = sum(counts.values()) or 1
    return [
        FileOwner(name, count, round(count / whole, 2), format_iso(last[name]))
        for name, count in ranked[:limit]
    ]


@dataclass(frozen=True, slots=True)
class DependentFilePair:
    """A file that hardly ever changes without another one.

    ``commits`` counts the commits that changed the file, ``both`` those that changed the other too.
    """

    path: str
    other: str
    commits: int
    both: int


def find_dependent_file_pairs(
    paths_by_commit: Iterable[Sequence[str]],
    *,
    min_commits: int,
    min_fraction: float,
    min_name_difference: float,
) -> list[DependentFilePair]:
    """DependentFilePairs of which the first file hardly changes without the second, surest first.

    They changed together at least ``min_commits`` times, and in at least the fraction
    ``min_fraction`` (0 to 1) of the first file's commits. No file is in two pairs.
    ``min_name_difference`` is the fraction of the words of a file name that the other lacks:
    ``cart.py`` and ``test_cart.py`` have 0.
    """
    alone: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    for paths in paths_by_commit:
        if len(paths) <= SWEEPING:
            alone.update(paths)
            both.update(permutations(paths, 2))
    candidates = [
        DependentFilePair(first, other, alone[first], count)
        for (first, other), count in both.items()
        if count >= min_commits
        and count / alone[first] >= min_fraction
        and _novelty(first, other) >= min_name_difference
    ]
    candidates.sort(key=lambda pair: (-pair.both / pair.commits, -pair.both, pair.path, pair.other))
    used_paths: set[str] = set()
    chosen = []
    for pair in candidates:
        if not used_paths & {pair.path, pair.other}:
            used_paths |= {pair.path, pair.other}
            chosen.append(pair)
    return chosen


def _novelty(left: str, other: str) -> float:
    names = (splitext(basename(path))[0] for path in (left, other))
    first, second = (set(identifiers.split_identifiers(name)) for name in names)
    return 1 - len(first & second) / max(min(len(first), len(second)), 1)
