"""Files that the same commits change, and who made them: pure, from commits to counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from gitmem.model.frozen import dataclass

# A commit that touches more than this is a clean-up, a vendored copy or a rename of everything.
SWEEPING = 30
# How often two files must have changed together to be told so.
LEAST = 2


@dataclass(frozen=True, slots=True)
class Together:
    """A file, in how many commits it changed with another, and in which part of that one's."""

    path: str
    commits: int
    share: float


@dataclass(frozen=True, slots=True)
class Owner:
    """An author, how many of the commits are theirs, which part, and when the last (ms)."""

    name: str
    commits: int
    share: float
    last: int


def together(
    path: str, changes: Iterable[Sequence[str]], limit: int, least: int = LEAST
) -> list[Together]:
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
        if count >= least
    ]


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
        Owner(name, count, round(count / whole, 2), last[name]) for name, count in ranked[:limit]
    ]
