"""Ranking the files that a change affects: neighbours in the code, files changed with it."""

from __future__ import annotations

from collections.abc import Mapping
from math import log1p

from gitmem.model.frozen import dataclass

# What a neighbour counts, in commits of the two files alone (`tests.bench.graph.impact`).
NEIGHBOUR = 0.4
# What is farther away comes after all that changed together: it is used by what is used.
DECAY = 0.01


@dataclass(frozen=True, slots=True)
class FileLinks:
    """How a file is linked to the file that changes, directly or over others.

    ``depth`` is the number of steps, ``confidence`` is from 0 to 1, ``edges`` the number of edges
    if it is one step away.
    """

    depth: int
    confidence: float
    edges: int = 1


def rank_affected_files(
    dependants: Mapping[str, FileLinks],
    dependencies: Mapping[str, FileLinks],
    co_change_strengths: Mapping[str, float],
) -> list[tuple[str, float]]:
    """The files that a change affects with a score from 0 to 1, the highest first.

    ``dependants`` depend on the changed file, ``dependencies`` is what it depends on itself;
    ``co_change_strengths`` has how strongly a file changed with it
    (`timeline.co_change.strengths`), in commits.
    """
    scores: dict[str, float] = dict(co_change_strengths)
    for side in (dependants, dependencies):
        most = log1p(max((reach.edges for reach in side.values() if reach.depth == 1), default=1))
        for path, reach in side.items():
            near = log1p(reach.edges) / most if reach.depth == 1 else DECAY ** (reach.depth - 1)
            scores[path] = scores.get(path, 0.0) + NEIGHBOUR * reach.confidence * min(near, 1.0)
    found = [(path, round(score / (score + 1.0), 3)) for path, score in scores.items()]
    return sorted(found, key=lambda pair: (-scores[pair[0]], pair[0]))
