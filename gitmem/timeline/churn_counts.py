"""How often files change, how many people change them, and which change together. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from math import log2

from gitmem.model.frozen import dataclass
from gitmem.timeline.co_change import MIN_COMMON_COMMITS, SWEEPING

HALF = 0.5  # of the commits, for the bus factor


@dataclass(frozen=True, slots=True)
class Hotspot:
    """A file that changes often and is large: its commits, its lines, and a score from 0 to 1."""

    path: str
    commits: int
    lines: int
    score: float


@dataclass(frozen=True, slots=True)
class CoChangedFiles:
    """Two files that changed in the same commits, and how many these are.

    ``support`` is their share of all commits, ``confidence`` their share of the commits of the file
    that changed less (both 0 to 1), ``lift`` how many times more often they changed together than
    independent files would.
    """

    first: str
    second: str
    commits: int
    support: float
    confidence: float
    lift: float


def find_hotspots(
    paths_by_commit: Iterable[Sequence[str]], line_counts: Mapping[str, int], limit: int
) -> list[Hotspot]:
    """At most ``limit`` files as Hotspots, the highest score first.

    ``line_counts`` maps the files that count to their lines. The score is commits times the
    logarithm of the lines, divided by the largest.
    """
    counts = Counter(
        path for paths in paths_by_commit for path in set(paths) if path in line_counts
    )
    raw = {path: count * log2(2 + line_counts[path]) for path, count in counts.items()}
    top = max(raw.values(), default=0.0) or 1.0
    ranked = sorted(raw, key=lambda path: (-raw[path], path))
    return [
        Hotspot(path, counts[path], line_counts[path], round(raw[path] / top, 3))
        for path in ranked[:limit]
    ]


def bus_factor(authors: Iterable[str]) -> int:
    """The smallest number of authors who made more than half of the commits; 0 without any."""
    counts = sorted(Counter(authors).values(), reverse=True)
    whole, reached = sum(counts), 0
    for number, count in enumerate(counts, 1):
        reached += count
        if reached > HALF * whole:
            return number
    return 0


def find_co_changed_files(
    paths_by_commit: Iterable[Sequence[str]],
    limit: int,
    selected_paths: Collection[str],
    min_commits: int = MIN_COMMON_COMMITS,
) -> list[CoChangedFiles]:
    """At most ``limit`` CoChangedFiles, the strongest first; one file is in ``selected_paths``.

    ``min_commits`` is the least number of common commits. Those of over 30 files do not count.
    """
    single: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    total = 0
    for paths in paths_by_commit:
        total += 1
        unique_paths = sorted(set(paths))
        single.update(unique_paths)
        if len(unique_paths) <= SWEEPING:
            both.update(
                pair
                for pair in combinations(unique_paths, 2)
                if pair[0] in selected_paths or pair[1] in selected_paths
            )
    candidates = [
        CoChangedFiles(
            first,
            second,
            count,
            round(count / total, 4),
            round(count / min(single[first], single[second]), 2),
            round(count * total / (single[first] * single[second]), 2),
        )
        for (first, second), count in both.items()
        if count >= min_commits
    ]
    # Both often and more often than by chance: either alone may be an accident or trivial.
    candidates.sort(
        key=lambda pair: (-pair.commits * log2(max(pair.lift, 1.0)), pair.first, pair.second)
    )
    return [pair for pair in candidates if pair.lift > 1.0][:limit]
