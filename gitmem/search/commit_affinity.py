"""What past commits are worth to a question: by their messages, kind of change and issues. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import sqrt

from gitmem.clock import DAY

# Files by commits with a similar message: worth 0.03 to 0.04 of NDCG@10 on commit subjects
# (docs/benchmarks.md). A commit counts half after two years, and less the more files it changed.
HALF_LIFE_MS = 2 * 365 * DAY
MOST_PATHS = 30
POWER = 2


def score_files_by_commits(
    scored_commits: Iterable[tuple[float, int, Sequence[str]]], newest_ms: int
) -> dict[str, float]:
    """Path -> its score, 0 to 1, by the matching commits that changed it.

    A commit is (BM25 score, milliseconds since 1970, paths). Commits much older than the time
    ``newest_ms``, that of the newest commit, count less.
    """
    total: dict[str, float] = {}
    for score, at, paths in scored_commits:
        if not 0 < len(paths) <= MOST_PATHS:
            continue
        age = max(newest_ms - at, 0)
        amount = 0.5 ** (age / HALF_LIFE_MS) * score**POWER / sqrt(len(paths))
        for path in paths:
            total[path] = total.get(path, 0.0) + amount
    top = max(total.values(), default=0.0)
    return {path: value / top for path, value in total.items()} if top > 0 else {}


# "When was X dropped" asks for the commit that dropped X, although the one that added it says more.
_FORMS = {
    "add": (
        "add(?:s|ed|ing)?|introduc(?:e|es|ed|ing)|creat(?:e|es|ed|ing)|implement(?:s|ed|ing)?|new"
    ),
    "remove": (
        "remov(?:e|es|ed|ing)|drop(?:s|ped|ping)?|delet(?:e|es|ed|ing)|deprecat(?:e|es|ed|ing)|"
        "get rid|gone|disappear(?:s|ed)?|(?:thrown|taken) out"
    ),
    "change": (
        "chang(?:e|es|ed|ing)|replac(?:e|es|ed|ing)|renam(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|"
        "switch(?:es|ed|ing)?|migrat(?:e|es|ed|ing)|bump(?:s|ed|ing)?|upgrad(?:e|es|ed|ing)|"
        "updat(?:e|es|ed|ing)|rewr(?:ite|ites|ote|itten)"
    ),
    "fix": "fix(?:es|ed|ing)?|resolv(?:e|es|ed|ing)|repair(?:s|ed|ing)?",
    "revert": "revert(?:s|ed|ing)?|roll(?:s|ed)? back",
}
_VERB = r"\b(?:" + "|".join(f"(?P<{kind}>{forms})" for kind, forms in _FORMS.items()) + r")\b"
SAME, OTHER = 1.2, 0.85


def change_kinds_in_text(text: str) -> frozenset[str]:
    """The kinds of change that a text names: of add, remove, change, fix and revert."""
    return frozenset(found.lastgroup or "" for found in re.finditer(_VERB, text.lower()))


def change_kind_factor(requested: frozenset[str], subject: str) -> float:
    """The factor of a commit's rank: above 1 if its subject says what the question asks for.

    ``requested`` are the kinds of change that the question names, from ``change_kinds_in_text``.
    Below 1 if the subject names other kinds, 1 where either names none.
    """
    done = change_kinds_in_text(subject) if requested else requested
    if not done:
        return 1.0
    return SAME if requested & done else OTHER


# Of the commits of one change often only one says what it is about: raising those of the same issue
# is worth 0.12 of NDCG@10 on changelog entries (python -m tests.bench.memory).
# Commits, the best by words, whose issues are followed.
FIRST = 20
# An issue that more commits name is not a single change.
MOST = 20
# How close the others of an issue come to its best commit.
NEARNESS = 0.9


def best_scored_commit_rows(scores: Mapping[int, float]) -> list[int]:
    """The row numbers of the 20 commits with the best scores, best first."""
    return sorted(scores, key=lambda number: (-scores[number], number))[:FIRST]


def raise_scores_by_issue(
    scores: Mapping[int, float],
    commits_by_issue: Mapping[str, Sequence[int]],
    named_issues: Collection[str] = (),
    cosines: Mapping[int, float] = {},
    cosine_weight: float = 0.0,
) -> tuple[dict[int, float], dict[int, str]]:
    """(row number -> score, raised towards the best commit of its issue; row number -> the issue).

    ``scores`` are the scores of commits by words, by row number, ``commits_by_issue`` has the row
    numbers of each issue's commits; those of ``named_issues`` score fully. If cosines count, too,
    ``cosines`` has them and ``cosine_weight`` is their weight (0 to 1) against these scores.
    """

    def whole(number: int) -> float:
        return (1 - cosine_weight) * scores.get(number, 0.0) + cosine_weight * max(
            cosines.get(number, 0.0), 0.0
        )

    lifted, by = dict(scores), dict[int, str]()
    for issue, numbers in commits_by_issue.items():
        best = 1.0 if issue in named_issues else max(map(whole, numbers), default=0.0)
        for number in numbers:
            missing = NEARNESS * best + (1 - NEARNESS) * whole(number) - whole(number)
            raised = scores.get(number, 0.0) + missing / (1 - cosine_weight)
            if raised > lifted.get(number, 0.0):
                lifted[number], by[number] = raised, issue
    return lifted, by
