"""Files that the same commits change, and who made them: pure, from commits to counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations

from gitmem.clock import iso
from gitmem.model.frozen import dataclass
from gitmem.text import identifiers

# A commit that touches more than this is a clean-up, a vendored copy or a rename of everything.
SWEEPING = 30
# How often two files must have changed together to be told so.
LEAST = 2
# What a commit still says when another came after it (`tests.bench.graph.impact`).
FADING = 0.95


@dataclass(frozen=True, slots=True)
class Together:
    """A file, in how many commits it changed with another, and in which part of that one's."""

    path: str
    commits: int
    share: float


@dataclass(frozen=True, slots=True)
class Owner:
    """An author, how many of the commits are theirs, which part, and when the last (ISO 8601)."""

    name: str
    commits: int
    share: float
    last: str


def together(path: str, changes: Iterable[Sequence[str]], limit: int) -> list[Together]:
    """The files that most often changed with one, from the paths of its commits."""
    counts: Counter[str] = Counter()
    own = 0
    for paths in changes:
        if len(paths) <= SWEEPING and path in paths:
            own += 1
            counts.update(set(paths) - {path})
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [
        Together(other, count, round(count / own, 2))
        for other, count in ranked[:limit]
        if count >= LEAST
    ]


def strengths(path: str, changes: Iterable[Sequence[str]]) -> dict[str, float]:
    """How strongly others changed with a file, from the paths of its commits, the newest first.

    Of two files alone the newest commit counts one; less where it changed more files, and where it
    is older. One common commit is enough.
    """
    found: dict[str, float] = {}
    weight = 1.0
    for paths in changes:
        if len(paths) <= SWEEPING and path in paths:
            for other in paths:
                if other != path:
                    found[other] = found.get(other, 0.0) + weight / (len(paths) - 1)
            weight *= FADING
    return found


def likely(path: str, changes: Sequence[Sequence[str]]) -> dict[str, float]:
    """How likely others change with a file, 0 to 1, from the paths of its commits, newest first.

    In the order of ``strengths``; the first has the part of the file's commits that changed it too.
    """
    found = strengths(path, changes)
    if not found:
        return {}
    first = min(found, key=lambda other: (-found[other], other))
    own = [paths for paths in changes if len(paths) <= SWEEPING and path in paths]
    share = sum(first in paths for paths in own) / len(own)
    return {other: share * value / found[first] for other, value in found.items()}


def owners(log: Iterable[tuple[str, int]], limit: int) -> list[Owner]:
    """Those who made most of some commits, given as (author, milliseconds)."""
    counts: Counter[str] = Counter()
    last: dict[str, int] = {}
    for author, at in log:
        counts[author] += 1
        last[author] = max(at, last.get(author, 0))
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], -last[pair[0]], pair[0]))
    whole = sum(counts.values()) or 1
    return [
        Owner(name, count, round(count / whole, 2), iso(last[name]))
        for name, count in ranked[:limit]
    ]


@dataclass(frozen=True, slots=True)
class Bound:
    """Two files of which the first hardly ever changes alone: ``both`` of its ``commits``."""

    path: str
    other: str
    commits: int
    both: int


def bound(
    changes: Iterable[Sequence[str]], *, least: int, share: float, novelty: float
) -> list[Bound]:
    """The pairs that changed together ``least`` times and in that share of the first's commits.

    The surest first, no file twice. ``novelty`` is how much the names of two files must differ, 0
    to 1: that ``cart.py`` changes with ``test_cart.py`` is no news.
    """
    alone: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    for paths in changes:
        if len(paths) <= SWEEPING:
            alone.update(paths)
            both.update(permutations(paths, 2))
    found = [
        Bound(one, other, alone[one], count)
        for (one, other), count in both.items()
        if count >= least and count / alone[one] >= share and _novelty(one, other) >= novelty
    ]
    found.sort(key=lambda pair: (-pair.both / pair.commits, -pair.both, pair.path, pair.other))
    taken: set[str] = set()
    chosen = []
    for pair in found:
        if not taken & {pair.path, pair.other}:
            taken |= {pair.path, pair.other}
            chosen.append(pair)
    return chosen


def _novelty(one: str, other: str) -> float:
    first, second = (set(identifiers.split(_stem(path))) for path in (one, other))
    return 1 - len(first & second) / max(min(len(first), len(second)), 1)


def _stem(path: str) -> str:
    """The name of a file without its folder and its last ending."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name
