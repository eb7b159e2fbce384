"""Nesting definitions, from their spans and lines alone.

Nothing here walks the tree. Found things sorted by where they begin are a stack; comments and
decorators belong to the definition that begins in the line after them. So neither the depth of a
file nor its size costs more than its definitions.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from re import MULTILINE, Pattern, compile

from gitmem.indexing.syntax.captures import Capture, Captures
from gitmem.indexing.syntax.values import BODIES, CLASSES, Definition
from gitmem.languages import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

SIGNATURE = 200
# Line comments are joined upwards at most so far.
_COMMENT_LINES = 100
_SPACE = compile(r"\s+")
# What a declaration broken over lines leaves behind when it is put on one.
_OPENED, _CLOSED = compile(r"([(\[]) "), compile(r",? ([)\]])")
# Values: what is declared in one (in a lambda, say) is as local as in a function.
_VALUES = frozenset({"constant", "field", "variable"})


class _Place:
    """Where a definition stands: what encloses it, and what it is for what stands in it."""

    __slots__ = ("exported", "found", "kind", "local", "path")

    def __init__(self, found: Capture, path: str, kind: str, local: bool, exported: bool) -> None:
        self.found = found
        self.path = path  # dotted names down to this one
        self.kind = kind
        self.local = local  # whether what stands in it is
        self.exported = exported


def nested_definitions(captures: Captures) -> list[Definition]:
    """The definitions in a file in order of lines, each with the names of those around it."""
    made: dict[tuple[str, str, int, str], Definition] = {}
    open_: list[_Place] = []
    for found in captures.sorted_captures():
        while open_ and (
            not found.is_inside(open_[-1].found) or _misread(captures, found, open_[-1])
        ):
            open_.pop()
        name = captures.name_in_node(found.name)
        around = open_[-1] if open_ else None
        if not name or _left_out(found, name, around):
            continue
        outer = ".".join(
            filter(None, (around.path if around else "", captures.container_name(found)))
        )
        each = _made(captures, found, name, outer, around) if found.kind else None
        if each:
            made.setdefault((name, each.kind, each.line, outer), each)
        open_.append(
            _Place(
                found,
                f"{outer}.{name}" if outer else name,
                each.kind if each else "impl",
                bool(each and each.kind in BODIES) or bool(around and around.local),
                each.exported if each else around is None or around.exported,
            )
        )
    return sorted(made.values(), key=lambda each: (each.line, each.start_line))


def _misread(captures: Captures, found: Capture, around: _Place) -> bool:
    """Whether a function of C seems to stand in another: braces in an ``#ifdef`` lead astray."""
    return (
        captures.language.flat
        and found.kind == "function" == around.kind
        and found.node.child_by_field_name("body") is not None
    )


def _left_out(found: Capture, name: str, around: _Place | None) -> bool:
    """Local values, values of an unparsed line, and `f = function f()` found twice."""
    if found.global_:
        broken = found.kind == "variable" and found.node.has_error
        return broken or (around is not None and (around.local or around.kind in _VALUES))
    return (
        around is not None
        and found.kind == around.found.kind
        and found.name.start_point[0] == around.found.name.start_point[0]
        and around.path.rpartition(".")[2] == name
    )


def _made(
    captures: Captures, found: Capture, name: str, outer: str, around: _Place | None
) -> Definition:
    kind = found.kind
    if kind == "function" and around and around.kind in CLASSES and not found.container:
        kind = "method"
    body = found.body or found.node.child_by_field_name("body")
    first = _first_line(captures, found, around)
    doc = captures.docstrings.get(body.start_byte) if body else None
    return Definition(
        name=name,
        kind=kind,
        signature=_signature(captures, found, body),
        doc=strip_comment_marks(
            captures.grammar, _above(captures, first, around) if doc is None else doc
        ),
        container=outer,
        start_line=first + 1,
        end_line=_last_line(captures, found) + 1,
        exported=_exported(captures, found, name, outer, around),
        line=found.name.start_point[0] + 1,
    )


def _exported(
    captures: Captures, found: Capture, name: str, outer: str, around: _Place | None
) -> bool:
    if around and around.local:
        return False
    span = (found.node.start_byte, found.node.end_byte)
    shown = around is not None and around.exported
    return captures.marks.is_exported(captures.language.exports, name, span, bool(outer), shown)


def _last_line(captures: Captures, found: Capture) -> int:
    """The row of the last word: Scala's nodes take in the next comment and its indentation."""
    data, remarks = captures.data, captures.remarks
    stop = end = found.node.end_byte
    least = max(found.start, end - 2000)
    while True:
        while stop > least and data[stop - 1 : stop].isspace():
            stop -= 1
        at = bisect_left(remarks, (stop, 0)) - 1
        if at < 0 or remarks[at][1] < stop or remarks[at][0] <= found.start:
            break
        stop = remarks[at][0]
    row: int = found.node.end_point[0]
    return row - data.count(b"\n", stop, end)


def _first_line(captures: Captures, found: Capture, around: _Place | None) -> int:
    """The row where a definition begins, with the decorators above it."""
    first: int = found.node.start_point[0]
    least = around.found.start if around else -1  # what stands before belongs to the encloser
    same = captures.attached.get(first)
    if same and least < same[1] < found.start:
        first = same[0]
    while (above := captures.attached.get(first - 1)) and above[1] > least and above[2]:
        first = above[0]
    return first


def _above(captures: Captures, row: int, around: _Place | None) -> str:
    """The comment that ends in the line before."""
    last = captures.comments.get(row - 1)
    if last is None or (around and row <= around.found.node.start_point[0]):
        return ""
    lines = [last[1]]
    if last[1].startswith(("/*", "{-", "<!--", "--[")):
        return last[1]
    row = last[0]
    while (above := captures.comments.get(row - 1)) and len(lines) < _COMMENT_LINES:
        if above[1].startswith("/*"):
            break
        lines.append(above[1])
        row = above[0]
    return "\n".join(lines[::-1])


def _unremarked(captures: Captures, start: int, stop: int) -> bytes:
    """The source from one byte to another, without the comments in it."""
    parts = []
    for first, last in captures.remarks[bisect_left(captures.remarks, (start, 0)) :]:
        if first >= stop:
            break
        parts.append(captures.data[start:first])
        start = max(start, last)
    return b" ".join([*parts, captures.data[start:stop]])


def _signature(captures: Captures, found: Capture, body: Node | None) -> str:
    """The declaration without its decorators, up to its body, on one line."""
    start, stop, data = found.start, found.node.end_byte, captures.data
    while (end := captures.skipped.get(start)) is not None and end < stop:
        start = end
        while start < stop and data[start : start + 1].isspace():
            start += 1
    if body is not None and start < body.start_byte < stop:
        stop = body.start_byte
    stop = min(stop, start + 4 * SIGNATURE)
    words = _unremarked(captures, start, stop).decode("utf-8", "replace")
    line = _CLOSED.sub(r"\1", _OPENED.sub(r"\1", _SPACE.sub(" ", words))).strip()
    if body is not None:
        line = line.rstrip(" {:=")
    return line.rstrip(" ;,")[:SIGNATURE]


LENGTH = 300
# What opens and closes a block comment: C's, Haskell's, Lua's, HTML's, PowerShell's, Ruby's.
_BLOCK = compile(
    r"^(/\*[*!]*<?|\{-\s?\|?|--\[=*\[|<!--+|<#+|=begin)|(\*+/|-\}|\]=*\]|--+>|#+>|=end)$"
)
_STARS = compile(r"^[ \t]*\*+ ?", MULTILINE)


@cache
def _patterns(grammar: str) -> tuple[Pattern[str], Pattern[str] | None]:
    """What begins a line comment, and what in comments is no text."""
    language = registry.language_properties(grammar)
    marker = compile(rf"^[ \t]*(?:{language.comment})", MULTILINE)
    return marker, compile(language.noise) if language.noise else None


def strip_comment_marks(grammar: str, text: str) -> str:
    """The words of a comment on one line, without comment marks.

    Line comments in a row are given joined by line ends.
    """
    text = text.strip()
    marker, noise = _patterns(grammar)
    opened = _BLOCK.sub("", text)
    opened = _STARS.sub("", opened) if opened != text else marker.sub("", text)
    if noise is not None:
        opened = noise.sub(" ", opened)
    words = _SPACE.sub(" ", opened).strip()
    return words if len(words) <= LENGTH else words[: LENGTH - 1].rstrip() + "…"
