"""Telling prose from code in a note: fences of Markdown, blocks of reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

PROSE, CODE, BREAK = "prose", "code", ""
_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"\s*#{1,6}\s|\s*(?:={3,}|-{3,}|~{3,}|\*{3,}|\^{3,})\s*$")
# Under a line, it makes that line a title.
_UNDERLINE = re.compile(r"(?:={3,}|-{3,}|~{3,}|\*{3,}|\^{3,})\s*$")
_DIRECTIVE = re.compile(r"\s*\.\. [\w-]+::")
_OPENS_BLOCK = re.compile(
    r"\s*\.\. (?:code|code-block|sourcecode|parsed-literal|prompt|doctest)::|(?!\s*\.\. ).*::\s*$"
)


def note_line_kinds(lines: Mapping[int, str], *, starts_in_code: bool = False) -> dict[int, str]:
    """Return the kind of each line of a Markdown note, by the line's number.

    It is "prose", "code", or "" (a fence of a code block, title, directive or blank line).
    ``starts_in_code``: the first line is inside a block of code.
    """
    numbers = sorted(lines)
    texts = [lines[number] for number in numbers]
    fences = any(_FENCE.match(text) for text in texts)
    fenced = (starts_in_code and fences) or _begins_fenced(texts)
    # Indentation of the line that opened a block without a fence: deeper lines are code.
    block = _indent(texts[0]) - 1 if starts_in_code and not fences and texts else -1
    open_block = starts_in_code and not fences
    by_line: dict[int, str] = {}
    for number, text in zip(numbers, texts, strict=True):
        if open_block and text.strip() and _indent(text) <= block:
            open_block = False
        if _FENCE.match(text):
            fenced, by_line[number] = not fenced, BREAK
        elif fenced or (open_block and text.strip()):
            by_line[number] = CODE
        elif not text.strip() or _HEADING.match(text) or _DIRECTIVE.match(text):
            by_line[number] = BREAK
        else:
            by_line[number] = PROSE
        if by_line[number] != CODE and _OPENS_BLOCK.match(text):
            open_block, block = True, _indent(text)
        if _UNDERLINE.match(text) and by_line.get(number - 1) == PROSE:
            by_line[number - 1] = BREAK
    return by_line


def is_in_code(previous_lines: Sequence[str], first_line: str) -> bool:
    """Return whether a line of a Markdown note is in a block of code.

    ``previous_lines`` are those before it, the nearest first.
    """
    if sum(_FENCE.match(line) is not None for line in previous_lines) % 2:
        return True
    above = next(
        (line for line in previous_lines if line.strip() and _indent(line) < _indent(first_line)),
        "",
    )
    return _OPENS_BLOCK.match(above) is not None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _begins_fenced(lines: Sequence[str]) -> bool:
    """Whether lines cut out of a note begin inside a fence: their first fence closes it.

    A closing fence has no language and is followed by a blank line; an opening one by code.
    """
    first = next((at for at, line in enumerate(lines) if _FENCE.match(line)), None)
    if not first or lines[first].strip() not in ("```", "~~~"):
        return False
    return not "".join(lines[first + 1 : first + 2]).strip() and bool(lines[first - 1].strip())
