"""Finding the definitions that a commit changed, from the syntax of both versions of its files."""

from collections.abc import Iterable, Sequence
from time import process_time

from gitmem import languages
from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import blobs, diff
from gitmem.git.diff import DiffSides, PathChange
from gitmem.indexing import file_filter
from gitmem.model.frozen import dataclass
from gitmem.search import file_kinds

MAX_FILES = 30
MAX_FILE_BYTES = 400 * 1024  # bytes of a file
SECONDS = 1.5  # of CPU for parsing, in all
# Kinds of definitions that count; variables and keys do not.
_KINDS = frozenset(
    (
        *("class", "struct", "enum", "interface", "trait", "protocol", "record", "object", "union"),
        *("mixin", "extension", "impl", "module", "namespace", "type", "macro", "test"),
        *("function", "method", "constructor", "property", "table", "view", "trigger"),
    )
)
MAX_LINES = 20_000  # of a file's changed lines that are looked at
# Name with the names around it, first and last line.
Span = tuple[str, int, int]
Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SymbolsChangedByCommit:
    """The definitions that a commit added, removed and changed, as ``path::Outer.name``.

    ``complete`` is false if files were left out, since they are too many or too long.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class DefinitionsChangedInFile:
    """The names of the definitions that a change of a file added, removed and changed."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


def read_changed_symbols(
    app: App, diff_sides: DiffSides, path_changes: Sequence[PathChange]
) -> SymbolsChangedByCommit:
    """Return the definitions that differ in some files between two trees (``diff_sides``)."""
    code = [change for change in path_changes if not change.has_same_content and _is_code(change)]
    # Tests last.
    chosen = sorted(code, key=lambda change: file_kinds.is_test_path(change.new or change.old))[
        :MAX_FILES
    ]
    try:
        hunks = diff.changed_hunks(app.layout, diff_sides, chosen)
        names = [name for change in chosen for name in (change.blob, change.new_blob) if name]
        sized = blobs.blob_sizes(app.layout.cwd, list(dict.fromkeys(names)))
        small = {name: size for name, size in sized.items() if size <= MAX_FILE_BYTES}
        texts = dict(blobs.read_blobs(app.layout.cwd, small))
    except GitmemError:  # a partial clone lacks the objects
        return SymbolsChangedByCommit((), (), (), False)
    until = process_time() + SECONDS
    added, removed, changed = list[str](), list[str](), list[str]()
    complete = len(chosen) == len(code)
    for change in chosen:
        if process_time() > until:
            complete = False
            break
        old = _definitions(change.old, texts.get(change.blob))
        new = _definitions(change.new, texts.get(change.new_blob))
        if old is None or new is None:
            complete = False
            continue
        parts = hunks.get(change.old or change.new, ())
        removed_lines = [hunk.old for hunk in parts if hunk.old[1] >= hunk.old[0]]
        added_lines = [hunk.new for hunk in parts if hunk.new[1] >= hunk.new[0]]
        result = find_changed_definitions(old, new, removed_lines, added_lines)
        path = change.new or change.old
        added += [f"{path}::{name}" for name in result.added]
        removed += [f"{path}::{name}" for name in result.removed]
        changed += [f"{path}::{name}" for name in result.changed]
    return SymbolsChangedByCommit(tuple(added), tuple(removed), tuple(changed), complete)


def _is_code(change: PathChange) -> bool:
    path = change.new or change.old
    language = languages.language(path)
    prose = {"docs", "config", "markup"} & set(file_kinds.kinds_of_file(path, language))
    return bool(language) and not prose and not file_filter.name_refusal_reason(path)


def _definitions(path: str, data: bytes | None) -> list[Span] | None:
    """The definitions in one version of a file; None where it is too long.

    Empty where there is no such version or no grammar.
    """
    if not path:
        return []
    if data is None:
        return None
    from gitmem.indexing.syntax import extract  # noqa: PLC0415 - loads grammars

    parsed = extract.parse_source_file(languages.language(path), path, data)
    return [
        (
            ".".join(filter(None, (definition.container, definition.name))),
            definition.start_line,
            definition.end_line,
        )
        for definition in (parsed.definitions if parsed else ())
        if definition.kind in _KINDS
    ]


def find_changed_definitions(
    old_definitions: Sequence[Span],
    new_definitions: Sequence[Span],
    removed_ranges: Iterable[Range],
    added_ranges: Iterable[Range],
) -> DefinitionsChangedInFile:
    """Return the definitions of a file that a change added, removed and changed, in line order.

    Definitions are (name, first line, last line). ``removed_ranges`` are (first, last) lines of the
    old version, ``added_ranges`` of the new one. A line belongs to the innermost definition.
    """
    old, new = {name for name, *_ in old_definitions}, {name for name, *_ in new_definitions}
    gone = _innermost(old_definitions, removed_ranges)
    come = _innermost(new_definitions, added_ranges)
    added = tuple(name for name in come if name not in old)
    lost = tuple(name for name in gone if name not in new)
    stayed = [name for name in come if name in old]
    stayed += [name for name in gone if name in new and name not in stayed]
    return DefinitionsChangedInFile(added, lost, tuple(stayed))


def _innermost(spans: Sequence[Span], ranges: Iterable[Range]) -> list[str]:
    """The innermost definitions around the lines, each once, in order of lines."""
    lines: set[int] = set()
    for first, last in ranges:
        lines.update(range(first, min(last, first + MAX_LINES) + 1))
        if len(lines) > MAX_LINES:
            break
    names: dict[str, None] = {}
    # An inner definition comes after the outer one and takes over its lines.
    owner: dict[int, str] = {}
    for name, first, last in sorted(spans, key=lambda span: (span[1], -span[2])):
        for line in range(first, min(last, first + MAX_LINES) + 1):
            if line in lines:
                owner[line] = name
    for line in sorted(owner):
        names[owner[line]] = None
    return list(names)
