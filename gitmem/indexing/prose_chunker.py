"""Splits prose at its headings: each piece knows the headings above it.

A section longer than the set number of words is cut between lines, and a line that is longer still
between words, with the last words repeated at the start of the next piece (500 and 50 by default).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitmem.indexing.line_chunker import Chunk
from gitmem.model.frozen import dataclass

WORDS = 500
OVERLAP = 50
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
# ```like this``` in one line is no fence: the words after one hold no backtick.
_FENCE = re.compile(r"\s{0,3}(```+(?=[^`]*$)|~~~+)")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_RST_LEVELS = "=-~^\"'`#*+.:_"


@dataclass(frozen=True, slots=True)
class _Section:
    headings: tuple[str, ...]
    first: int
    lines: list[str]


def split_prose(
    text: str, *, words_per_chunk: int = WORDS, word_overlap: int = OVERLAP
) -> Iterator[Chunk]:
    """Yield the pieces of a document as Chunk values; each repeats the end of the piece before.

    ``words_per_chunk`` and ``word_overlap`` are numbers of words. ``context`` of a piece is the
    path of headings, ``A > B``.
    """
    for section in _sections(text.split("\n")):
        yield from _pieces(section, words_per_chunk, min(word_overlap, words_per_chunk // 2))


def _sections(lines: list[str]) -> Iterator[_Section]:
    """The document cut at headings; a heading line belongs to its section."""
    trail: list[tuple[int, str]] = []
    current = _Section((), 0, [])
    fence = ""
    for index, line in enumerate(lines):
        opened = _FENCE.match(line)
        if opened and (not fence or opened[1].startswith(fence)):
            fence = "" if fence else opened[1]
        found = None if fence else _heading(lines, index)
        if found:
            if any(line.strip() for line in current.lines):
                yield current
            level, title = found
            trail = [(depth, name) for depth, name in trail if depth < level] + [(level, title)]
            current = _Section(tuple(name for _, name in trail), index, [])
        current.lines.append(line)
    if any(line.strip() for line in current.lines):
        yield current


def _heading(lines: list[str], index: int) -> tuple[int, str] | None:
    """Level and title if a heading begins at this line: ``# Title`` or one with an underline."""
    line = lines[index]
    marked = _HEADING.match(line)
    if marked:
        return len(marked[1]), _title(marked[2])
    below = lines[index + 1] if index + 1 < len(lines) else ""
    under = _UNDERLINE.match(below)
    plain = line.strip()
    if under and plain and not line[0].isspace() and len(below.rstrip()) >= min(len(plain), 3):
        if _UNDERLINE.match(line) or plain.startswith(("|", "-", "*", ">")):
            return None
        return 1 + _RST_LEVELS.index(under[1]), plain
    return None


def _title(text: str) -> str:
    """A title without the marks that may close it (``## Title ##``; ``# C#`` keeps its own)."""
    title = text.rstrip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else title


def _pieces(section: _Section, words: int, overlap: int) -> Iterator[Chunk]:
    context = " > ".join(section.headings)
    start, count = 0, 0
    for index, line in enumerate(section.lines):
        size = len(line.split())
        if count and size and count + size > words:
            yield _chunk(section, start, index, context)
            start, count = _back(section.lines, start + 1, index, overlap)
        if size > words:
            place = section.first + index + 1
            for text in _cut_line(line, words, overlap):
                yield Chunk(place, place, text, context)
            start, count = index + 1, 0
        count += size if start <= index else 0
    if start < len(section.lines) and (count or not start):
        yield _chunk(section, start, len(section.lines), context)


def _cut_line(line: str, words: int, overlap: int) -> Iterator[str]:
    """A paragraph in one line, cut between words."""
    spans = [match.span() for match in re.finditer(r"\S+", line)]
    for first in range(0, max(1, len(spans) - overlap), words - overlap):
        part = spans[first : first + words]
        yield line[part[0][0] : part[-1][1]]


def _back(lines: list[str], least: int, end: int, overlap: int) -> tuple[int, int]:
    """Where the next piece starts so that it repeats about ``overlap`` words, and how many."""
    start, count = end, 0
    while start > least and count + len(lines[start - 1].split()) <= overlap:
        start -= 1
        count += len(lines[start].split())
    return start, count


def _chunk(section: _Section, start: int, end: int, context: str) -> Chunk:
    while end > start + 1 and not section.lines[end - 1].strip():
        end -= 1
    text = "\n".join(section.lines[start:end])
    return Chunk(section.first + start + 1, section.first + end, text, context)
