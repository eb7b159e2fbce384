"""Scoring how risky a change is, from counts alone, with the reasons."""

from __future__ import annotations

from math import log2

from gitmem.model.frozen import dataclass
from gitmem.text.quantity import quantity

# What each part may add, of 100.
_DEPENDANTS, _NO_TESTS, _DECISIONS, _CHURN, _WIDE, _CYCLE = 40, 20, 15, 15, 5, 5
_MEDIUM, _HIGH = 30, 60


@dataclass(frozen=True, slots=True)
class ChangeRiskCounts:
    """What is known of the file or definition that changes, in numbers, for ``score_change_risk``.

    ``direct`` are the files that depend on it directly, ``dependants`` all. ``tests``,
    ``decisions`` and ``memories`` count those about it, ``commits`` those that changed it in the
    last half year, ``folders`` those with dependants. ``cyclic``: it is part of an import cycle.
    ``hidden`` is a sentence on possible further uses, or empty.
    """

    direct: int
    dependants: int
    tests: int
    decisions: int
    memories: int
    commits: int
    cyclic: bool
    folders: int
    hidden: str = ""


@dataclass(frozen=True, slots=True)
class ChangeRiskScore:
    """The risk of a change: a ``score`` from 0 to 100, a word for it (``level``), and reasons.

    The word is "unknown" where it would be "low" and something may be hidden.
    """

    score: int
    level: str
    reasons: tuple[str, ...]


def score_change_risk(counts: ChangeRiskCounts) -> ChangeRiskScore:
    """How risky a change is, judged by these counts, as a Risk."""
    score, reasons = 0.0, []
    if counts.dependants:
        score += min(_DEPENDANTS, 8 * log2(1 + counts.dependants))
        users = quantity(counts.dependants, "file depends", "files depend")
        reasons.append(f"{users} on it, {counts.direct} directly")
    if counts.dependants and not counts.tests:
        score += _NO_TESTS
        reasons.append("no test is known to reach it" if counts.hidden else "no test reaches it")
    elif counts.tests:
        reasons.append(f"{quantity(counts.tests, 'test file reaches', 'test files reach')} it")
    if counts.decisions:
        score += min(_DECISIONS, 5 * counts.decisions)
        reasons.append(f"{quantity(counts.decisions, 'decision')} on the way")
    if counts.memories:
        citing = quantity(counts.memories, "memory cites", "memories cite")
        reasons.append(f"{citing} it or what uses it")
    if counts.commits >= 5:
        score += min(_CHURN, 3 * log2(counts.commits))
        reasons.append(f"changed by {counts.commits} commits in half a year")
    if counts.folders > 3:
        score += _WIDE
        reasons.append(f"used in {counts.folders} folders")
    if counts.cyclic:
        score += _CYCLE
        reasons.append("part of an import cycle")
    whole = min(100, round(score))
    low = "unknown" if counts.hidden else "low"
    level = "high" if whole >= _HIGH else "medium" if whole >= _MEDIUM else low
    if counts.hidden:
        reasons.append(counts.hidden)
    return ChangeRiskScore(
        whole, level, tuple(reasons or ["nothing in the repository uses its name"])
    )
