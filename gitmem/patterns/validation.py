"""Files, or what a diff adds to them, held against the patterns that are checked here."""

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import process_time

from gitmem import languages
from gitmem.app import App
from gitmem.errors import NotFound
from gitmem.git import blobs, diff, listing
from gitmem.git.diff import Sides
from gitmem.indexing import file_filter, knobs
from gitmem.indexing.syntax import code_facts, extract, grammars
from gitmem.model import project_key
from gitmem.model.frozen import dataclass, replace
from gitmem.patterns import checker
from gitmem.patterns.pattern_store import Stored

# Processor time, in seconds, after which one pattern is left out of the files that are left.
MOST_SECONDS = 20.0
LARGEST = extract.LARGEST


@dataclass(frozen=True, slots=True)
class Finding:
    """A line that goes against a pattern."""

    path: str
    line: int
    what: str
    stored: Stored


@dataclass(frozen=True, slots=True)
class Report:
    """The findings in order of path and line, and what was looked at.

    ``slow`` are the names of patterns that took too long and were left out of some files.
    """

    findings: tuple[Finding, ...]
    files: int
    lines: int
    slow: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """What is to be checked: the sides of a diff, or files and folders (none: all)."""

    between: Sides | None = None
    paths: tuple[str, ...] = ()


def scope(app: App, said: Sequence[str], *, changed: bool, staged: bool) -> Scope:
    """What words of a command mean: paths from the root, or one range of revisions.

    Raises NotFound for what is neither, and what ``diff.sides`` raises.
    """
    paths, revisions = [], ""
    for word in said:
        if os.path.lexists(os.path.join(app.worktree, word)):
            paths.append(word)
        elif ".." in word and not word.startswith(("../", "/")) and not revisions:
            revisions = word
        else:
            raise NotFound(
                f"There is no file or folder {word[:120]!r} here.",
                "Give paths, or one range of revisions: main..HEAD.",
            )
    if not (revisions or changed or staged):
        return Scope(None, tuple(paths))
    return Scope(diff.sides(app.layout, revisions, staged=staged), tuple(paths))


def run(app: App, patterns: Sequence[Stored], scope: Scope) -> Report:
    """Hold the files of a scope against some patterns, of a diff only the lines that it adds."""
    if not patterns:
        return Report((), 0, 0)
    taken = defaultdict[str, float](float)
    folders = _folders(app, patterns)
    findings: list[Finding] = []
    files = lines = 0
    for path, data, kept in _files(app, scope):
        language = languages.language(path)
        near = [
            pattern
            for pattern in patterns
            if path.startswith(folders.get(pattern.memory.project, ""))
        ]
        concerned = [one for one in near if _concerns(one, path, language)]
        if not concerned:
            continue
        files += 1
        lines += data.count(b"\n")
        for found in _of_file(path, language, data, concerned, taken):
            if kept is None or any(first <= found.line <= last for first, last in kept):
                findings.append(found)
    findings.sort(key=lambda one: (one.path, one.line, one.stored.pattern.name))
    return Report(tuple(findings), files, lines, _slow(taken))


def of_code(patterns: Sequence[Stored], code: str, language: str = "") -> Report:
    """Hold a piece of code against some patterns, as the language that it reads as without errors.

    It stands nowhere, so rules for some paths do not count.
    """
    data = code.encode("utf-8", "replace")
    rules = [pattern.pattern.rule for pattern in patterns if pattern.pattern.rule is not None]
    # Those first that most patterns speak of.
    likely = sorted(_COMMON, key=lambda one: -sum(one in rule.languages for rule in rules))
    for one in (language,) if language else likely:
        facts = code_facts.read(one, f"code.{one}", data)
        if facts is not None and (language or not facts.errors):
            taken = defaultdict[str, float](float)
            wanted = [each for each in patterns if _concerns(each, f"code.{one}", one)]
            found = _of_file("", one, data, wanted, taken)
            return Report(tuple(found), 1, data.count(b"\n") + 1, _slow(taken))
    return Report((), 0, 0)


_COMMON = ("python", "typescript", "go", "rust", "java", "ruby", "php", "csharp", "cpp", "kotlin")


def _slow(taken: Mapping[str, float]) -> tuple[str, ...]:
    """The names of patterns that took too long."""
    return tuple(sorted(name for name, seconds in taken.items() if seconds > MOST_SECONDS))


def _concerns(stored: Stored, path: str, language: str) -> bool:
    rule = stored.pattern.rule
    return rule is not None and bool(language) and rule.concerns(path, language)


def _folders(app: App, patterns: Sequence[Stored]) -> dict[str, str]:
    """By the key of a sub-project the folder that its patterns are for, with a slash at its end."""
    parts = {
        pattern.memory.project: project_key.split(pattern.memory.project)[1] for pattern in patterns
    }
    if not any(parts.values()):
        return {}
    from gitmem.branches import subproject_files  # noqa: PLC0415 - most are one project

    known = {one.name: one.folder.strip("/") + "/" for one in subproject_files.declared(app)}
    return {key: known[name] for key, name in parts.items() if name in known}


def _of_file(
    path: str,
    language: str,
    data: bytes,
    concerned: Sequence[Stored],
    taken: defaultdict[str, float],
) -> Iterator[Finding]:
    rules = [one.pattern.rule for one in concerned if one.pattern.rule is not None]
    if file_filter.is_utf16(data):
        data = file_filter.decode(data).encode()
    source = checker.source(path, language, data, rules)
    if source is None:
        return
    for one in concerned:
        name, rule = one.pattern.name, one.pattern.rule
        if rule is None or taken[name] > MOST_SECONDS:
            continue
        begin = process_time()
        for breach in checker.breaches(rule, name, source):
            yield Finding(path, breach.line, breach.what, one)
        taken[name] += process_time() - begin


# --- what is read -------------------------------------------------------------------------------


def _refuse(app: App) -> Callable[[str, bool], str]:
    """What the index leaves out is not checked either; whether there is an index does not count."""
    return replace(knobs.of_settings(app.settings), enabled=True).refuse


# Path, content, and the lines that count; None: all of them.
_File = tuple[str, bytes, Sequence[tuple[int, int]] | None]


def _files(app: App, scope: Scope) -> Iterator[_File]:
    if scope.between is not None:
        yield from _changed(app, scope.between, scope.paths)
        return
    for path, data in every_file(app, scope.paths):
        yield path, data, None


def every_file(app: App, below: Sequence[str] = ()) -> Iterator[tuple[str, bytes]]:
    """The files of the worktree that have a syntax tree, by path; ``below`` some folders only."""
    for path in sorted(listing.read(app.layout, _refuse(app), only=below).blobs):
        if _has_syntax(path):
            data = _on_disk(app, path)
            if data is not None and not file_filter.refuse_content(data, LARGEST):
                yield path, data


def _changed(app: App, between: Sides, paths: Sequence[str]) -> Iterator[_File]:
    """The new versions of what a diff changes, with the lines that it puts in."""
    refuse = _refuse(app)
    changed = [
        change
        for change in diff.changes(app.layout, between)
        if change.new
        and _has_syntax(change.new)
        and not refuse(change.new, True)
        and _below(change.new, paths)
    ]
    hunks = diff.hunks(app.layout, between, changed) if changed else {}
    stored: dict[str, bytes] = {}
    if between.new:
        sized = blobs.sizes(app.layout.cwd, [one.new_blob for one in changed if one.new_blob])
        small = {id: size for id, size in sized.items() if size <= LARGEST}
        stored = dict(blobs.contents(app.layout.cwd, small))
    for one in changed:
        data = stored.get(one.new_blob) if between.new else _on_disk(app, one.new)
        if data is not None and not file_filter.refuse_content(data, LARGEST):
            added = (hunk.new for hunk in hunks.get(one.old or one.new, ()))
            yield one.new, data, [lines for lines in added if lines[0] <= lines[1]]


def _on_disk(app: App, path: str) -> bytes | None:
    return listing.read_file(listing.root(app.layout), path, LARGEST)


def _below(path: str, folders: Sequence[str]) -> bool:
    return not folders or any(
        folder == "." or path == folder or path.startswith(f"{folder.rstrip('/')}/")
        for folder in folders
    )


def _has_syntax(path: str) -> bool:
    language = languages.language(path)
    return (
        bool(language)
        and grammars.name(path, language) != ""
        and not file_filter.names_secret(path)
    )
