"""Finding the line end that a text uses."""

from __future__ import annotations


def line_end(text: str) -> str:
    """The line end of a first line; "\\n" if the text has none."""
    place = text.find("\n")
    return "\r\n" if place > 0 and text[place - 1] == "\r" else "\n"
