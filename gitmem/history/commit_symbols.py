"""Which definitions a commit touched, read from the syntax of both versions of its files."""

from collections.abc import Iterable, Sequence
from time import process_time

from gitmem import languages
from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import blobs, diff
from gitmem.git.diff import Change, Sides
from gitmem.git.patch import Hunk
from gitmem.indexing import file_filter
from gitmem.model.frozen import dataclass
from gitmem.search import file_kinds

MOST_FILES = 30
LARGEST = 400 * 1024  # bytes of a file
SECONDS = 1.5  # of CPU for parsing, in all
# What is told: not each variable and key of a file.
_TOLD = frozenset(
    (
        *("class", "struct", "enum", "interface", "trait", "protocol", "record", "object", "union"),
        *("mixin", "extension", "impl", "module", "namespace", "type", "macro", "test"),
        *("function", "method", "constructor", "property", "table", "view", "trigger"),
    )
)
MOST_LINES = 20_000  # of a file's changed lines that are looked at
# Name with the names around it, first and last line.
Span = tuple[str, int, int]
Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Symbols:
    """Names of definitions by file: what came, what went, what was changed.

    ``complete`` is false where files were left out, since they are too many or too long.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Touched:
    """The names of definitions that came, went, and have other lines than before."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


def read(app: App, between: Sides, changes: Sequence[Change]) -> Symbols:
    """The definitions that a commit touched, as ``path::Outer.name``."""
    wanted = [change for change in changes if not change.same_content and _is_code(change)]
    # What the program does comes before what its tests do.
    few = sorted(wanted, key=_is_test)[:MOST_FILES]
    try:
        hunks = diff.hunks(app.layout, between, few)
        names = [name for one in few for name in (one.blob, one.new_blob) if name]
        sized = blobs.sizes(app.layout.cwd, list(dict.fromkeys(names)))
        small = {name: size for name, size in sized.items() if size <= LARGEST}
        texts = dict(blobs.contents(app.layout.cwd, small))
    except GitmemError:  # a partial clone lacks what has to be compared
        return Symbols((), (), (), False)
    until = process_time() + SECONDS
    added, removed, changed = list[str](), list[str](), list[str]()
    complete = len(few) == len(wanted)
    for one in few:
        if process_time() > until:
            complete = False
            break
        old = _definitions(one.old, texts.get(one.blob))
        new = _definitions(one.new, texts.get(one.new_blob))
        if old is None or new is None:
            complete = False
            continue
        parts = hunks.get(one.old or one.new, ())
        found = touched(old, new, _old(parts), _new(parts))
        path = one.new or one.old
        added += [f"{path}::{name}" for name in found.added]
        removed += [f"{path}::{name}" for name in found.removed]
        changed += [f"{path}::{name}" for name in found.changed]
    return Symbols(tuple(added), tuple(removed), tuple(changed), complete)


def _is_code(change: Change) -> bool:
    path = change.new or change.old
    language = languages.language(path)
    prose = {"docs", "config", "markup"} & set(file_kinds.kinds(path, language))
    return bool(language) and not prose and not file_filter.refuse_name(path)


def _is_test(change: Change) -> bool:
    return file_kinds.is_test(change.new or change.old)


def _definitions(path: str, data: bytes | None) -> list[Span] | None:
    """The definitions of one version, none where there is no file or no grammar; None: too long."""
    if not path:
        return []
    if data is None:
        return None
    from gitmem.indexing.syntax import extract  # noqa: PLC0415 - loads grammars

    parsed = extract.parse(languages.language(path), path, data)
    return [
        (".".join(filter(None, (one.container, one.name))), one.start_line, one.end_line)
        for one in (parsed.definitions if parsed else ())
        if one.kind in _TOLD
    ]


def _old(hunks: Iterable[Hunk]) -> list[tuple[int, int]]:
    return [hunk.old for hunk in hunks if hunk.old[1] >= hunk.old[0]]


def _new(hunks: Iterable[Hunk]) -> list[tuple[int, int]]:
    return [hunk.new for hunk in hunks if hunk.new[1] >= hunk.new[0]]


def touched(
    before: Sequence[Span],
    after: Sequence[Span],
    removed: Iterable[Range],
    added: Iterable[Range],
) -> Touched:
    """What a change did to the definitions of a file, each name once and in order of its lines.

    ``removed`` are lines of the old version, ``added`` of the new one. A line belongs to the
    innermost definition around it.
    """
    old, new = {name for name, *_ in before}, {name for name, *_ in after}
    gone = _around(before, removed)
    come = _around(after, added)
    fresh = tuple(name for name in come if name not in old)
    lost = tuple(name for name in gone if name not in new)
    kept = [name for name in come if name in old]
    kept += [name for name in gone if name in new and name not in kept]
    return Touched(fresh, lost, tuple(kept))


def _around(spans: Sequence[Span], ranges: Iterable[Range]) -> list[str]:
    """The innermost definition around each line, each once, by where they begin."""
    lines: set[int] = set()
    for first, last in ranges:
        lines.update(range(first, min(last, first + MOST_LINES) + 1))
        if len(lines) > MOST_LINES:
            break
    found: dict[str, None] = {}
    # An inner definition comes after the one it stands in, and takes the lines from it.
    owner: dict[int, str] = {}
    for name, first, last in sorted(spans, key=lambda span: (span[1], -span[2])):
        for line in range(first, min(last, first + MOST_LINES) + 1):
            if line in lines:
                owner[line] = name
    for line in sorted(owner):
        found[owner[line]] = None
    return list(found)
