"""Training pairs mined from repositories: two texts that mean the same, said differently.

Documentation comment -> the code under it, heading -> its section, first sentence -> the rest of
the paragraph, commit subject -> body and changed paths, a name -> what is said of it. All from
texts: files, and the output of ``git log --no-merges --name-only --format='%x1e%s%x1f%b%x1f'``.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from pathlib import PurePath

from gitmem.text.identifiers import split_identifiers

Pair = tuple[str, str]
SIZE = 750
_MIN_WORDS = 4
LARGEST_FILE = 400_000
_CODE = frozenset(
    [
        ".py",
        ".go",
        ".rs",
        ".js",
        ".ts",
        ".tsx",
        ".jsx",
        ".java",
        ".kt",
        ".c",
        ".h",
        ".cc",
        ".cpp",
        ".hpp",
        ".cs",
        ".php",
        ".rb",
        ".swift",
        ".ex",
        ".exs",
        ".lua",
        ".scala",
        ".hs",
        ".sh",
        ".zig",
        ".jl",
        ".r",
        ".pl",
    ]
)
# Other repositories' files, kept in this one: some of them may be judged on.
_COPIED = frozenset(
    ["vendor", "_vendor", "vendored", "third_party", "thirdparty", "node_modules", "bundled"]
)
_PROSE = frozenset([".md", ".rst", ".txt", ".adoc", ".markdown"])
_BLOCK = re.compile(r"^[ \t]*/\*\*?(.{20,2000}?)\*/[ \t]*\n((?:[^\n]*\n){1,20})", re.M | re.S)
_LINES = re.compile(
    r"^((?:[ \t]*(?://[/!]?|#|--) [^\n]+\n)+)((?:[ \t]*[^\s/#-][^\n]*\n)(?:[^\n]*\n){0,14})", re.M
)
_ATTRIBUTE_DOC = re.compile(
    r'^[ \t]*@(?:module)?doc """\n(.+?)"""\n((?:[^\n]*\n){1,15})', re.M | re.S
)
_MARKS = re.compile(r"^[ \t]*(?:\*|///?|//!|#+|--)[ \t]?", re.M)
_TAGS = re.compile(r"^\s*(?:@\w+|:\w+|Args:|Returns:|Parameters\n|Raises:|Example).*", re.M | re.S)
_HEADING = re.compile(
    r"^(?:#{1,6} +([^\n]+)|([^\n]{3,80})\n(?:={3,}|-{3,}|~{3,}|\^{3,}))[ \t]*$", re.M
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'])")
_NAMED = re.compile(
    r"\b(?:def|class|func|fn|function|struct|trait|interface|enum|object|module|defp?) +"
    r"(?:\([^)\n]*\) *)?([A-Za-z_]\w{3,})|\b([A-Za-z_]\w{3,}) *\("
)
_LICENCE = re.compile(r"copyright|licen[cs]e|spdx", re.I)


def readable(path: PurePath) -> bool:
    """Whether a file of that name is code or a page, and this repository's own."""
    return path.suffix.lower() in _CODE | _PROSE and _COPIED.isdisjoint(path.parts)


def is_page(path: PurePath) -> bool:
    """Whether it is prose."""
    return path.suffix.lower() in _PROSE


def from_file(name: str, text: str) -> Iterator[tuple[str, Pair]]:
    """(kind, pair) of one file."""
    text = text.replace("\r\n", "\n")
    found = prose(text) if is_page(PurePath(name)) else code(text, name)
    yield from (item for item in found if _useful(*item))


def code(text: str, path: str) -> Iterator[tuple[str, Pair]]:
    """Documentation -> code, every second time with the path as its first line, as in the index.

    And the name of what is documented -> documentation: the two often say one thing in other words.
    """
    for number, (document, body) in enumerate(_documented(text, path.endswith(".py"))):
        message = _report(document)
        if message and not _LICENCE.search(message):
            yield "code", (message, (f"{path}\n{body}" if number % 2 else body)[:SIZE])
            if named := _NAMED.search(body):
                yield "name", (" ".join(split_identifiers(named[1] or named[2])), message)


def _documented(text: str, python: bool) -> Iterator[Pair]:
    if python:
        yield from docstrings(text)
    for pattern in (_BLOCK, _LINES, _ATTRIBUTE_DOC):
        yield from ((match[1], match[2]) for match in pattern.finditer(text))


def docstrings(text: str) -> Iterator[Pair]:
    """Docstring -> its function or class without it; nothing for a file that does not parse."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = text.split("\n")
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if document := ast.get_docstring(node):
            first = node.body[0]
            head = lines[node.lineno - 1 : first.lineno - 1]
            yield document, "\n".join(head + lines[first.end_lineno : node.end_lineno][:40])


def _report(document: str) -> str:
    """The first paragraph, without comment marks and parameter lists."""
    plain = _TAGS.sub("", _MARKS.sub("", document)).strip()
    return " ".join(plain.split("\n\n")[0].split())[:300]


def prose(text: str) -> Iterator[tuple[str, Pair]]:
    """Heading -> section and first sentence -> rest of the paragraph."""
    heads = list(_HEADING.finditer(text))
    for index, head in enumerate(heads):
        end = heads[index + 1].start() if index + 1 < len(heads) else len(text)
        yield "section", ((head[1] or head[2]).strip(" #"), text[head.end() : end].strip()[:SIZE])
    for paragraph in re.split(r"\n\s*\n", text):
        first, *rest = _SENTENCE.split(" ".join(paragraph.split()), maxsplit=1)
        if rest:
            yield "sentence", (first[:300], rest[0][:SIZE])


def from_log(log: str) -> Iterator[tuple[str, Pair]]:
    """Commit subject -> body and changed paths."""
    for record in log.split("\x1e")[1:]:
        subject, _, rest = record.partition("\x1f")
        body, _, paths = rest.partition("\x1f")
        lines = [line for line in body.splitlines() if not re.match(r"[\w-]+: .*[@<]", line)]
        message = " ".join(" ".join(lines).split())
        pair = (
            re.sub(r"\s*\(#\d+\)", "", subject),
            f"{message}\n{' '.join(paths.split()[:12])}"[:SIZE],
        )
        if _useful("commit", pair):
            yield "commit", pair


def _useful(kind: str, pair: Pair) -> bool:
    query, output = pair
    least = 2 if kind == "name" or len(output) > 200 else _MIN_WORDS
    return len(query.split()) >= least and len(output.split()) >= _MIN_WORDS
