"""Reviewing a diff: every check in turn, within a time, and the risk of what they find.

A check that fails, or for which no time is left, is named in ``notes``; the others still run.
"""

from collections.abc import Callable, Sequence

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.model.frozen import dataclass, replace
from gitmem.model.review_finding import NOTE, ReviewFinding
from gitmem.review import (
    broken_uses,
    cited_lines,
    companions,
    coverage,
    decisions,
    finding,
    past_repairs,
    reach,
    same_function,
    score,
    verify,
)
from gitmem.review.broken_uses import BrokenUse
from gitmem.review.cited_lines import CitedMemory
from gitmem.review.coverage import DiffCoverage
from gitmem.review.finding import ReviewFindingItem, SetAsideFinding
from gitmem.review.reach import DependentFile, TestsForDiff
from gitmem.review.reviewed_diff import ReviewedDiff
from gitmem.review.score import ReviewRiskPart
from gitmem.review.time_limit import TimeLimit, merge_notes
from gitmem.search import file_kinds
from gitmem.store.memory import review_acceptances

SECONDS = 7.0  # of CPU, after which no further file is looked at
_MAX_SHOWN = 50  # dependents, changed definitions


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """The result of reviewing a diff: findings, what is known of the code, and a risk.

    ``findings`` are errors and warnings, ``context`` notes, ``set_aside`` those accepted with a
    reason. ``memories`` cite code that the diff changes, ``changed`` are its definitions,
    ``dependents`` the files that use them. ``risk`` is 0 to 100, the sum of ``parts``; ``verdict``
    is approve, warn (from 30) or reject (from 70). ``failed`` counts findings with --strict;
    ``explain`` shows the parts; ``action`` says what --accept or --withdraw did.
    """

    findings: tuple[ReviewFindingItem, ...]
    context: tuple[ReviewFindingItem, ...]
    set_aside: tuple[SetAsideFinding, ...]
    memories: tuple[CitedMemory, ...]
    changed: tuple[str, ...]
    dependents: tuple[DependentFile, ...]
    dependents_total: int
    tests: TestsForDiff
    coverage: DiffCoverage | None
    risk: int
    verdict: str
    parts: tuple[ReviewRiskPart, ...]
    files: int
    lines: int
    notes: tuple[str, ...]
    failed: int = 0
    explain: bool = False
    action: str = ""


def review_diff(
    app: App, diff: ReviewedDiff, *, sarif_paths: Sequence[str] = (), max_seconds: float = SECONDS
) -> ReviewResult:
    """Review a diff and return the result, within about ``max_seconds`` of CPU time.

    ``sarif_paths`` are files in SARIF format with findings of other tools.
    """
    limit = TimeLimit(max_seconds)
    cited = (
        limit.run_if_time_left(
            "the memories that cite it", lambda: cited_lines.find_cited_memories(app, diff)
        )
        or ()
    )
    findings = _run(app, diff, limit, _FIRST)
    uses = (
        limit.run_if_time_left(
            "removed names", lambda: broken_uses.find_broken_uses(app, diff, limit)
        )
        or []
    )
    reached = (
        limit.run_if_time_left("its reach", lambda: reach.find_diff_impact(app, diff, limit))
        or reach.DiffImpact()
    )
    covered, unread = limit.run_if_time_left(
        "coverage", lambda: coverage.find_diff_coverage(app, diff)
    ) or (
        None,
        (),
    )
    verified, unsure = limit.run_if_time_left(
        "verification", lambda: verify.verify_changed_lines(app, diff, limit, sarif_paths)
    ) or ((), ())
    findings += [use.finding for use in uses]
    findings += [*reached.findings, *verified, *_run(app, diff, limit, _LAST)]
    findings += coverage.findings_on_coverage(covered) if covered else ()
    shown, aside = _without_accepted(app, diff, findings)
    lines = sum(last - first + 1 for file in diff.files for first, last in file.added_ranges)
    parts = score.risk_parts(
        [finding.level for finding in shown], _facts(diff, cited, reached, covered, lines)
    )
    risk = score.total_risk(parts)
    gaps = [reached.note] if reached.note else []
    return ReviewResult(
        findings=tuple(finding for finding in shown if finding.level != NOTE),
        context=tuple(finding for finding in shown if finding.level == NOTE),
        set_aside=aside,
        memories=cited,
        changed=reached.changed[:_MAX_SHOWN],
        dependents=reached.dependents[:_MAX_SHOWN],
        dependents_total=len(reached.dependents),
        tests=replace(reached.tests, broken=_broken_tests(uses)),
        coverage=covered,
        risk=risk,
        verdict=score.risk_verdict(risk),
        parts=parts,
        files=len(diff.files),
        lines=lines,
        notes=merge_notes((*diff.notes, *unread, *unsure, *gaps, *limit.notes)),
    )


def _broken_tests(uses: Sequence[BrokenUse]) -> tuple[str, ...]:
    """The tests, each with a line, that still import what the diff removes."""
    return tuple(f"{use.path}:{use.line}" for use in uses if file_kinds.is_test_path(use.path))


def find_broken_rules(app: App, diff: ReviewedDiff, max_seconds: float) -> list[ReviewFindingItem]:
    """Return the errors and warnings of a diff that breaks stored patterns or decisions.

    Takes about ``max_seconds`` of CPU time; what is left unchecked then is not reported.
    """
    findings = _run(app, diff, TimeLimit(max_seconds), _FIRST[:2])
    shown, _ = _without_accepted(app, diff, findings)
    return [finding for finding in shown if finding.level != NOTE]


_Check = Callable[[App, ReviewedDiff, TimeLimit], list[ReviewFinding]]
# What is certain or costs little comes before what costs much.
_FIRST: tuple[tuple[str, _Check], ...] = (
    ("patterns", decisions.find_pattern_violations),
    ("decisions", decisions.find_contradicted_decisions),
    ("files that change together", companions.find_missing_co_changes),
    ("past fixes", past_repairs.find_reverted_fixes),
)
_LAST: tuple[tuple[str, _Check], ...] = (
    ("functions that exist already", same_function.find_duplicated_functions),
)


def _run(
    app: App, diff: ReviewedDiff, limit: TimeLimit, checks: Sequence[tuple[str, _Check]]
) -> list[ReviewFinding]:
    findings: list[ReviewFinding] = []
    for name, check in checks:
        findings += limit.run_if_time_left(name, lambda check=check: check(app, diff, limit)) or []  # type: ignore[misc]
    return findings


def _facts(
    diff: ReviewedDiff,
    cited: Sequence[CitedMemory],
    reached: reach.DiffImpact,
    covered: DiffCoverage | None,
    lines: int,
) -> score.DiffFacts:
    uncovered = 1 - covered.covered / covered.lines if covered and covered.lines else None
    return score.DiffFacts(
        decisions=len({memory.id for memory in cited if memory.kind == "decision"}),
        dependents=len(reached.dependents),
        lines=lines,
        source=sum(file.is_source for file in diff.files),
        tested=bool(reached.tests.changed or reached.tests.related),
        uncovered=uncovered,
    )


def _without_accepted(
    app: App, diff: ReviewedDiff, found: Sequence[ReviewFinding]
) -> tuple[list[ReviewFindingItem], tuple[SetAsideFinding, ...]]:
    """The findings, and those that somebody set aside."""
    items = finding.assign_finding_ids({file.path: file for file in diff.files}, found)
    accepted = (
        review_acceptances.accepted_review_findings(app.store) if app.has_store and items else {}
    )
    left, aside = [], []
    for other, older in items:
        keys = (other.id, older, other.rule)
        consent = next((accepted[key] for key in keys if key in accepted), None)
        if consent is None:
            left.append(other)
        else:
            by, at = ("rule" if consent.key == other.rule else "place"), format_iso(consent.at)
            accepted_finding = replace(other, id=older) if consent.key == older else other
            aside.append(SetAsideFinding(accepted_finding, by, consent.why, consent.agent, at))
    return left, tuple(aside)
