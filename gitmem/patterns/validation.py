"""Checking files, or the lines that a diff adds, against patterns."""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from time import process_time

from gitmem import languages
from gitmem.app import App
from gitmem.errors import NotFound
from gitmem.git import blobs, diff, listing
from gitmem.git.diff import DiffSides
from gitmem.indexing import file_filter
from gitmem.indexing.index_settings import index_settings
from gitmem.indexing.syntax import code_facts, extract, grammars
from gitmem.model import project_key
from gitmem.model.frozen import dataclass, replace
from gitmem.patterns import checker
from gitmem.patterns.pattern_store import StoredPattern

# CPU seconds after which a pattern is skipped for the remaining files.
MOST_SECONDS = 20.0
LARGEST = extract.LARGEST
# Path, content, and the lines that count; None: all of them.
FileToCheck = tuple[str, bytes, Sequence[tuple[int, int]] | None]


@dataclass(frozen=True, slots=True)
class PatternViolation:
    """A line of a file that breaks a pattern, ``what`` is wrong in it, and the pattern."""

    path: str
    line: int
    what: str
    stored: StoredPattern


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """The PatternViolations in code, by path and line, and how many files and lines were checked.

    ``slow`` are the names of patterns that took too long and were skipped for some files. For a
    piece of code ``concerned`` is the number of patterns for its language.
    """

    findings: tuple[PatternViolation, ...]
    files: int
    lines: int
    slow: tuple[str, ...] = ()
    concerned: int = 0


@dataclass(frozen=True, slots=True)
class ValidationScope:
    """What to check against patterns: the two sides of a diff, or paths (none: all files)."""

    between: DiffSides | None = None
    paths: tuple[str, ...] = ()


def parse_validation_scope(
    app: App, paths_or_range: Sequence[str], *, changed_only: bool, staged_only: bool
) -> ValidationScope:
    """The ValidationScope for words of a command: paths from the root, or a range ``main..HEAD``.

    ``changed_only``: only lines changed since HEAD; ``staged_only``: only staged ones. Raises
    NotFound for any other word, and what ``git.diff.resolve_diff_sides`` raises.
    """
    paths, revisions = [], ""
    for word in paths_or_range:
        if os.path.lexists(os.path.join(app.worktree, word)):
            paths.append(word)
        elif ".." in word and not word.startswith(("../", "/")) and not revisions:
            revisions = word
        else:
            raise NotFound(
                f"There is no file or folder {word[:120]!r} here.",
                "Give paths, or one range of revisions: main..HEAD.",
            )
    if not (revisions or changed_only or staged_only):
        return ValidationScope(None, tuple(paths))
    return ValidationScope(
        diff.resolve_diff_sides(app.layout, revisions, staged=staged_only), tuple(paths)
    )


def validate_scope(
    app: App, patterns: Sequence[StoredPattern], scope: ValidationScope
) -> ValidationReport:
    """The ValidationReport on the files of a scope; of a diff only the lines that it adds count."""
    return (
        check_files_against_patterns(app, patterns, _files(app, scope))
        if patterns
        else ValidationReport((), 0, 0)
    )


def check_files_against_patterns(
    app: App, patterns: Sequence[StoredPattern], files_to_check: Iterable[FileToCheck]
) -> ValidationReport:
    """The ValidationReport on files, given as (path, content, ranges of lines or None: all)."""
    seconds_by_pattern = defaultdict[str, float](float)
    folders = _folders(app, patterns)
    findings: list[PatternViolation] = []
    files = lines = 0
    for path, data, counted in files_to_check:
        language = languages.language(path)
        near = [
            pattern
            for pattern in patterns
            if path.startswith(folders.get(pattern.memory.project, ""))
        ]
        concerned = [stored for stored in near if _applies(stored, path, language)]
        if not concerned:
            continue
        files += 1
        lines += data.count(b"\n")
        for finding in _check_file(path, language, data, concerned, seconds_by_pattern):
            if counted is None or any(first <= finding.line <= last for first, last in counted):
                findings.append(finding)
    findings.sort(key=lambda finding: (finding.path, finding.line, finding.stored.pattern.name))
    return ValidationReport(tuple(findings), files, lines, _slow(seconds_by_pattern))


def check_code_against_patterns(
    patterns: Sequence[StoredPattern], code: str, language: str = ""
) -> ValidationReport:
    """The ValidationReport on a piece of code without a path; line numbers are its own.

    ``language`` is its language, empty: the first that parses it. Rules for some paths do not
    apply.
    """
    data = code.encode("utf-8", "replace")
    rules = [pattern.pattern.rule for pattern in patterns if pattern.pattern.rule is not None]
    # Languages of most rules first. Without a tag, PHP reads any text as a page without code.
    possible = [name for name in _COMMON if name != "php" or "<?" in code]
    likely = sorted(possible, key=lambda name: -sum(name in rule.languages for rule in rules))
    for candidate in (language,) if language else likely:
        facts = code_facts.read_code_facts(candidate, f"code.{candidate}", data)
        if facts is not None and (language or not facts.errors):
            seconds_by_pattern = defaultdict[str, float](float)
            concerned = [
                stored for stored in patterns if _applies(stored, f"code.{candidate}", candidate)
            ]
            findings = _check_file("", candidate, data, concerned, seconds_by_pattern)
            lines = data.count(b"\n") + 1
            return ValidationReport(
                tuple(findings), 1, lines, _slow(seconds_by_pattern), len(concerned)
            )
    return ValidationReport((), 0, 0)


_COMMON = ("python", "typescript", "go", "rust", "java", "ruby", "php", "csharp", "cpp", "kotlin")


def _slow(seconds_by_pattern: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(
        sorted(name for name, seconds in seconds_by_pattern.items() if seconds > MOST_SECONDS)
    )


def _applies(stored: StoredPattern, path: str, language: str) -> bool:
    rule = stored.pattern.rule
    return rule is not None and bool(language) and rule.applies_to_file(path, language)


def _folders(app: App, patterns: Sequence[StoredPattern]) -> dict[str, str]:
    """Key of a sub-project -> the folder that its patterns are for, with a final slash."""
    parts = {
        pattern.memory.project: project_key.split_project_key(pattern.memory.project)[1]
        for pattern in patterns
    }
    if not any(parts.values()):
        return {}
    from gitmem.branches import subproject_files  # noqa: PLC0415 - most are one project

    folders_by_name = {
        subproject.name: subproject.folder.strip("/") + "/"
        for subproject in subproject_files.declared_subprojects(app)
    }
    return {key: folders_by_name[name] for key, name in parts.items() if name in folders_by_name}


def _check_file(
    path: str,
    language: str,
    data: bytes,
    concerned: Sequence[StoredPattern],
    seconds_by_pattern: defaultdict[str, float],
) -> Iterator[PatternViolation]:
    rules = [stored.pattern.rule for stored in concerned if stored.pattern.rule is not None]
    if file_filter.is_utf16(data):
        data = file_filter.decode_text(data).encode()
    source = checker.prepare_source_file(path, language, data, rules)
    if source is None:
        return
    for stored in concerned:
        name, rule = stored.pattern.name, stored.pattern.rule
        if rule is None or seconds_by_pattern[name] > MOST_SECONDS:
            continue
        begin = process_time()
        for breach in checker.find_rule_violations(rule, name, source):
            yield PatternViolation(path, breach.line, breach.what, stored)
        seconds_by_pattern[name] += process_time() - begin


def _refuse(app: App) -> Callable[[str, bool], str]:
    """The filter of the index, which also applies here, even if indexing is disabled."""
    return replace(index_settings(app.settings), enabled=True).refusal_reason


def _files(app: App, scope: ValidationScope) -> Iterator[FileToCheck]:
    if scope.between is not None:
        yield from _changed(app, scope.between, scope.paths)
        return
    for path, data in read_source_files(app, scope.paths):
        yield path, data, None


def read_source_files(app: App, folders: Sequence[str] = ()) -> Iterator[tuple[str, bytes]]:
    """Yield (path, content) of the files that gitmem can parse, all or those in ``folders``."""
    for path in sorted(listing.list_files(app.layout, _refuse(app), only_paths=folders).blobs):
        if _has_syntax(path):
            data = _on_disk(app, path)
            if data is not None and not file_filter.content_refusal_reason(data, LARGEST):
                yield path, data


def _changed(app: App, between: DiffSides, paths: Sequence[str]) -> Iterator[FileToCheck]:
    """The new versions of the files of a diff, with the lines that it adds."""
    refuse = _refuse(app)
    changed = [
        change
        for change in diff.changed_paths(app.layout, between)
        if change.new
        and _has_syntax(change.new)
        and not refuse(change.new, True)
        and _is_below(change.new, paths)
    ]
    hunks = diff.changed_hunks(app.layout, between, changed) if changed else {}
    stored: dict[str, bytes] = {}
    if between.new:
        sized = blobs.blob_sizes(
            app.layout.cwd, [change.new_blob for change in changed if change.new_blob]
        )
        small = {id: size for id, size in sized.items() if size <= LARGEST}
        stored = dict(blobs.read_blobs(app.layout.cwd, small))
    for change in changed:
        data = stored.get(change.new_blob) if between.new else _on_disk(app, change.new)
        if data is not None and not file_filter.content_refusal_reason(data, LARGEST):
            added = (hunk.new for hunk in hunks.get(change.old or change.new, ()))
            yield change.new, data, [lines for lines in added if lines[0] <= lines[1]]


def _on_disk(app: App, path: str) -> bytes | None:
    return listing.read_worktree_file(listing.listed_files_root(app.layout), path, LARGEST)


def _is_below(path: str, folders: Sequence[str]) -> bool:
    return not folders or any(
        folder == "." or path == folder or path.startswith(f"{folder.rstrip('/')}/")
        for folder in folders
    )


def _has_syntax(path: str) -> bool:
    language = languages.language(path)
    return (
        bool(language)
        and grammars.grammar_name(path, language) != ""
        and not file_filter.path_contains_secret(path)
    )
