"""Formatting text for a terminal: wrapping lines between words, highlighting words.

Only a terminal gets this; pipes and agents get each line whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# A narrower screen counts as this wide.
NARROWEST = 20
# How a line may begin: with a bullet, or with columns that end in two blanks.
_BULLET = re.compile(r" *(?:[-!*+>] )?")
_COLUMNS = re.compile(r" *\S+(?: \S+)? {2,}(?=\S)")
_TAB = 8
_BOLD, _PLAIN = "\x1b[1m", "\x1b[22m"
_SHORTEST = 2  # letters: a shorter word occurs inside too many others


def wrap(text: str, width: int) -> str:
    """Return the text with every line broken to at most ``width`` columns (20 at least).

    It breaks between words if possible; continuation lines are indented like the first's words.
    """
    width = max(NARROWEST, width)
    return "\n".join(part for line in text.split("\n") for part in _parts(line, width))


def wrap_to_max_lines(text: str, width: int, max_lines: int, last_line: str) -> str:
    """Return the text wrapped to ``width`` columns, in at most ``max_lines`` lines.

    If lines are left out, ``last_line`` ends it, with their number for the ``{n}`` in it.
    """
    lines = wrap(text, width).split("\n")
    if len(lines) <= max_lines:
        return "\n".join(lines)
    shown = lines[: max_lines - 1]
    return "\n".join([*shown, last_line.format(n=len(lines) - len(shown))])


def _parts(line: str, width: int) -> list[str]:
    rest = line.expandtabs(_TAB)
    parts: list[str] = []
    # Continuation lines are indented to where the words of the first begin.
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
    """How many characters of the line fit into ``width`` columns."""
    if line.isascii():
        return min(len(line), width)
    used = 0
    for place, char in enumerate(line):
        used += display_width(char)
        if used > width:
            return place
    return len(line)


def display_width(text: str) -> int:
    """Return the number of columns that a text takes on a terminal; wide letters take two."""
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


def highlight(text: str, words: Iterable[str]) -> str:
    """Return the text with the given words in bold (ANSI escapes) at the beginning of words.

    Upper and lower case do not matter.
    """
    terms = sorted({word for word in words if len(word) >= _SHORTEST}, key=lambda term: -len(term))
    if not terms:
        return text
    either = "|".join(map(re.escape, terms))
    return re.sub(
        rf"(?<![^\W_])(?:{either})", lambda match: _BOLD + match[0] + _PLAIN, text, flags=re.I
    )
