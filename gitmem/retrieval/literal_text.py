"""Finding lines of files that contain a literal text, as grep does.

Files are read from the index, and from the disk if they were edited or added since. Both are
redacted, so secrets are never found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from functools import cache

from gitmem import languages
from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput
from gitmem.git import listing
from gitmem.indexing import file_filter, refresh
from gitmem.languages.index import PROSE
from gitmem.model.frozen import dataclass
from gitmem.retrieval.edited_file import EDITED
from gitmem.retrieval.hit_view import HitItem, escape_path
from gitmem.retrieval.question import FileScope
from gitmem.retrieval.symbols import symbol_kinds
from gitmem.search import file_kinds
from gitmem.store.code import chunks, literal_search, symbols
from gitmem.store.code.redacted_source import redact_source

# The most characters of a text, and the most matching lines.
LONGEST, MOST = 1_000, 50_000
_MOST_DEFINITIONS = 100
_IMPORT = re.compile(
    r"\s*(from\b.*\bimport|import|use|using|require|#\s*include|export\b.*\bfrom)\b"
)
_HOLDS = "holds the text"


@dataclass(frozen=True, slots=True)
class MatchingLine:
    """A line that has the text searched for; ``number`` is from 1, ``context`` what encloses it.

    ``edited``: it was read from the disk, as the file is not indexed as it is.
    """

    path: str
    language: str
    number: int
    text: str
    context: str = ""
    edited: bool = False


def find_lines_with_text(
    app: App, texts: Sequence[str], scope: FileScope, *, case_sensitive: bool
) -> list[list[MatchingLine]]:
    """For each text a list of lines that contain it, source first, then by path and number.

    Of each kind of file lines that define the text as a name come first, imports last. With
    ``case_sensitive`` upper and lower case differ. Raises InvalidInput for a text that is empty or
    over 1,000 characters.
    """
    checked = [_checked(text) for text in texts]
    edited, gone = _edited(app)
    read = {path: _read(app, path) for path in edited}
    found = []
    for text in checked:
        holds = _matcher(text, case=case_sensitive)
        now = [line for path in read for line in _on_disk(path, read[path], scope, holds)]
        before = [
            line
            for line in _indexed(app, text, scope, holds, case=case_sensitive)
            if line.path not in edited and line.path not in gone
        ]
        lines = [*now, *before]
        found.append(_in_order(lines, _defining(app, text.strip(), lines)))
    return found


def _defining(app: App, name: str, lines: Sequence[MatchingLine]) -> set[tuple[str, int]]:
    """Path and number of the lines in which a definition of exactly this name begins."""
    numbers: dict[str, list[int]] = {}
    for line in lines:
        numbers.setdefault(line.path, []).append(line.number)
    places = set[tuple[str, int]]()
    for symbol in symbols.definitions_by_name(app.store, app.worktree, name, _MOST_DEFINITIONS):
        span = range(symbol.start_line, symbol.end_line + 1)
        inside = [number for number in numbers.get(symbol.path, ()) if number in span]
        places |= {(symbol.path, min(inside))} if inside else set()
    return places


def filter_lines_by_kinds(
    app: App, lines: Sequence[MatchingLine], kinds: Sequence[str]
) -> list[MatchingLine]:
    """The lines inside a definition of one of ``kinds`` (such as function), or in an import.

    Imports count if ``kinds`` has ``import``. Lines of edited files are left out.
    """
    fits, store, tree = symbol_kinds.make_symbol_kind_filter(kinds), app.store, app.worktree
    around = cache(lambda path: list(filter(fits, symbols.symbols_of_path(store, tree, path))))
    imports = cache(lambda path: {each.line for each in symbols.imports_of_file(store, tree, path)})
    return [
        line
        for line in lines
        if not line.edited
        and (
            symbols.innermost_symbol(around(line.path), line.number)
            or (symbol_kinds.IMPORT in kinds and line.number in imports(line.path))
        )
    ]


def _in_order(
    lines: Sequence[MatchingLine], defining: Container[tuple[str, int]]
) -> list[MatchingLine]:
    known = {line.path: line.language for line in lines}
    down = {
        path: file_kinds.rank_factor_of_file(path, its, {}).factor for path, its in known.items()
    }
    # Pieces of prose overlap.
    each = {(line.path, line.number): line for line in lines}.values()

    def rank(line: MatchingLine) -> tuple[float, bool, bool, str, int]:
        place = line.path, line.number
        imports = line.language not in PROSE and bool(_IMPORT.match(line.text))
        return -down[line.path], place not in defining, imports, *place

    return sorted(each, key=rank)


def make_line_hits(
    app: App, matching_lines: Sequence[MatchingLine], context_lines: int
) -> list[HitItem]:
    """The matching lines as HitItem values, with ``context_lines`` lines before and after each."""
    known: dict[str, dict[int, str]] = {}
    hits = []
    for line in matching_lines:
        if context_lines and line.path not in known:
            known[line.path] = _lines_of(app, line)
        shown = known.get(line.path, {line.number: line.text})
        span = range(max(1, line.number - context_lines), line.number + context_lines + 1)
        symbol, context = _enclosing_symbol(app, line)
        hits.append(
            HitItem(
                kind="note" if line.language in PROSE else "code",
                path=escape_path(line.path),
                start_line=line.number,
                end_line=line.number,
                symbol=symbol,
                context=context,
                score=1.0,
                snippet="\n".join(shown.get(number, "") for number in span if number <= max(shown)),
                why=(_HOLDS, EDITED) if line.edited else (_HOLDS,),
                language=line.language,
            )
        )
    return hits


def _checked(text: str) -> str:
    if not text.strip("\n\0"):
        raise InvalidInput("There is no text to look for.", "Give some characters of a line.")
    if len(text) > LONGEST:
        raise InvalidInput(
            f"The text has {len(text):,} characters; at most {LONGEST:,} are looked for.",
            "Give a part of a line.",
        )
    if "\n" in text:
        raise InvalidInput(
            "The text has several lines, and files are looked through line by line.",
            "Give one of its lines.",
        )
    return text


def _matcher(text: str, *, case: bool) -> Callable[[str], object]:
    if case:
        return lambda line: text in line
    flags = re.IGNORECASE | (re.ASCII if text.isascii() else 0)
    return re.compile(re.escape(text), flags).search


def _edited(app: App) -> tuple[frozenset[str], frozenset[str]]:
    """Paths that were edited or added, and those that are gone, since the index."""
    try:
        todo = refresh.list_and_plan_worktree_files(app)[1]
    except GitmemError:  # where git does not answer, the index does
        return frozenset(), frozenset()
    return frozenset((*todo.added, *todo.moved)), frozenset(todo.dropped)


def _indexed(
    app: App, text: str, scope: FileScope, holds: Callable[[str], object], *, case: bool
) -> list[MatchingLine]:
    found: list[MatchingLine] = []
    for piece in literal_search.chunks_containing(
        app.store, app.worktree, text, case_sensitive=case
    ):
        if len(found) >= MOST:
            break
        if not scope.contains_file(piece.path, piece.language):
            continue
        for number, line in enumerate(piece.text.split("\n"), piece.start_line):
            if holds(line):
                found.append(MatchingLine(piece.path, piece.language, number, line, piece.context))
    return found


def _on_disk(
    path: str, lines: Sequence[str], scope: FileScope, holds: Callable[[str], object]
) -> list[MatchingLine]:
    language = languages.language(path)
    if lines and not language:
        language = languages.language_of_shebang(lines[0].encode())
    if not scope.contains_file(path, language):
        return []
    return [
        MatchingLine(path, language, number, line, edited=True)
        for number, line in enumerate(lines, 1)
        if holds(line)
    ]


def _read(app: App, path: str) -> list[str]:
    """The redacted lines of a file on disk; none if it would not be indexed."""
    data = listing.read_worktree_file(app.worktree, path)
    if data is None or file_filter.content_refusal_reason(data, is_prose=languages.is_prose(path)):
        return []
    return redact_source(file_filter.decode_text(data)).decode().split("\n")


def _lines_of(app: App, line: MatchingLine) -> dict[int, str]:
    if line.edited:
        return dict(enumerate(_read(app, line.path), 1))
    shown = chunks.blob_row_number_and_id(app.store, app.worktree, line.path)
    return {} if shown is None else chunks.line_texts_of_blob(app.store, shown[0])


def _enclosing_symbol(app: App, line: MatchingLine) -> tuple[str, str]:
    """Name and container of the innermost definition around a line; of prose the headings."""
    if line.edited or line.language in PROSE:
        return "", line.context
    inner = symbols.enclosing_symbol(app.store, app.worktree, line.path, line.number)
    return (inner.name, inner.container) if inner else ("", "")
