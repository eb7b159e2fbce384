"""Functions that the diff adds and that exist already, by name and signature or by their bodies.

A finding needs nearly the same lines; the same name and parameters alone are a note.
"""

import re
from collections.abc import Iterator

from gitmem.app import App
from gitmem.git.display import display_path
from gitmem.indexing.syntax.values import Definition
from gitmem.model.frozen import dataclass
from gitmem.model.review_finding import NOTE, WARNING, ReviewFinding
from gitmem.review.reviewed_diff import ReviewedDiff, ReviewedFile
from gitmem.review.time_limit import TimeLimit
from gitmem.search import file_kinds
from gitmem.store.code import literal_search, symbols
from gitmem.store.code.symbols import Symbol
from gitmem.text import code_fingerprint
from gitmem.text.code_fingerprint import Fingerprint
from gitmem.text.fence import one_line

# Lines that are not blank, and characters of the body, of a function that is compared.
_MIN_LINES, _MIN_SIZE = 6, 120
_SAME, _ALIKE = 0.9, 0.5  # shares of equal lines
_MAX_FUNCTIONS, _MAX_PLACES = 60, 8
# Every project has several of these.
_USUAL = re.compile(
    r"(?:_*(?:main|run|init|setup|teardown|new|create|build|start|stop|close|open|get|set|update|"
    r"delete|list|show|add|remove|handle|call|apply|render|parse|load|save|read|write|test|reset|"
    r"configure|install|register|upgrade|downgrade|wrapper|decorator|inner|index)|test_?\w*)_*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Added:
    """A function that the diff adds, and the fingerprint of its body."""

    file: ReviewedFile
    definition: Definition
    print: Fingerprint


def find_duplicated_functions(
    app: App, diff: ReviewedDiff, limit: TimeLimit
) -> list[ReviewFinding]:
    """Return a finding for each added function whose body another file already has, or nearly."""
    if not app.has_store:
        return []
    findings = []
    added = [
        each
        for file in limit.items_while_time_left(diff.files, "added functions")
        for each in _added(file)
    ]
    for function in added[:_MAX_FUNCTIONS]:
        if limit.is_over:
            break
        place = next(_places(app, diff, function), None)
        if place is not None:
            findings.append(_finding(function, *place))
    if len(added) > _MAX_FUNCTIONS:
        limit.notes.append(f"Only {_MAX_FUNCTIONS} of {len(added)} added functions were compared.")
    return findings


def _finding(added: _Added, symbol: Symbol, share: float) -> ReviewFinding:
    how = "has the same lines as" if share == 1 else "has nearly the same lines as"
    if share < _SAME:
        how = "has the name and parameters of"
    name, other = (one_line(definition.name, 60) for definition in (added.definition, symbol))
    return ReviewFinding(
        "function/exists",
        WARNING if share >= _SAME else NOTE,
        added.file.path,
        added.definition.line,
        f"{name} {how} {other} in {display_path(symbol.path)}:{symbol.start_line}",
    )


def _added(file: ReviewedFile) -> Iterator[_Added]:
    """The functions of a file that are new in it as a whole, and inside no other function."""
    if not (file.is_source and file.added_ranges):
        return
    before = {
        earlier.name for earlier in file.definitions_and_imports(after_diff=False).definitions
    }
    outer = 0  # the last line of the function that the next ones may be inside
    for definition in sorted(
        file.definitions_and_imports().definitions,
        key=lambda each: (each.start_line, -each.end_line),
    ):
        if definition.kind not in ("function", "method") or definition.end_line <= outer:
            continue
        outer = definition.end_line
        lines = file.new_lines[definition.start_line - 1 : definition.end_line]
        if (
            definition.name not in before
            and all(file.is_added_line(number) for number in (definition.line, definition.end_line))
            and sum(bool(line.strip()) for line in lines) >= _MIN_LINES
        ):
            print = code_fingerprint.fingerprint_of_block(_body(definition, lines))
            if print.size >= _MIN_SIZE:
                yield _Added(file, definition, print)


def _body(definition: Definition, lines: list[str]) -> list[str]:
    """The lines below the one with the name, which may differ."""
    return lines[definition.line - definition.start_line + 1 :]


def _places(app: App, diff: ReviewedDiff, added: _Added) -> Iterator[tuple[Symbol, float]]:
    """The definitions elsewhere that are the same, and the share of equal lines."""
    for symbol in _candidates(app, added):
        if symbol.language != added.file.language or symbol.kind not in ("function", "method"):
            continue
        block = _block(app, diff, symbol)
        if not block or "test" in file_kinds.kinds_of_file(symbol.path, ""):
            continue
        share = code_fingerprint.fraction_retained(added.print, "\n".join(block))
        size = sum(bool(line.strip()) for line in block)
        same = share >= _SAME and size <= added.print.lines * 1.3 + 2
        if same or (share >= _ALIKE and _same_head(added.definition, symbol)):
            yield symbol, share if same else min(share, _ALIKE)


def _block(app: App, diff: ReviewedDiff, symbol: Symbol) -> list[str]:
    """The lines of a definition after the diff; none if it is not there, or came with the diff."""
    first, last = symbol.start_line, symbol.end_line
    if symbol.path in diff.paths:
        file = next((other for other in diff.files if other.path == symbol.path), None)
        for definition in file.definitions_and_imports().definitions if file else ():
            if definition.name == symbol.name and file and not file.is_added_line(definition.line):
                return file.new_lines[definition.start_line - 1 : definition.end_line]
        return []  # what the diff moves is not there twice
    block = diff.unchanged_text(app, symbol.path).split("\n")[first - 1 : last]
    # Otherwise the index is of another state.
    return block if any(symbol.name in line for line in block) else []


def _candidates(app: App, added: _Added) -> list[Symbol]:
    """Definitions of the same name, and those that hold the most telling lines."""
    hits = {}
    if not _USUAL.fullmatch(added.definition.name):
        for symbol in symbols.definitions_by_name(
            app.store, app.worktree, added.definition.name, _MAX_PLACES
        ):
            hits[symbol.id] = symbol
    for word in added.print.names[:2]:
        if len(word) < 8:
            continue
        for piece in literal_search.chunks_with_word(app.store, app.worktree, word, _MAX_PLACES):
            if any(probe.strip() in piece.text for probe in added.print.probes):
                for symbol in symbols.symbols_in_lines(
                    app.store, app.worktree, piece.path, piece.start_line,
                    piece.start_line + piece.text.count("\n"),
                ):  # fmt: skip
                    hits[symbol.id] = symbol
    return list(hits.values())


def _same_head(definition: Definition, symbol: Symbol) -> bool:
    """Whether two functions have the same name and parameters, and belong to no class."""
    alone = not definition.container and not symbol.container
    return alone and definition.name == symbol.name and definition.signature == symbol.signature
