"""Text for a terminal: lines broken between words, none of them wider than the screen. Pure.

Only a terminal gets this; a pipe and an agent read each line whole.
"""

from __future__ import annotations

import re

# A narrower screen is treated as this wide: there is no reading anything on it.
NARROWEST = 20
# What stands before the words of a line: a bullet, or columns that end in two blanks.
_BULLET = re.compile(r" *(?:[-!*+>] )?")
_COLUMNS = re.compile(r" *\S+(?: \S+)? {2,}(?=\S)")
_TAB = 8


def wrap(text: str, width: int) -> str:
    """The text with every line broken to at most ``width`` columns, at blanks where there are any.

    What goes on is indented as the words of its first line are. A width below 20 counts as 20.
    """
    width = max(NARROWEST, width)
    return "\n".join(part for line in text.split("\n") for part in _parts(line, width))


def folded(text: str, width: int, most: int, rest: str) -> str:
    """The text wrapped, in at most ``most`` lines; the last of them says how many it stands for.

    ``rest`` is that line, with ``{n}`` for the number of lines left out.
    """
    lines = wrap(text, width).split("\n")
    if len(lines) <= most:
        return "\n".join(lines)
    shown = lines[: most - 1]
    return "\n".join([*shown, rest.format(n=len(lines) - len(shown))])


def _parts(line: str, width: int) -> list[str]:
    rest = line.expandtabs(_TAB)
    parts: list[str] = []
    # How far the second line is indented: to where the words of the first begin.
    match = _COLUMNS.match(rest) or _BULLET.match(rest)
    indent = match.end() if match else 0
    hang = indent if 0 < indent <= width // 3 else min(4, width // 3)
    while (fits := _fitting(rest, width)) < len(rest):
        begin = hang if parts else len(rest) - len(rest.lstrip(" "))
        place = rest.rfind(" ", begin + 1, fits + 1)
        place = place if place > begin else max(fits, begin + 1)
        parts.append(rest[:place].rstrip(" "))
        further = rest[place:].lstrip(" ")
        if not further:
            return parts
        rest = " " * hang + further
    return [*parts, rest]


def _fitting(line: str, width: int) -> int:
    """How many characters of the line fit into so many columns."""
    if line.isascii():
        return min(len(line), width)
    used = 0
    for place, char in enumerate(line):
        used += columns(char)
        if used > width:
            return place
    return len(line)


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: letters of East Asia two, accents none."""
    if text.isascii():
        return len(text)
    import unicodedata  # noqa: PLC0415 - only beyond ASCII

    return sum(
        0
        if unicodedata.combining(char)
        else 2
        if unicodedata.east_asian_width(char) in ("W", "F")
        else 1
        for char in text
    )
