"""The risk of a diff, 0 to 100, as a sum of parts that can be seen. Pure.

Without a finding it stays below ``WARN``: a long reach alone stops nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

from gitmem.model.frozen import dataclass
from gitmem.model.review_finding import ERROR, WARNING
from gitmem.text.quantity import quantity

REJECT, WARN = 70, 30
APPROVED, WARNED, REJECTED = "approve", "warn", "reject"
# Points of a finding, of a decision whose code changes, and the most of each part.
_ERROR, _WARNING, _DECISION = 40, 30, 4
_MAX = {"errors": 80, "warnings": 60, "decisions": 8, "reach": 8, "tests": 6, "size": 6}


@dataclass(frozen=True, slots=True)
class ReviewRiskPart:
    """A part of a diff's risk: its name, its points (of 100), and the reason in words."""

    name: str
    points: int
    why: str


@dataclass(frozen=True, slots=True)
class DiffFacts:
    """Counts of a diff from which its risk is computed.

    ``decisions`` cite its lines, ``dependents`` are files that use its code, ``lines`` are added
    lines, ``source`` are changed files of code; ``tested``: a test changed or uses it.
    ``uncovered`` is the fraction of changed lines that no test runs, None if unknown.
    """

    decisions: int = 0
    dependents: int = 0
    lines: int = 0
    source: int = 0
    tested: bool = False
    uncovered: float | None = None


def risk_parts(finding_levels: Sequence[str], facts: DiffFacts) -> tuple[ReviewRiskPart, ...]:
    """Return the parts of a diff's risk that have points, the largest first.

    ``finding_levels`` has the level (error, warning, note) of each finding.
    """
    parts = [
        _of_findings("errors", finding_levels, ERROR, _ERROR),
        _of_findings("warnings", finding_levels, WARNING, _WARNING),
        (
            "decisions",
            _DECISION * facts.decisions,
            f"{quantity(facts.decisions, 'decision cites', 'decisions cite')} changed code",
        ),
        (
            "reach",
            2 * log2(1 + facts.dependents),
            f"{quantity(facts.dependents, 'file depends', 'files depend')} on it",
        ),
        _of_tests(facts),
        (
            "size",
            log2(1 + facts.lines / 20) if facts.lines >= 20 else 0.0,
            f"{quantity(facts.lines, 'new line')}",
        ),
    ]
    risks = [
        ReviewRiskPart(name, min(_MAX[name], round(points)), why)
        for name, points, why in parts
        if round(points) > 0
    ]
    return tuple(sorted(risks, key=lambda part: -part.points))


_Part = tuple[str, float, str]


def _of_findings(name: str, levels: Sequence[str], level: str, points: int) -> _Part:
    many = levels.count(level)
    return name, many * points, quantity(many, level)


def _of_tests(facts: DiffFacts) -> _Part:
    if facts.uncovered is not None:
        share = f"tests do not run {facts.uncovered:.0%} of its lines"
        return "tests", _MAX["tests"] * facts.uncovered, share
    missing = facts.source > 0 and not facts.tested
    return "tests", _MAX["tests"] if missing else 0, "no test in it, and none is known for it"


def total_risk(parts: Sequence[ReviewRiskPart]) -> int:
    """Return the risk of a diff, 0 to 100: the sum of its parts, at most 100."""
    return min(100, sum(part.points for part in parts))


def risk_verdict(risk: int) -> str:
    """Return the verdict on a risk: ``approve``, ``warn`` from 30 on, ``reject`` from 70 on."""
    if risk >= REJECT:
        return REJECTED
    return WARNED if risk >= WARN else APPROVED
