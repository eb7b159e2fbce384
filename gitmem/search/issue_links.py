"""Raising commits that name the same issue as a commit that answers. Pure.

Of the commits of one change often only one says what it is about. Worth 0.12 of NDCG@10 on
changelog entries (python -m tests.bench.memory).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

# Commits, the best by words, whose issues are followed.
FIRST = 20
# An issue that more commits name is not a single change.
MOST = 20
# How close the others of an issue come to its best commit.
NEARNESS = 0.9


def commits_to_follow(scores: Mapping[int, float]) -> list[int]:
    """The best commits, whose issues are followed to other commits."""
    return sorted(scores, key=lambda number: (-scores[number], number))[:FIRST]


def raise_by_issue(
    scores: Mapping[int, float],
    members: Mapping[str, Sequence[int]],
    named: Collection[str] = (),
    alike: Mapping[int, float] = {},
    meaning: float = 0.0,
) -> tuple[dict[int, float], dict[int, str]]:
    """The scores after commits were raised towards the best of their issue, and each one's issue.

    ``members`` are the commits of each issue; those of an issue in ``named`` score fully. With
    cosines (``alike``, weighted by ``meaning``) the word score makes up for a low cosine.
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
