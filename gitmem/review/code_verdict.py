"""Verifying a piece of code before it is in a file, and the score of what is found."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gitmem import languages
from gitmem.app import App
from gitmem.git import listing
from gitmem.git.diff import PathChange
from gitmem.git.lines.patch import Hunk
from gitmem.indexing.syntax import code_facts
from gitmem.model.review_finding import ERROR, NOTE, ReviewFinding
from gitmem.review import verify, verify_imports
from gitmem.review.reviewed_diff import ReviewedFile
from gitmem.review.verify_tree import TreeAfterDiff

CHECKS = ("imports", "security", "dependencies")
# Points that a finding costs of 100: by its check, of security by how bad it is.
_COSTS = {"imports": 15, "dependencies": 10}
_COST_OF = {"critical": 30, "high": 20, "medium": 10, "low": 5}
_PASSED, _WARNED = 70, 40
_MEDIUM = ("weak-", "redos", "open-redirect", "xss")
_GUESSED = (("python", "py"), ("typescript", "ts"), ("go", "go"), ("rust", "rs"), ("java", "java"))
_EVERY_LINE = Hunk((1, 0), (1, 1 << 31))


def check_name_of_finding(finding: ReviewFinding) -> str:
    """Return the check that a finding belongs to: imports, security or dependencies."""
    kind = finding.rule.partition("/")[0]
    return {"import": "imports", "dependency": "dependencies"}.get(kind, "security")


def severity_of_finding(finding: ReviewFinding) -> str:
    """Return how bad a finding of insecure code is: critical, high, medium or low."""
    if finding.level == NOTE:
        return "low"
    if finding.level == ERROR:
        return "critical"
    return "medium" if finding.rule.partition("/")[2].startswith(_MEDIUM) else "high"


def score_of_findings(findings: Iterable[ReviewFinding]) -> int:
    """Return the score of a piece of code with these findings, from 100 (none) down to 0."""
    return max(0, 100 - sum(map(penalty_of_finding, findings)))


def penalty_of_finding(finding: ReviewFinding) -> int:
    """Return how many of the 100 points of a piece of code a finding costs, 5 to 30."""
    return _COSTS.get(check_name_of_finding(finding)) or _COST_OF[severity_of_finding(finding)]


def code_verdict(findings: Collection[ReviewFinding]) -> str:
    """Return ``pass`` (score 70 or more), ``warning`` or ``fail`` for code with these findings.

    It fails below 40, with one critical or two high findings of security, or with two imports of
    what does not exist.
    """
    bad = [
        severity_of_finding(finding)
        for finding in findings
        if check_name_of_finding(finding) == "security"
    ]
    missing = sum(
        finding.level != NOTE and check_name_of_finding(finding) == "imports"
        for finding in findings
    )
    total = score_of_findings(findings)
    if "critical" in bad or bad.count("high") > 1 or missing > 1 or total < _WARNED:
        return "fail"
    return "pass" if total >= _PASSED else "warning"


def verify_code(app: App, code: str, path: str, checks: Collection[str]) -> list[ReviewFinding]:
    """Check a piece of code that is to be written to ``path`` (empty: unknown); return findings.

    ``checks`` are some of ``CHECKS``: imports, security, dependencies. Raises InvalidInput outside
    of a repository.
    """
    data = code.encode("utf-8", "replace")
    file = ReviewedFile(PathChange("A", "", path or _elsewhere(data)), (_EVERY_LINE,), None, data)
    findings = list(verify.find_code_problems([file])) if "security" in checks else []
    if {"imports", "dependencies"} & {*checks}:
        tree = TreeAfterDiff(
            app.layout, listing.file_modes_and_blob_ids(app.layout), {file.path: data}
        )
        findings += verify_imports.find_broken_imports(tree, [file], verify.LANGUAGES)
    return [finding for finding in findings if check_name_of_finding(finding) in checks]


def is_checkable_code(path: str, code: str) -> bool:
    """Return whether gitmem can check imports and security of code to be written to ``path``."""
    return (
        languages.language(path or _elsewhere(code.encode("utf-8", "replace"))) in verify.LANGUAGES
    )


def _elsewhere(data: bytes) -> str:
    """A path outside of the repository, from which no relative import leads anywhere."""
    for language, ending in _GUESSED:
        read = code_facts.read_code_facts(language, f"code.{ending}", data)
        if read is not None and not read.errors:
            return f"../code.{ending}"
    return "../code"
