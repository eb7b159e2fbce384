"""Converting reviews of code into the answers of MemoryLayer's gates. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gitmem.mcp.compat.answer_converters import Rows, cosine_or_score
from gitmem.mcp.compat.memory_layer_answers import (
    compliance_score,
    describe_replacement,
    first_violated_pattern,
    has_no_violations,
    translate_violation_severity,
)
from gitmem.text.quantity import quantity

# The points of a violation by its severity, and of a decision that may be contradicted.
_POINTS, _CONFLICT = {"error": 40, "warning": 30}, 30


def code_risk_score(
    findings: Rows, contradicted_decisions: Rows = None, min_risk: int | None = None
) -> int:
    """The risk of a piece of code, from ``min_risk`` (None: 0) to 100: the points against it.

    Each of ``findings`` (violations) has 40 points (error) or 30 (warning), each of
    ``contradicted_decisions`` (decisions that the code may contradict) 30.
    """
    points = sum(_POINTS[finding["severity"]] for finding in findings or ())
    return max(
        min(100, points + _CONFLICT * len(list(contradicted_decisions or ()))), min_risk or 0
    )


def code_approval_verdict(
    findings: Rows, contradicted_decisions: Rows = None, min_risk: int | None = None
) -> str:
    """The verdict on a piece of code: ``approve``, ``warning`` (risk from 30) or ``reject`` (70).

    The risk, 0 to 100, comes from ``findings`` (violations) and ``contradicted_decisions``
    (decisions that it may contradict), and is at least ``min_risk``.
    """
    whole = code_risk_score(findings, contradicted_decisions, min_risk)
    return "reject" if whole >= 70 else "warning" if whole >= 30 else "approve"


def pattern_violations(findings: Sequence[Mapping[str, Any]], pattern_count: int) -> dict[str, Any]:
    """A dict: valid, score (0 to 100), matched_pattern (the first violated), list of violations.

    Each has rule, message, severity and suggestion. ``pattern_count`` is the number of patterns
    checked; if it is 0, valid and score are None.
    """
    return {
        "valid": has_no_violations(findings, pattern_count),
        "score": compliance_score(findings, pattern_count),
        "matched_pattern": first_violated_pattern(findings),
        "violations": [
            {
                "rule": finding["pattern"],
                "message": finding["what"],
                "severity": translate_violation_severity(finding["severity"]),
                "suggestion": describe_replacement(finding["instead"]),
            }
            for finding in findings
        ],
    }


def decision_conflicts(conflicts: Rows) -> dict[str, Any]:
    """A dict: has_conflicts, and conflicts: id, title and reason of each contradicted decision."""
    rows = [
        {
            "decision_id": conflict["memory"]["id"],
            "decision_title": conflict["memory"]["title"],
            "conflict_description": conflict["why"],
        }
        for conflict in conflicts or ()
    ]
    return {"has_conflicts": bool(rows), "conflicts": rows}


def names_of_performed_checks(intent: str | None, file: str | None) -> list[str]:
    """Which checks of code were made: more for an ``intent`` or a ``file`` (``check_tests``)."""
    more = ["check_conflicts", "suggest_existing"] if intent else []
    return ["validate_pattern", *more, *(["check_tests"] if file else [])]


def existing_definitions(hits: Rows) -> list[dict[str, Any]]:
    """The hits that show a definition: name, file, line, signature, similarity (or else score)."""
    return [
        {
            "name": hit["definition"]["name"],
            "file": hit["path"],
            "line": hit["definition"]["start_line"],
            "signature": hit["definition"]["signature"],
            "similarity": cosine_or_score(hit["similarity"], hit["score"]),
        }
        for hit in hits or ()
        if hit["definition"]
    ]


def breaks_no_tests(broken_tests: Sequence[str] | None) -> bool:
    """True if ``broken_tests`` (those that a change surely breaks) is empty or None."""
    return not broken_tests


def covered_percent(coverage: Mapping[str, Any] | None) -> int | None:
    """The percentage of ``lines`` that are ``covered`` by tests; None without a coverage report."""
    if not coverage or not coverage["lines"]:
        return None
    return int(coverage["covered"] * 100 // coverage["lines"])


def failing_tests(findings: Rows, broken_tests: Sequence[str] | None) -> list[dict[str, str]]:
    """For each test that a change breaks a dict: test_name, test_file, reason, suggested_fix.

    ``broken_tests`` are such as ``tests/test_app.py:12``; ``findings`` name the reasons.
    """
    failing = []
    for place in broken_tests or ():
        reasons = (
            finding["message"] for finding in findings or () if f"{place} " in finding["message"]
        )
        path = place.rpartition(":")[0]
        reason = next(reasons, "It imports what the change removes")
        fix = "Import what takes its place, or keep the name."
        failing.append(
            {"test_name": place, "test_file": path, "reason": reason, "suggested_fix": fix}
        )
    return failing


def risk_reasons(findings: Rows, risk_parts: Rows) -> list[str]:
    """Sentences on what makes a change risky: the findings, then the parts of its risk score."""
    return [*finding_messages(findings), *(part["why"] for part in risk_parts or ())]


def similar_bugs_risk(similar_bugs: Rows) -> int:
    """The risk (0 to 100) because of similar past bugs: 30 if there are any."""
    return 30 if similar_bugs else 0


def similar_bugs_verdict(similar_bugs: Rows) -> str:
    """``warning`` if there were similar bugs, else ``approve``."""
    return "warning" if similar_bugs else "approve"


# --- verifying code ------------------------------------------------------------------------------

_SECURITY = {
    "deserialization": "insecure_deserialization",
    "eval": "unsafe_eval",
    "redos": "regex_dos",
    "weak-cipher": "weak_crypto",
    "weak-hash": "weak_crypto",
    "weak-random": "insecure_random",
}
_IMPORTS = {"import/missing": "missing_file", "import/name": "invalid_export"}


def import_issues(findings: Rows) -> dict[str, Any]:
    """Whether the imports of a piece of code are right, as a dict in MemoryLayer's format.

    ``valid`` is true if no finding is about imports; those that are form ``issues``: dicts of
    import, type and message. ``warnings`` is always empty.
    """
    rows = [
        {"import": finding["text"], "type": _import_type(finding), "message": finding["message"]}
        for finding in findings or ()
        if finding["check"] == "imports"
    ]
    return {"valid": not rows, "issues": rows, "warnings": []}


def _import_type(finding: Mapping[str, Any]) -> str:
    if finding["rule"] == "import/missing" and not finding["message"].startswith("There is no "):
        return "hallucinated"
    return _IMPORTS.get(finding["rule"], "missing_package")


def security_issues(findings: Rows) -> dict[str, Any]:
    """A dict: ``safe`` (no issue), ``score`` (100 is best), ``issues`` (type, line, message ...)"""
    rows = [
        {
            "type": _security_type(finding["rule"]),
            **{name: finding[name] for name in ("severity", "line", "message")},
            "code": finding["text"],
            "cwe": finding["cwe"] or None,
        }
        for finding in findings or ()
        if finding["check"] == "security"
    ]
    points = sum(finding["points"] for finding in findings or () if finding["check"] == "security")
    return {"safe": not rows, "score": max(0, 100 - points), "issues": rows}


def _security_type(rule: str) -> str:
    kind, _, name = rule.partition("/")
    return "hardcoded_secret" if kind == "secret" else _SECURITY.get(name, name.replace("-", "_"))


def dependency_issues(findings: Rows) -> dict[str, Any]:
    """A dict: ``valid`` (all listed), ``issues`` (dicts: the unlisted package, type, message)."""
    rows = [
        {"package": finding["text"], "type": "unlisted", "message": finding["message"]}
        for finding in findings or ()
        if finding["check"] == "dependencies"
    ]
    return {"valid": not rows, "issues": rows}


def verdict_summary_line(verdict: str, score: int, findings: Rows) -> str:
    """A line such as ``[WARNING] Score: 40/100, 2 findings``."""
    count = quantity(len(list(findings or ())), "finding")
    return f"[{verdict.upper()}] Score: {score}/100, {count}"


def finding_messages(findings: Rows) -> list[str]:
    """The messages of at most ten findings, without repeats."""
    return list(dict.fromkeys(finding["message"] for finding in findings or ()))[:10]
