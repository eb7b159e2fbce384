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

LANGUAGES: dict[str, verify_imports.UnresolvedImportFinder] = {
    "python": verify_python.unresolved_python_imports,
    "javascript": verify_javascript.unresolved_javascript_imports,
    "typescript": verify_javascript.unresolved_javascript_imports,
    "go": verify_modules.unresolved_go_imports,
    "rust": verify_modules.unresolved_rust_imports,
}


def verify_changed_lines(
    app: App, diff: ReviewedDiff, limit: TimeLimit, sarif_paths: Sequence[str] = ()
) -> tuple[tuple[ReviewFinding, ...], tuple[str, ...]]:
    """Return findings on the changed lines, and notes on what could not be checked.

    They are on imports, dependencies, secrets and insecure code, of the linters in the settings,
    and of the SARIF files in ``sarif_paths``.
    """
    notes: list[str] = []
    files = [file for file in diff.files if file.new is not None and file.added_ranges]
    tree = verify_tree.tree_after_diff(app.layout, diff)
    root = listing.listed_files_root(app.layout)
    name, imports = "insecure code and secrets", limit.items_while_time_left(files, "imports")
    findings = [
        *_all(limit, name, lambda: find_code_problems(limit.items_while_time_left(files, name))),
        *_all(
            limit, "imports", lambda: verify_imports.find_broken_imports(tree, imports, LANGUAGES)
        ),
        *_all(
            limit, "dependencies", lambda: verify_dependencies.find_dependency_problems(tree, files)
        ),
    ]
    others = [
        *_all(limit, "other tools", lambda: verify_tools.run_configured_linters(app, diff, notes)),
        *_all(
            limit,
            "reports",
            lambda: verify_tools.findings_in_sarif_files(sarif_paths, diff, root, notes),
        ),
    ]
    reported = {(finding.path, finding.line, finding.cwe) for finding in others if finding.cwe}
    own = [
        finding for finding in findings if (finding.path, finding.line, finding.cwe) not in reported
    ]
    return (*own, *others), tuple(notes)


def _all(
    limit: TimeLimit, name: str, check: Callable[[], Iterable[ReviewFinding]]
) -> list[ReviewFinding]:
    """The findings of a check; none, and a note, if it failed."""
    return limit.run_always(name, lambda: list(check())) or []


def find_code_problems(files: Iterable[ReviewedFile]) -> Iterator[ReviewFinding]:
    """Yield findings of secrets and insecure code on the changed lines of files."""
    for file in files:
        yield from verify_secrets.find_secrets_in_file(file)
        yield from verify_security.find_insecure_code(file)
