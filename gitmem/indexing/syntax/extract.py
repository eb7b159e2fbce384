"""Extracting the definitions, references and imports of a file, by its grammar's query.

``captures`` says what queries may capture, ``nesting`` how it becomes definitions. Any bytes are
fine: what cannot be read as its language is passed over, and parsing is stopped by processor time,
since some grammars turn quadratic on nonsense.
"""

from __future__ import annotations

from re import DOTALL, Match, compile
from time import process_time

from gitmem.indexing.syntax import (
    bindings,
    grammars,
    import_time,
    line_patterns,
    nesting,
    statements,
)
from gitmem.indexing.syntax.captures import Captures
from gitmem.indexing.syntax.values import Definition, Import, ParsedFile, Use
from gitmem.languages import registry
from gitmem.languages.record import ALL, ImportedName
from gitmem.model.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tree_sitter import Language, Range, Tree

LARGEST = 400 * 1024
SECONDS = 2.0
WIDEST = 8000  # parts of one error
# Files up to this size are parsed without a watch: even a quadratic one is done in a second.
_SMALL = 8 * 1024
_PIECE = 64 * 1024
# Every byte above ASCII as an underscore.
_ASCII = bytes(range(128)) + b"_" * 128
_STATEMENT = 64_000
_COMMENT = compile(r"#[^\n]*|//[^\n]*|/\*.*?\*/", DOTALL)


def parse_source_file(
    language: str, path: str, data: bytes, cpu_clock: Callable[[], float] = process_time
) -> ParsedFile | None:
    """The definitions, references and imports of a file, as a ParsedFile.

    A language without a grammar is read by line patterns. None if it has neither, for a file over
    400 KB, or after two seconds by ``cpu_clock``.
    """
    if len(data) > LARGEST:
        return None
    name = grammars.grammar_name(path, language, data)
    if not name:
        return line_patterns.parse_by_patterns(language, data)
    grammar, query = grammars.load_grammar(name), grammars.load_grammar_query(name)
    if grammar is None or query is None:
        return None
    captures = Captures(name, data)
    read, errors = 0, False
    for tree in _trees(name, grammar, _blanked(name, _readable(data)), cpu_clock):
        if tree is None or _senseless(tree):
            errors = True
            continue
        captures.read(query, tree)
        read += 1
        errors = errors or tree.root_node.has_error
    return _parsed(captures, errors) if read or not data else None


def parse_syntax_tree(
    grammar_name: str, data: bytes, cpu_clock: Callable[[], float] = process_time
) -> Tree | None:
    """The tree-sitter syntax tree of a file.

    None if there is no such grammar, for a file over 400 KB or one that makes no sense in its
    language, or after two seconds by ``cpu_clock``.
    """
    grammar = grammars.load_grammar(grammar_name) if len(data) <= LARGEST else None
    if grammar is None:
        return None
    found = _tree(grammar, _readable(data), cpu_clock)
    return None if found is None or _senseless(found) else found


def _trees(
    name: str, grammar: Language, data: bytes, clock: Callable[[], float]
) -> Iterator[Tree | None]:
    """The syntax tree, or those of the file's pieces as far as the time goes."""
    if not statements.must_parse_by_statement(name, None):
        tree = _tree(grammar, data, clock)
        if tree is None or not statements.must_parse_by_statement(name, tree):
            yield tree
            return
    until, texts = clock() + SECONDS, statements.blank_sql_bodies(name, data)
    for piece in statements.statement_spans(name, data):
        if clock() > until:
            yield None
            return
        tree = _tree(grammar, data, clock, piece)
        yield tree
        first, last = piece.start_byte, piece.end_byte
        if tree and tree.root_node.has_error and texts[first:last] != data[first:last]:
            yield _tree(grammar, texts, clock, piece)


def _blanked(name: str, data: bytes) -> bytes:
    """The file with what its grammar cannot read made blank; every position stays."""
    macros = registry.language_properties(name).blanked
    return compile(macros).sub(_blank, data) if macros else data


def _blank(line: Match[bytes]) -> bytes:
    return b" " * len(line[0])


def _readable(data: bytes) -> bytes:
    """The file itself, or with underscores for all but ASCII where it is no UTF-8.

    A predicate of a query that meets other bytes ends the process (tree-sitter 0.26.1). Positions
    stay, and texts are taken from the file itself.
    """
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.translate(_ASCII)
    return data


def _tree(
    grammar: Language, data: bytes, clock: Callable[[], float], piece: Range | None = None
) -> Tree | None:
    """The syntax tree, of a piece alone where there is one; None where parsing was stopped.

    Only a parser that reads by a function can be stopped. Its tree is then given to a parse of the
    bytes, which takes it over: predicates of queries are slow, and crash, on the former.
    """
    from tree_sitter import Parser  # noqa: PLC0415 - 16 ms, only where files are parsed

    parser = Parser(grammar)
    if piece:
        parser.included_ranges = [piece]
    if (piece.end_byte - piece.start_byte if piece else len(data)) <= _SMALL:
        return parser.parse(data)
    until, pieces = clock() + SECONDS, _Pieces(data)
    try:
        watched = parser.parse(
            pieces.read, progress_callback=lambda _offset, _error: clock() > until
        )
        return parser.parse(data, old_tree=watched)
    except ValueError:  # stopped
        return None
    finally:
        pieces.clear()


class _Pieces:
    """What a parser has read. tree-sitter 0.26.1 never lets go of a piece, so they are emptied."""

    __slots__ = ("data", "given")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.given: list[bytearray] = []

    def read(self, offset: int, _point: object) -> bytearray | None:
        """The next at most 64 KB of the file from byte ``offset``; None at the end."""
        piece = bytearray(self.data[offset : offset + _PIECE])
        self.given.append(piece)
        return piece or None

    def clear(self) -> None:
        """Free the memory of the pieces that were read."""
        for piece in self.given:
            piece.clear()


def _senseless(tree: Tree) -> bool:
    """Whether so much in one place could not be read that a query would take its square in time."""
    suspects = [tree.root_node] if tree.root_node.has_error else []
    while suspects:
        node = suspects.pop()
        if node.is_error and node.child_count > WIDEST:
            return True
        suspects.extend([child for child in node.children if child.has_error])
    return False


def _parsed(captures: Captures, errors: bool) -> ParsedFile:
    definitions = nesting.nested_definitions(captures)
    own = {(each.name, each.line) for each in definitions}
    if registry.language_properties(captures.grammar).clauses:
        definitions = join_function_clauses(definitions)
    return ParsedFile(
        tuple(definitions),
        tuple(captures.references(own)),
        tuple(
            [Import(module, tuple(names), at) for module, names, at in captures.imports.values()]
        ),
        errors,
        tuple(_uses(captures)),
    )


MOST_USES = 20_000


def _uses(captures: Captures) -> list[Use]:
    """What a file takes in, calls and binds, by line."""
    grammar, data = captures.grammar, captures.data
    language = registry.language_properties(grammar)
    if language.resolve is None:
        return []
    found: dict[Use, None] = {}
    for at, (start, stop) in captures.statements.items():
        module, _, line = captures.imports[at]
        if language.paths and not data.startswith((b"use", b"pub", b"extern"), start):
            continue  # a list inside of a list: its statement tells it whole
        names = imported_names(grammar, data, (start, stop), module, captures.times[at])
        for kind, taken in names:
            found[(line, kind, *taken)] = None
    for kind, line, on, name in captures.name_uses():
        found[(line, kind, on, name, "")] = None
    for line, name, kind, value in bindings.find_name_bindings(grammar, data, captures.remarks):
        found[(line, kind, name, value, "")] = None
    return sorted(found)[:MOST_USES]


def join_function_clauses(definitions: list[Definition]) -> list[Definition]:
    """The definitions, with neighbours of the same name, kind and container joined into one.

    So the equations of a Haskell function, or the clauses of an Elixir one, are one definition. A
    type signature counts as the first clause; definitions inside a clause do not separate it from
    the next one.
    """
    merged: list[Definition] = []
    latest: dict[str, list[int]] = {}  # container -> indexes in merged of its last line's
    for each in definitions:
        near = latest.setdefault(each.container, [])
        at = next((index for index in near if _same(merged[index], each)), None)
        if at is not None:
            merged[at] = _both(merged[at], each)
            continue
        if near and merged[near[0]].start_line != each.start_line:
            near.clear()
        near.append(len(merged))
        merged.append(each)
    return merged


def _same(definition: Definition, other: Definition) -> bool:
    return (definition.name, definition.kind) == (other.name, other.kind)


def _both(first: Definition, next_: Definition) -> Definition:
    return replace(
        first,
        end_line=max(first.end_line, next_.end_line),
        doc=first.doc or next_.doc,
        exported=first.exported or next_.exported,
    )


def imported_names(
    grammar: str, data: bytes, byte_span: tuple[int, int], module: str, import_kind: str
) -> list[tuple[str, ImportedName]]:
    """The names that an import statement imports: (kind, (module, name there, name here)).

    ``byte_span`` is the first and last byte of the statement. ``import_kind`` is the kind to give
    them, import or late-import; a name imported as a type only gets type-import instead. The name
    there is "" for the module itself and ``*`` for all its names; the name here is "" if there is
    none.
    """
    start, stop = byte_span
    words = data[start : min(stop, start + _STATEMENT)].decode("utf-8", "replace")
    language = registry.language_properties(grammar)
    if language.read_import is None:
        return [(import_kind, (module, ALL, ""))]
    words = _COMMENT.sub(" ", words)
    before = data[max(0, start - 400) : start].decode("utf-8", "replace")
    names = language.read_import(words, module, before)
    if not language.exports_alone:
        return [(import_kind, name) for name in names]
    types = import_time.type_only_imported_names(words.lstrip())
    return [
        (import_time.TYPES if types is None or name[2] in types else import_kind, name)
        for name in names
    ]
