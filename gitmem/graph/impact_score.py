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
class FileDependencyLink:
    """How a file is linked to the file that changes: ``depth`` is the number of steps between them.

    ``confidence`` is from 0 to 1, ``edges`` the number of imports and calls if it is one step away.
    """

    depth: int
    confidence: float
    edges: int = 1


def rank_affected_files(
    dependants: Mapping[str, FileDependencyLink],
    dependencies: Mapping[str, FileDependencyLink],
    co_change_strengths: Mapping[str, float],
) -> list[tuple[str, float]]:
    """(path, score from 0 to 1) of each file that a change of a file affects, the highest first.

    ``dependants`` are the files that use the changed file, ``dependencies`` those that it uses;
    ``co_change_strengths`` says how strongly a file changed with it
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
