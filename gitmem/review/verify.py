"""Verifying the changed lines: imports, dependencies, secrets, security, and other tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitmem.app import App
from gitmem.model.review_finding import ReviewFinding
from gitmem.review import (
    verify_imports,
    verify_javascript,
    verify_modules,
    verify_python,
    verify_secrets,
    verify_security,
    verify_tree,
)
from gitmem.review.reviewed_diff import ReviewedDiff, ReviewedFile

LANGUAGES: dict[str, verify_imports.Doubts] = {
    "python": verify_python.doubts,
    "javascript": verify_javascript.doubts,
    "typescript": verify_javascript.doubts,
    "go": verify_modules.go_doubts,
    "rust": verify_modules.rust_doubts,
}


def verify(app: App, diff: ReviewedDiff) -> tuple[tuple[ReviewFinding, ...], tuple[str, ...]]:
    """The findings on the changed lines, and sentences on what could not be checked."""
    tree = verify_tree.of_diff(app.layout, diff)
    return tuple(verify_imports.find(tree, diff.files, LANGUAGES)), ()


def code_findings(files: Iterable[ReviewedFile]) -> Iterator[ReviewFinding]:
    """What the changed lines show by themselves: secrets, and insecure code."""
    for file in files:
        yield from verify_secrets.find(file)
        yield from verify_security.find(file)
