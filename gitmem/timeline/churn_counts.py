"""How often files change, who changes them, and which change together: pure, from commits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from math import log2

from gitmem.model.frozen import dataclass
from gitmem.timeline.co_change import LEAST, SWEEPING

HALF = 0.5  # of the commits: who leaves with them leaves the code to nobody who knows it


@dataclass(frozen=True, slots=True)
class Hotspot:
    """A file, in how many commits it changed, how many lines it has, and a score from 0 to 1."""

    path: str
    commits: int
    lines: int
    score: float


@dataclass(frozen=True, slots=True)
class Pair:
    """Two files that changed in the same commits.

    ``commits`` counts these, ``support`` is their part of all commits, ``confidence`` their part of
    those of the file that changed less, ``lift`` how many times more often they changed together
    than two files that have nothing to do with each other would.
    """

    first: str
    second: str
    commits: int
    support: float
    confidence: float
    lift: float


def hotspots(
    changes: Iterable[Sequence[str]], lines: Mapping[str, int], limit: int
) -> list[Hotspot]:
    """The files that change often and are large, as far as their lines are known.

    The score is the number of commits times the logarithm of the lines, as part of the largest:
    twice the commits count twice, twice the lines a little.
    """
    counts = Counter(path for paths in changes for path in set(paths) if path in lines)
    raw = {path: count * log2(2 + lines[path]) for path, count in counts.items()}
    top = max(raw.values(), default=0.0) or 1.0
    ranked = sorted(raw, key=lambda path: (-raw[path], path))
    return [
        Hotspot(path, counts[path], lines[path], round(raw[path] / top, 3))
        for path in ranked[:limit]
    ]


def bus_factor(authors: Iterable[str]) -> int:
    """How few people made more than half of some commits, given by their authors; 0 of none."""
    counts = sorted(Counter(authors).values(), reverse=True)
    whole, reached = sum(counts), 0
    for number, count in enumerate(counts, 1):
        reached += count
        if reached > HALF * whole:
            return number
    return 0


def pairs(
    changes: Iterable[Sequence[str]],
    limit: int,
    among: Collection[str],
    least: int = LEAST,
) -> list[Pair]:
    """Pairs with one of ``among``, those that say most first; sweeping commits do not count."""
    single: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    total = 0
    for paths in changes:
        total += 1
        some = sorted(set(paths))
        single.update(some)
        if len(some) <= SWEEPING:
            both.update(
                pair for pair in combinations(some, 2) if pair[0] in among or pair[1] in among
            )
    found = [
        Pair(
            first,
            second,
            count,
            round(count / total, 4),
            round(count / min(single[first], single[second]), 2),
            round(count * total / (single[first] * single[second]), 2),
        )
        for (first, second), count in both.items()
        if count >= least
    ]
    # Often, and more often than by chance: either alone is an accident or a matter of course.
    found.sort(key=lambda one: (-one.commits * log2(max(one.lift, 1.0)), one.first, one.second))
    return [one for one in found if one.lift > 1.0][:limit]
