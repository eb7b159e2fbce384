"""What a file defines, read by regular expressions, for languages without a grammar.

Each pattern of a language's record (``Language.patterns``) is tried on single lines. A definition
ends where its bracket is closed, or where the indentation goes back to its own: files as their
formatters leave them are read well, others less so. References are not read.
"""

from __future__ import annotations

from functools import cache
from re import Match, Pattern, compile

from gitmem.indexing.syntax.nesting import strip_comment_marks
from gitmem.indexing.syntax.values import BODIES, CLASSES, Definition, Import, ParsedFile
from gitmem.languages import registry
from gitmem.languages.record import NESTED, REST, Language

SIGNATURE = 200
# Longer lines are data or minified.
_LONGEST = 400
_TAB = 4
_DEEPEST = 40
# Lines at the margin that an open bracket may have in it.
_ASTRAY = 40
# What stands in one of these is local.
_LOCAL = BODIES | {"constant", "field", "property"}
_CLOSERS = ("}", ")", "]", "end", ";;", "|")
_OPENERS = ("{", "(", "[", "->", "struct", "sig")


class _Header:
    """A definition whose end is not known yet, on a line counted from 0."""

    __slots__ = ("container", "end", "indent", "kind", "line", "name")

    def __init__(self, name: str, kind: str, line: int, indent: int) -> None:
        self.name = name
        self.kind = kind
        self.line = line
        self.indent = indent
        self.end = line
        self.container = ""


def parse_by_patterns(language: str, data: bytes) -> ParsedFile | None:
    """A ParsedFile, read by line patterns; None for a language without such patterns."""
    record = registry.language_properties(language)
    if not record.patterns:
        return None
    lines = data.decode("utf-8", "replace").split("\n")
    code = compile(record.blanked).sub(_blank, data) if record.blanked else data
    bare = code.decode("utf-8", "replace").split("\n")
    # (indentation, text) of each line; of a blank one the text is empty.
    texts = [(_indent(line), line.strip()) for line in bare]
    patterns = _compiled(language)
    definitions: list[Definition] = []
    imports: list[Import] = []
    around: list[_Header] = []
    for number, line in enumerate(bare):
        while around and around[-1].end < number:
            around.pop()
        readable = len(texts[number][1]) > 0 and len(line) <= _LONGEST
        if len(around) > _DEEPEST or not readable or _is_comment(line, record):
            continue
        for kind, where, pattern in patterns:
            match = pattern.match(line)
            if match is None:
                continue
            if kind == "import":
                imports.append(Import(match["name"], (), number + 1))
                break
            header = _Header(match["name"].strip("`'\""), kind, number, texts[number][0])
            if not _fits(header, where, around, texts):
                continue
            header.end = _rest(bare, number, pattern) if where == REST else _end(texts, header)
            _place(header, around)
            definitions.append(_definition(record, lines, header))
            around.append(header)
            break
    return ParsedFile(tuple(definitions), (), tuple(imports), False)


@cache
def _compiled(language: str) -> list[tuple[str, str, Pattern[str]]]:
    rows = registry.language_properties(language).patterns
    return [(kind, where, compile(rf"[ \t]*{text}")) for kind, where, text in rows]


def _blank(match: Match[bytes]) -> bytes:
    return b"\n" * match[0].count(b"\n")


def _is_comment(line: str, language: Language) -> bool:
    return line.lstrip().startswith(language.comments)


def _indent(line: str) -> int:
    shown = line[:_LONGEST].expandtabs(_TAB)
    return len(shown) - len(shown.lstrip())


def _fits(header: _Header, where: str, around: list[_Header], lines: list[tuple[int, str]]) -> bool:
    """Whether a definition may stand here: not in a function, and directly in what is around it."""
    if any(outer.kind in _LOCAL for outer in around):
        return False
    if not around or where == NESTED:
        return bool(around) or header.indent == 0
    outer = around[-1]
    if header.indent == outer.indent:  # a package that goes on to the next one
        return True
    inside = range(outer.line + 1, header.line + 1)
    return header.indent == next(lines[number][0] for number in inside if lines[number][1])


def _place(header: _Header, around: list[_Header]) -> None:
    if not around:
        return
    outer = around[-1]
    header.container = ".".join(filter(None, (outer.container, outer.name)))
    if header.kind == "function" and outer.kind in CLASSES:
        header.kind = "constructor" if header.name == outer.name else "method"


def _end(lines: list[tuple[int, str]], header: _Header) -> int:
    """The last line of a definition (from 0)."""
    opened = _opens(lines[header.line][1])
    last, astray = header.line, 0
    for number in range(header.line + 1, len(lines)):
        indent, bare = lines[number]
        if not bare:
            continue
        if indent > header.indent:
            last = number
        elif bare.startswith(_CLOSERS):
            if indent < header.indent:
                return last
            last = number
            # `) {` goes on, and so does a type of several `|` at the margin.
            if bare.startswith("|") or bare.endswith(_OPENERS):
                opened = opened or bare.endswith(_OPENERS)
                continue
            return last
        elif bare.startswith("{"):
            opened, last = True, number
        elif not opened or astray > _ASTRAY:
            return last
        else:
            astray += 1  # a line at the margin in an open bracket: a string, or a directive
    return last


def _opens(line: str) -> bool:
    return any(line.count(left) > line.count(right) for left, right in ("{}", "()", "[]"))


def _rest(lines: list[str], start: int, pattern: Pattern[str]) -> int:
    """The last line before the next one of the same pattern, or of the file."""
    following = range(start + 1, len(lines))
    end = next((number for number in following if pattern.match(lines[number])), len(lines)) - 1
    while not lines[end].strip():
        end -= 1
    return end


def _definition(language: Language, lines: list[str], header: _Header) -> Definition:
    first = header.line
    while first > 0 and lines[first - 1].lstrip().startswith(language.comments):
        first -= 1
    comment = "\n".join(lines[first : header.line])
    line = " ".join(lines[header.line].split()).rstrip(" {(=;,")
    return Definition(
        name=header.name,
        kind=header.kind,
        signature=line[:SIGNATURE],
        doc=strip_comment_marks(language.name, comment) if comment else "",
        container=header.container,
        start_line=header.line + 1,
        end_line=header.end + 1,
        exported=not header.name.startswith(("_", ".")),
        line=header.line + 1,
    )
