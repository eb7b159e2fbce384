"""Splits code into pieces by lines, where its syntax cannot be read.

Pieces begin where a block seems to begin, near the target size, so that a function is seldom cut in
its middle. Twenty lines or about 750 characters retrieve best among sizes tried (retrieval notes).
"""

from __future__ import annotations

from collections.abc import Iterator

from gitmem.model.frozen import dataclass

LINES = 20
CHARACTERS = 750
# A piece may end this many lines early where a blank line and then an unindented one follow.
EARLY = 6


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a file. Lines count from 1, both ends included.

    ``text`` is the raw text; ``context`` are the headings above a piece of a note, ``symbol`` is
    the name that a piece of code defines; both are empty if unknown.
    """

    start_line: int
    end_line: int
    text: str
    context: str = ""
    symbol: str = ""


def split_into_line_chunks(
    text: str, *, max_lines: int = LINES, line_overlap: int = 0
) -> Iterator[Chunk]:
    """The chunks of a code file, in order, of at most ``max_lines`` lines; blank ones are left out.

    Each piece repeats the last ``line_overlap`` lines of the piece before, but at most half of
    them.
    """
    lines = text.split("\n")
    start = 0
    while start < len(lines):
        end = _end(lines, start, max_lines)
        piece = "\n".join(lines[start:end])
        if piece.strip():
            yield Chunk(start + 1, end, piece)
        on = max(end - line_overlap, (start + end + 1) // 2)
        start = end if end == len(lines) else on


def _end(lines: list[str], start: int, most: int) -> int:
    size, end, room = 0, start, CHARACTERS * most // LINES
    while end < len(lines) and end - start < most and (size < room or end == start):
        size += len(lines[end]) + 1
        end += 1
    if end == len(lines):
        return end
    for candidate in range(end, max(start + 1, end - EARLY), -1):
        if _begins_block(lines, candidate):
            return candidate
    return end


def _begins_block(lines: list[str], index: int) -> bool:
    line = lines[index]
    return bool(line.strip()) and not line[0].isspace() and not lines[index - 1].strip()
