"""Commits that name the issue of a commit that answers answer too. Pure.

A change is often made in several commits, and only one of them says what it is about. On changelog
entries asked of commits this is worth 0.12 of NDCG@10 (python -m tests.bench.memory).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

# The best by words, whose issues are followed.
FIRST = 20
# An issue that more commits name is no one change: a release, a meeting.
MOST = 20
# How near to the best commit of their issue the others come; they keep their own order.
NEARNESS = 0.9


def first(scores: Mapping[int, float]) -> list[int]:
    """The commits whose issues are followed."""
    return sorted(scores, key=lambda number: (-scores[number], number))[:FIRST]


def lift(
    scores: Mapping[int, float],
    members: Mapping[str, Sequence[int]],
    named: Collection[str] = (),
    alike: Mapping[int, float] = {},
    meaning: float = 0.0,
) -> tuple[dict[int, float], dict[int, str]]:
    """Scores with the commits of each issue lifted to its best, and which issue lifted which.

    ``members`` are the commits of each issue; those of an issue in ``asked`` answer fully.
    Where meaning counts too (``alike`` are cosines, ``meaning`` their weight), a commit is lifted
    to the best by both: what its own cosine lacks is made up by its score.
    """

    def whole(number: int) -> float:
        return (1 - meaning) * scores.get(number, 0.0) + meaning * max(alike.get(number, 0.0), 0.0)

    lifted, by = dict(scores), dict[int, str]()
    for issue, numbers in members.items():
        best = 1.0 if issue in named else max(map(whole, numbers), default=0.0)
        for number in numbers:
            missing = NEARNESS * best + (1 - NEARNESS) * whole(number) - whole(number)
            raised = scores.get(number, 0.0) + missing / (1 - meaning)
            if raised > lifted.get(number, 0.0):
                lifted[number], by[number] = raised, issue
    return lifted, by
