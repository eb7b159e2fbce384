"""Training pairs mined from repositories: two texts that mean the same, said differently.

Documentation comment -> the code under it, heading -> its section, first sentence -> the rest of
the paragraph, commit subject -> body and changed paths. All from plain files: a work tree, and
the output of ``git log --no-merges --name-only --format='%x1e%s%x1f%b%x1f'``.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

Pair = tuple[str, str]
SIZE = 750
_MIN_WORDS = 4
_LARGEST_FILE = 400_000
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
_LICENCE = re.compile(r"copyright|licen[cs]e|spdx", re.I)


def from_tree(root: Path) -> Iterator[tuple[str, Pair]]:
    """(kind, pair) for every file under the folder, in path order; unreadable files are skipped."""
    for path in sorted(root.rglob("*")):
        suffix = path.suffix.lower()
        if suffix not in _CODE | _PROSE or path.is_symlink() or not path.is_file():
            continue
        if path.stat().st_size > _LARGEST_FILE:
            continue
        text = path.read_text("utf-8", errors="replace").replace("\r\n", "\n")
        name = path.relative_to(root).as_posix()
        found = prose(text) if suffix in _PROSE else code(text, name)
        yield from (one for one in found if _useful(one[1]))


def code(text: str, path: str) -> Iterator[tuple[str, Pair]]:
    """Documentation -> code, every second time with the path as its first line, as in the index."""
    for number, (document, body) in enumerate(_documented(text, path.endswith(".py"))):
        said = _told(document)
        if said and not _LICENCE.search(said):
            yield "code", (said, (f"{path}\n{body}" if number % 2 else body)[:SIZE])


def _documented(text: str, python: bool) -> Iterator[Pair]:
    if python:
        yield from _docstrings(text)
    for pattern in (_BLOCK, _LINES, _ATTRIBUTE_DOC):
        yield from ((match[1], match[2]) for match in pattern.finditer(text))


def _docstrings(text: str) -> Iterator[Pair]:
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


def _told(document: str) -> str:
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
        said = " ".join(" ".join(lines).split())
        pair = (
            re.sub(r"\s*\(#\d+\)", "", subject),
            f"{said}\n{' '.join(paths.split()[:12])}"[:SIZE],
        )
        if _useful(pair):
            yield "commit", pair


def _useful(pair: Pair) -> bool:
    asked, told = pair
    least = 2 if len(told) > 200 else _MIN_WORDS
    return len(asked.split()) >= least and len(told.split()) >= _MIN_WORDS
