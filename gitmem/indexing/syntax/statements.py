"""Reading files statement by statement where the grammar lacks the file's dialect.

One trigger or routine of SQL in a dialect's own language would take the rest of the file with it,
and so would a word of zsh that bash has not. So a file is cut where a statement begins at the start
of a line, and each piece is parsed by itself: positions stay those of the file, and an error ends
where its statement does. SQL is always read so, a shell's script where it has an error.

A routine of SQL whose body cannot be read is parsed once more with the body as a plain text, which
gives its declaration; what the first parse saw in the body is kept.
"""

from __future__ import annotations

from functools import cache
from re import Match, Pattern, compile

from gitmem.languages import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Range, Tree

_INSIDE = compile(rb"[^\n]")


def statement_spans(grammar: str, data: bytes) -> Iterator[Range]:
    """Yield the span of each statement of a file, in order; together they cover the file.

    A span is a tree-sitter ``Range``, with the bytes and points where it begins and ends.
    """
    from tree_sitter import Point, Range  # noqa: PLC0415 - 16 ms, only where files are parsed

    beginning, closed = _patterns(grammar)
    blanked = closed.sub(_blank, data)
    starts = [begin.start() for begin in beginning.finditer(blanked)]
    row = at = 0
    here = Point(0, 0)
    for stop in [*starts, len(data)]:
        row += data.count(b"\n", at, stop)
        there = Point(row, stop - 1 - data.rfind(b"\n", 0, stop))
        if stop > at:
            yield Range(here, there, at, stop)
        at, here = stop, there


def blank_sql_bodies(grammar: str, data: bytes) -> bytes:
    """The source with each SQL body between `$tag$`s replaced by a text of the same length.

    Files of other languages are returned unchanged.
    """
    routines = registry.language_properties(grammar).always_apart
    return _patterns(grammar)[1].sub(_text, data) if routines else data


def must_parse_by_statement(grammar: str, tree: Tree | None) -> bool:
    """Whether a file is to be parsed statement by statement, as its grammar fails otherwise.

    ``tree`` is its syntax tree, None if it was not parsed yet.
    """
    language = registry.language_properties(grammar)
    if tree is None:
        return language.always_apart
    return language.statement is not None and tree.root_node.has_error


@cache
def _patterns(grammar: str) -> tuple[Pattern[bytes], Pattern[bytes]]:
    beginning, closed = registry.language_properties(grammar).statement or (b"", b"")
    return compile(beginning), compile(closed)


def _text(closed: Match[bytes]) -> bytes:
    ended = closed[0].startswith(b"$") and closed[0].endswith(b"$")
    return b"'" + _blank(closed)[1:-1] + b"'" if ended else closed[0]


def _blank(closed: Match[bytes]) -> bytes:
    return _INSIDE.sub(b" ", closed[0])
