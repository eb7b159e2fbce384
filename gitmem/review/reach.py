"""How far the diff reaches: the definitions that it changes, what depends on them, and their tests.

From the code graph; what it does not know is counted nowhere, and said.
"""

import re
from collections.abc import Iterable

from gitmem.app import App
from gitmem.assembly import manifests
from gitmem.code_relations import graph_target, index_note
from gitmem.impact import dependants
from gitmem.model.frozen import dataclass
from gitmem.model.review_finding import NOTE, ReviewFinding
from gitmem.retrieval.symbols import symbol_tests
from gitmem.review.reviewed_diff import ReviewedDiff, ReviewedFile
from gitmem.review.time_limit import TimeLimit
from gitmem.search import file_kinds, frameworks
from gitmem.store.code import chunks, symbols
from gitmem.store.code.graph_reads import GraphNode
from gitmem.text.fence import one_line

_DEPTH = 2
_MAX_FILES, _MAX_NAMES = 40, 20
_PLAIN = re.compile(r"[\w@+][\w@+./-]*", re.ASCII)
# What pytest and unittest collect; other Python files among the tests only help them.
_COLLECTED = re.compile(r"(?:.*/)?(?:test[^/]*|[^/]*_test)\.py")
# How the tests in some files are run.
_COMMANDS = {
    "pytest": "pytest", "unittest": "python -m unittest", "jest": "npx jest",
    "vitest": "npx vitest run", "mocha": "npx mocha", "go test": "go test", "rspec": "rspec",
    "phpunit": "phpunit",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DependentFile:
    """A file that uses what the diff changes; ``depth`` counts the imports or calls between."""

    path: str
    depth: int
    test: bool


@dataclass(frozen=True, slots=True)
class TestsForDiff:
    """The tests that concern a diff, as paths.

    ``changed`` are in the diff, ``related`` use changed code or are named after it, ``broken``
    (path and line) import what the diff removes. ``untested`` are added functions that no test
    names. ``frameworks`` are test frameworks, surest first; ``command`` runs the related tests
    (empty: not known).
    """

    frameworks: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    untested: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True)
class DiffImpact:
    """The definitions that a diff changes, and the files and tests that depend on them.

    ``changed`` are ``path:name``; ``dependents`` are nearest first; ``findings`` are on functions
    without tests.
    """

    changed: tuple[str, ...] = ()
    dependents: tuple[DependentFile, ...] = ()
    tests: TestsForDiff = TestsForDiff()
    findings: tuple[ReviewFinding, ...] = ()
    note: str = ""


def find_diff_impact(app: App, diff: ReviewedDiff, limit: TimeLimit) -> DiffImpact:
    """Return what a diff changes and what depends on that; without a store only its tests."""
    source = [file for file in diff.files if file.is_source]
    changed = tuple(file.path for file in diff.files if file_kinds.is_test_path(file.path))
    if not app.has_store:
        return DiffImpact(tests=TestsForDiff(changed=changed))
    names: list[str] = []
    nodes: list[GraphNode] = []
    for file in limit.items_while_time_left(source[:_MAX_FILES], "what depends on them"):
        touched = _touched(app, file)
        names += [f"{file.path}:{graph_target.qualified_symbol_name(node)}" for node in touched]
        nodes += graph_target.graph_nodes_of_definitions(app, touched)
    users = [
        DependentFile(dependant.path, dependant.depth, dependant.test)
        for dependant in dependants.find_dependant_files(app, nodes, _DEPTH, whole_files=False)
        if dependant.path not in diff.paths
    ]
    tests = _tests(app, diff, source, changed, [user.path for user in users if user.test], limit)
    spoken = {file.language for file in source}
    return DiffImpact(
        tuple(dict.fromkeys(names)),
        tuple(users),
        tests,
        tuple(_untested(tests, source)),
        index_note.describe_language_gaps(app, spoken) if source else "",
    )


def _touched(app: App, file: ReviewedFile) -> list[symbols.Symbol]:
    """The innermost indexed definitions in which lines changed."""
    defined = symbols.symbols_of_path(app.store, app.worktree, file.path)
    by_id: dict[int, symbols.Symbol] = {}
    for hunk in file.hunks:
        first, last = hunk.new[0], max(hunk.new)
        over = [
            symbol for symbol in defined if symbol.start_line <= last and first <= symbol.end_line
        ]
        if over:
            inner = min(over, key=lambda each: (each.end_line - each.start_line, each.id))
            by_id[inner.id] = inner
    return list(by_id.values())


def _tests(
    app: App,
    diff: ReviewedDiff,
    source: list[ReviewedFile],
    changed: tuple[str, ...],
    users: Iterable[str],
    limit: TimeLimit,
) -> TestsForDiff:
    paths = chunks.paths_and_languages(app.store, app.worktree)
    indexed_paths = {path for path, _ in paths}
    spoken = {language for path, language in paths if file_kinds.is_test_path(path)}
    texts = [
        diff.unchanged_text(app, path)
        for path in sorted(indexed_paths, key=lambda path: path.count("/"))
        if path.rpartition("/")[2] in manifests.NAMES
    ][:8]
    used = frameworks.frameworks_of_languages(
        frameworks.detect_test_frameworks(texts, indexed_paths, spoken),
        {file.language for file in diff.files},
    )
    related = dict.fromkeys(users)
    for file in limit.items_while_time_left(source[:_MAX_FILES], "their tests"):
        related |= dict.fromkeys(symbol_tests.likely_test_files(app, file.path))
    named = tuple(
        sorted((path for path in related if path not in diff.paths), key=_only_helps_tests)
    )
    runs = _COMMANDS.get(used[0], "") if used else ""
    # Somebody may paste it into a shell.
    plain = [
        path
        for path in (*changed, *named)
        if _PLAIN.fullmatch(path) and not _only_helps_tests(path)
    ]
    shown = " ".join(plain[:10])
    if runs == "go test":
        folders = dict.fromkeys(f"./{path.rpartition('/')[0]}" for path in plain)
        shown = " ".join([*folders][:10])
    command = f"{runs} {shown}" if runs and shown else ""
    if "cargo test" in used[:1]:  # it takes names of tests, not of files
        command = "cargo test"
    untested = tuple(_unnamed(app, diff, source)) if spoken else ()
    return TestsForDiff(tuple(used), changed, named, untested, (), command)


def _only_helps_tests(path: str) -> bool:
    """Whether a file among the tests is no test itself, such as ``conftest.py``."""
    return path.endswith(".py") and _COLLECTED.fullmatch(path) is None


def _unnamed(app: App, diff: ReviewedDiff, source: list[ReviewedFile]) -> list[str]:
    """The added public functions that no test names, neither in the diff nor elsewhere."""
    added: dict[str, str] = {}
    for file in source:
        before = {
            earlier.name for earlier in file.definitions_and_imports(after_diff=False).definitions
        }
        for definition in file.definitions_and_imports().definitions if file.added_ranges else ():
            public = definition.exported and not definition.name.startswith("_")
            if (
                definition.kind in ("function", "method")
                and public
                and definition.name not in before
            ):
                added[definition.name] = file.path
    tests = [file for file in diff.files if file_kinds.is_test_path(file.path) and file.new]
    in_diff = b"\n".join(file.new or b"" for file in tests)
    kinds = ("call", "type", "name", "inherit", "decorator")
    names = [name for name in added if name.encode() not in in_diff][: 3 * _MAX_NAMES]
    uses = symbols.mentions_of_names(app.store, app.worktree, names, kinds, 500) if names else []
    tested = {use.name for use in uses if file_kinds.is_test_path(use.path)}
    return [f"{added[name]}:{name}" for name in names if name not in tested][:_MAX_NAMES]


def _untested(tests: TestsForDiff, source: list[ReviewedFile]) -> Iterable[ReviewFinding]:
    by_path: dict[str, list[str]] = {}
    for definition in tests.untested:
        path, _, name = definition.rpartition(":")
        by_path.setdefault(path, []).append(one_line(name, 60))
    for file in source:
        if names := by_path.get(file.path):
            rest = f" and {len(names) - 3} more" if len(names) > 3 else ""
            message = f"No test names what it adds: {', '.join(names[:3])}{rest}"
            yield ReviewFinding("test/missing", NOTE, file.path, 0, message)
