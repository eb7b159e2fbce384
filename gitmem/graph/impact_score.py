"""Which files a change concerns: those that depend on it and those that changed with it before."""

from __future__ import annotations

from collections.abc import Mapping

from gitmem.model.frozen import dataclass

# A dependant two steps away counts half as much as one that is one step away.
DECAY = 0.5
# What a dependence adds to the share of commits in which both changed (`tests.bench.graph.impact`).
DEPENDENCE = 0.3


@dataclass(frozen=True, slots=True)
class Reach:
    """How a file depends on something: in how many steps, and how sure that is."""

    depth: int
    confidence: float


def ranked(reached: Mapping[str, Reach], together: Mapping[str, float]) -> list[tuple[str, float]]:
    """Files with a score from 0 to 1, the highest first.

    ``together`` has the part of the commits that changed the target in which a file changed too.
    """
    scores: dict[str, float] = dict(together)
    for path, reach in reached.items():
        near = reach.confidence * DECAY ** (reach.depth - 1)
        scores[path] = scores.get(path, 0.0) + DEPENDENCE * near
    most = 1.0 + DEPENDENCE
    found = [(path, round(score / most, 3)) for path, score in scores.items()]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))
