"""Splitting code into pieces along its definitions.

A piece is one definition, several small ones, or part of a large one. A definition keeps its
comment and its decorators. A large one is cut at the definitions inside it, and where there are
none, at its emptiest lines. Every piece names the definition around it, so that the middle of a
long method still answers for its class.

Pure: the same text and definitions give the same pieces, and no piece knows its line numbers by its
content, so one that only moved keeps its vector.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from gitmem.indexing import line_chunker
from gitmem.indexing.line_chunker import Chunk
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.indexing.syntax.values import Definition

# Characters and lines of a piece: neighbours are put together up to SIZE, one definition stays
# whole up to WHOLE, all in proportion to `index.lines`. About 750 characters retrieve best among
# the sizes tried (retrieval notes).
SIZE = 750
WHOLE = 1_000
LINES = 40
# Smaller than this, a part says nothing alone: it goes with a neighbour, whatever it stands in.
TINY = 100
NAMES = 10
_DEEPEST = 40
_LABEL = 120
_LEADS = ("#", "//", "/*", "*", "--", "@", ";;", "%%", "///", "'''", '"""', "[<", "{-")
_CALLABLE = frozenset({"constructor", "function", "macro", "method", "test"})


class _Node:
    """A definition with its lines (from 0, end excluded) and the definitions inside it."""

    __slots__ = ("children", "definition", "end", "start")

    def __init__(self, definition: Definition | None, start: int, end: int) -> None:
        self.definition = definition
        self.start = start
        self.end = end
        self.children: list[_Node] = []


@dataclass(frozen=True, slots=True)
class _Part:
    """Lines that are not cut any further, what they stand in, and the node they belong to."""

    start: int
    end: int
    context: str
    home: int


def split_code(
    text: str,
    definitions: Sequence[Definition],
    *,
    lines_per_chunk: int = line_chunker.LINES,
    line_overlap: int = 0,
) -> Iterator[Chunk]:
    """Yield the pieces of a code file as ``Chunk`` values, in order, split along its definitions.

    A piece has about ``lines_per_chunk`` lines, and twice as many at most; together they have all
    lines with text, each once. Without definitions the file is cut by its lines, and each piece
    repeats the last ``line_overlap`` lines of the piece before.
    """
    if not definitions:
        yield from line_chunker.split_into_line_chunks(
            text, max_lines=lines_per_chunk, line_overlap=line_overlap
        )
        return
    page = _SourceLines(text, lines_per_chunk)
    # By the line where its comment begins, and by its own: where a piece ends in between, both
    # pieces have the name.
    named = sorted(
        [
            (line, definition)
            for definition in definitions
            for line in (page.definition_start(definition), definition.start_line - 1)
        ],
        key=lambda pair: (pair[0], pair[1].start_line, pair[1].end_line, pair[1].name),
    )
    starts = [line for line, _ in named]
    for start, end, context in _merged(page, _parts(page, _tree(page, definitions), "", 0)):
        first, last = page.trim_blank_lines(start, end)
        if first < last:
            inside = named[bisect_left(starts, start) : bisect_left(starts, end)]
            symbol = _symbol(definition for _, definition in inside)
            yield Chunk(first + 1, last, "\n".join(page.lines[first:last]), context, symbol)


class _SourceLines:
    """The lines of a file, how many characters stand before each, and what a piece may have."""

    __slots__ = ("before", "lines", "most", "room", "whole")

    def __init__(self, text: str, lines: int) -> None:
        self.lines = text.split("\n")
        self.before = [0, *accumulate(len(line) + 1 for line in self.lines)]
        self.room = SIZE * lines // line_chunker.LINES
        self.whole = WHOLE * lines // line_chunker.LINES
        self.most = LINES * lines // line_chunker.LINES

    def character_count(self, start: int, end: int) -> int:
        """The number of characters in the lines from ``start`` (from 0) to before ``end``."""
        return self.before[end] - self.before[start]

    def fits_in_chunk(self, start: int, end: int, max_characters: int) -> bool:
        """Whether a piece may have the lines from ``start`` (from 0) to before ``end``.

        They have to be few, and to have at most ``max_characters`` characters.
        """
        return self.character_count(start, end) <= max_characters and end - start <= self.most

    def trim_blank_lines(self, start: int, end: int) -> tuple[int, int]:
        """The span (first line from 0, line after the last) without blank lines at both ends."""
        while start < end and not self.lines[start].strip():
            start += 1
        while start < end and not self.lines[end - 1].strip():
            end -= 1
        return start, end

    def comment_start(self, start: int, min_line: int) -> int:
        """The number of the line where the comment or decorators above line ``start`` begin.

        Lines count from 0; it is ``start`` itself if there are none, and never below ``min_line``.
        """
        while start > min_line and self.lines[start - 1].lstrip().startswith(_LEADS):
            start -= 1
        return start

    def definition_start(self, definition: Definition) -> int:
        """The number (from 0) of the line where a definition begins, its comment included."""
        return self.comment_start(min(definition.start_line - 1, len(self.lines)), 0)

    def indentation(self, line: int) -> int:
        """The number of characters by which a line is indented; 1,000 for a blank line."""
        text = self.lines[line]
        bare = text.lstrip()
        return len(text) - len(bare) if bare else 1_000


def _tree(page: _SourceLines, definitions: Iterable[Definition]) -> _Node:
    """Definitions nested by their lines. Other overlaps are trimmed."""
    root = _Node(None, 0, len(page.lines))
    open_nodes = [root]
    for definition in sorted(
        definitions, key=lambda definition: (definition.start_line, -definition.end_line)
    ):
        start, end = max(definition.start_line - 1, 0), min(definition.end_line, root.end)
        while len(open_nodes) > 1 and open_nodes[-1].end < end:
            start = max(start, open_nodes.pop().end)
        above = open_nodes[-1]
        same = above.definition is not None and (above.start, above.end) == (start, end)
        before = above.children[-1].end if above.children else above.start
        start = max(start, before)
        if start < end and not same and len(open_nodes) < _DEEPEST:
            node = _Node(definition, start, end)
            above.children.append(node)
            open_nodes.append(node)
    return root


def _parts(page: _SourceLines, node: _Node, context: str, start: int) -> Iterator[_Part]:
    """A node that is too large for one piece, cut at the definitions inside it.

    ``start`` is where it begins, its comment included; ``context`` what it stands in itself.
    """
    within = _joined(context, _label(node.definition))
    at, around = start, context
    for child in node.children:
        begin = page.comment_start(child.start, at)
        yield from _cut_lines(page, at, begin, around, within, id(node))
        yield from _child(page, child, begin, within, id(node))
        at, around = child.end, within
    yield from _cut_lines(page, at, node.end, around, within, id(node))


def _child(
    page: _SourceLines, child: _Node, begin: int, context: str, home: int
) -> Iterator[_Part]:
    definition = child.definition
    if not context and definition is not None:
        # A method that stands outside of its type (Go, C++): what it belongs to is all the same.
        context = definition.container
    if page.fits_in_chunk(begin, child.end, page.whole):
        yield _Part(begin, child.end, context, home)
    elif child.children:
        yield from _parts(page, child, context, begin)
    else:
        within = _joined(context, _label(definition))
        yield from _cut_lines(page, begin, child.end, context, within, id(child))


def _cut_lines(
    page: _SourceLines, start: int, end: int, context: str, rest: str, home: int
) -> Iterator[_Part]:
    """Lines without definitions, in parts of about equal size; ``rest`` is what the others are in.

    A part ends before the line that is indented least, after a blank line if there is one.
    """
    while start < end:
        stop = end if page.fits_in_chunk(start, end, page.room) else _stop(page, start, end)
        if page.character_count(stop, end) <= TINY and page.fits_in_chunk(start, end, page.whole):
            stop = end  # rather a little too large than a rest of one line
        yield _Part(start, stop, context, home)
        start, context = stop, rest


def _stop(page: _SourceLines, start: int, end: int) -> int:
    count = max(-(-page.character_count(start, end) // page.room), -(-(end - start) // page.most))
    target = min(page.character_count(start, end) // count, page.room)
    most = start + 1
    while most < end and page.fits_in_chunk(start, most + 1, page.room):
        most += 1
    least = start + 1
    while least < most and page.character_count(start, least) < target * 0.7:
        least += 1
    if most == end:
        return end  # one line that is too large alone
    best = range(most, least - 1, -1)
    return min(best, key=lambda line: (page.indentation(line), bool(page.lines[line - 1].strip())))


def _merged(page: _SourceLines, parts: Iterable[_Part]) -> Iterator[tuple[int, int, str]]:
    """Merge neighbours while they are small and have the same context."""
    held: _Part | None = None
    for part in parts:
        if held is None:
            held = part
        elif _together(page, held, part):
            held = _Part(held.start, part.end, *_join_context(page, held, part))
        else:
            yield held.start, held.end, held.context
            held = part
    if held is not None:
        yield held.start, held.end, held.context


def _together(page: _SourceLines, held: _Part, part: _Part) -> bool:
    added = page.character_count(part.start, part.end)
    if added <= TINY and not any(map(_says_something, page.lines[part.start : part.end])):
        # A closing bracket on its own stays with what it closes, blank lines with what is before.
        return page.fits_in_chunk(held.start, part.end, page.whole + TINY)
    near = held.home == part.home or min(added, page.character_count(held.start, held.end)) <= TINY
    return near and page.fits_in_chunk(held.start, part.end, page.room)


def _says_something(line: str) -> bool:
    return any(map(str.isalnum, line))


def _join_context(page: _SourceLines, held: _Part, part: _Part) -> tuple[str, int]:
    """Context and home of two merged parts: those of the first, unless it is tiny."""
    main = part if page.character_count(held.start, held.end) <= TINY else held
    return main.context, main.home


def _label(definition: Definition | None) -> str:
    if definition is None:
        return ""
    if definition.kind in _CALLABLE and definition.signature:
        return " ".join(definition.signature.split())[:_LABEL]
    return f"{definition.kind} {definition.name}"


def _joined(context: str, label: str) -> str:
    return " > ".join(part for part in (context, label) if part)


def _symbol(definitions: Iterable[Definition]) -> str:
    """Names without repeats: large definitions first, then exported ones."""
    ranked = sorted(
        definitions,
        key=lambda definition: (
            definition.start_line - definition.end_line,
            not definition.exported,
        ),
    )
    return " ".join(list(dict.fromkeys(definition.name for definition in ranked))[:NAMES])
