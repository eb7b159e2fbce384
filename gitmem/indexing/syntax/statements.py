"""Files whose grammar does not know their dialect are read statement by statement.

One trigger or routine of SQL in a dialect's own language would take the rest of the file with it,
and so would a word of zsh that bash has not. So a file is cut where a statement begins at the start
of a line, and each piece is parsed by itself: positions stay those of the file, and an error ends
where its statement does. SQL is always read so, a shell's script where it has an error.

A routine of SQL whose body cannot be read is parsed once more with the body as a plain text, which
gives its declaration; what the first parse saw in the body is kept.
"""

from __future__ import annotations

from re import DOTALL, IGNORECASE, MULTILINE, Match, compile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Range, Tree

# Where a statement begins.
_BEGIN = {
    "sql": compile(
        rb"^ ?(?:CREATE|ALTER|DROP|INSERT|COMMENT|GRANT|REVOKE|DELIMITER|GO)\b",
        IGNORECASE | MULTILINE,
    ),
    "bash": compile(rb"^(?:function[ \t]|alias[ \t]|[\w:.-]+[ \t]*\([ \t]*\))", MULTILINE),
}
# None begins in a body between `$tag$`s, in a comment, in a text or a here document. What is not
# closed goes to the end of the file: to look for the end of each would take its square in time.
_CLOSED = {
    "sql": compile(
        rb"""(?<!\w)\$([A-Za-z_]\w*|)\$.*?(?:\$\1\$|\Z)|/\*.*?(?:\*/|\Z)|--[^\n]*|'[^'\n]*'"""
        rb"""|"[^"\n]*\"""",
        DOTALL,
    ),
    "bash": compile(
        rb"""\\.|(?<!\S)\#[^\n]*|'[^']*(?:'|\Z)|"(?:[^"\\]|\\.)*(?:"|\Z)"""
        rb"""|(?<!<)<<-?[ ]*['"]?([A-Za-z_]\w*)['"]?[^\n]*(?:\n.*?(?:^\t*\1$|\Z)|\Z)""",
        DOTALL | MULTILINE,
    ),
}
_INSIDE = compile(rb"[^\n]")


def pieces(grammar: str, data: bytes) -> Iterator[Range]:
    """Where the statements stand, in order; together they are the file."""
    from tree_sitter import Point, Range  # noqa: PLC0415 - 16 ms, only where files are parsed

    seen = _CLOSED[grammar].sub(_blank, data)
    starts = [begin.start() for begin in _BEGIN[grammar].finditer(seen)]
    row = at = 0
    here = Point(0, 0)
    for stop in [*starts, len(data)]:
        row += data.count(b"\n", at, stop)
        there = Point(row, stop - 1 - data.rfind(b"\n", 0, stop))
        if stop > at:
            yield Range(here, there, at, stop)
        at, here = stop, there


def texts(grammar: str, data: bytes) -> bytes:
    """SQL with every body between `$tag$`s as a text of the same length, other files as is."""
    return _CLOSED[grammar].sub(_text, data) if grammar == "sql" else data


def apart(grammar: str, tree: Tree | None) -> bool:
    """Whether a file is to be read in pieces; the tree is None where it was not parsed yet."""
    if tree is None:
        return grammar == "sql"
    return grammar in _BEGIN and tree.root_node.has_error


def _text(closed: Match[bytes]) -> bytes:
    ended = closed[0].startswith(b"$") and closed[0].endswith(b"$")
    return b"'" + _blank(closed)[1:-1] + b"'" if ended else closed[0]


def _blank(closed: Match[bytes]) -> bytes:
    return _INSIDE.sub(b" ", closed[0])
