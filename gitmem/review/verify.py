"""Verifying the changed lines: imports, dependencies, secrets, security, and other tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from gitmem.app import App
from gitmem.git import listing
from gitmem.model.review_finding import ReviewFinding
from gitmem.review import (
    verify_dependencies,
    verify_imports,
    verify_javascript,
    verify_modules,
    verify_python,
    verify_secrets,
    verify_security,
    verify_tools,
    verify_tree,
)
from gitmem.review.reviewed_diff import ReviewedDiff, ReviewedFile
from gitmem.review.time_limit import TimeLimit

LANGUAGES: dict[str, verify_imports.Doubts] = {
    "python": verify_python.doubts,
    "javascript": verify_javascript.doubts,
    "typescript": verify_javascript.doubts,
    "go": verify_modules.go_doubts,
    "rust": verify_modules.rust_doubts,
}


def verify(
    app: App, diff: ReviewedDiff, limit: TimeLimit, reports: Sequence[str] = ()
) -> tuple[tuple[ReviewFinding, ...], tuple[str, ...]]:
    """The findings on the changed lines, and sentences on what could not be checked.

    With those of other tools, which may take seconds of their own, and in the SARIF files
    ``reports``.
    """
    notes: list[str] = []
    files = [file for file in diff.files if file.new is not None and file.added]
    tree = verify_tree.of_diff(app.layout, diff)
    root = listing.listing_root(app.layout)
    name, imports = "insecure code and secrets", limit.each(files, "imports")
    findings = [
        *_all(limit, name, lambda: code_findings(limit.each(files, name))),
        *_all(limit, "imports", lambda: verify_imports.find(tree, imports, LANGUAGES)),
        *_all(limit, "dependencies", lambda: verify_dependencies.find(tree, files)),
    ]
    others = [
        *_all(limit, "other tools", lambda: verify_tools.find(app, diff, notes)),
        *_all(limit, "reports", lambda: verify_tools.from_reports(reports, diff, root, notes)),
    ]
    known = {(each.path, each.line, each.cwe) for each in others if each.cwe}
    own = [each for each in findings if (each.path, each.line, each.cwe) not in known]
    return (*own, *others), tuple(notes)


def _all(
    limit: TimeLimit, name: str, check: Callable[[], Iterable[ReviewFinding]]
) -> list[ReviewFinding]:
    """The findings of a check; none, and a note, if it failed."""
    return limit.attempt(name, lambda: list(check())) or []


def code_findings(files: Iterable[ReviewedFile]) -> Iterator[ReviewFinding]:
    """What the changed lines show by themselves: secrets, and insecure code."""
    for file in files:
        yield from verify_secrets.find(file)
        yield from verify_security.find(file)
