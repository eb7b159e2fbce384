"""The few forms of Markdown that the generated pages use."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 100  # characters of a line
_STAYS = "\0"  # a blank at which no line ends


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; a line break or a pipe inside a cell cannot break it."""
    lines = [_row(head), _row(["---"] * len(head))]
    lines += [_row([_cell(one) for one in row]) for row in rows]
    return "\n".join(lines)


def fenced(text: str, language: str = "text") -> str:
    """A block of code, fenced by more backquotes than it holds."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def wrapped(opening: str, items: Iterable[str], closing: str) -> str:
    """Items with commas between them as lines of code, none longer than those of a page."""
    whole = [item.replace(" ", _STAYS) for item in items]
    text = opening + ", ".join(whole) + closing
    lines = textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(lines).replace(_STAYS, " ")


def filled(text: str) -> str:
    """Paragraphs joined into one that fills the lines of a page."""
    words = " ".join(text.split())
    return textwrap.fill(words, WIDTH, break_long_words=False, break_on_hyphens=False)


def code(text: object) -> str:
    """Inline code, nothing for empty text."""
    return f"`{text}`" if str(text) else ""


def escaped(text: str) -> str:
    """Plain text with inline code, so that nothing else in it is read as Markdown."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"\*|<(?=[\w/!])|(?<!\w)_", r"\\\g<0>", part) for part in parts[::2]]
    return "`".join(parts)


def anchor(heading: str) -> str:
    """The fragment under which a heading is reached, as GitHub and Sphinx make it."""
    kept = "".join(letter for letter in heading.lower() if letter.isalnum() or letter in " -_")
    return "#" + kept.replace(" ", "-")


def first_sentence(docstring: str | None) -> str:
    """The first paragraph of a docstring up to its first full stop, on one line."""
    paragraph = " ".join((docstring or "").strip().split("\n\n")[0].split())
    return paragraph.split(". ")[0].rstrip(".") + "." if paragraph else ""


def prose(docstring: str | None) -> str:
    """A docstring as Markdown: indentation dropped, double backquotes made single."""
    lines = [line.strip() for line in (docstring or "").strip().splitlines()]
    return "\n".join(lines).replace("``", "`")


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(value: object) -> str:
    return " ".join(str(value).replace("|", "\\|").split())
