"""Finding the line end that a text uses."""

from __future__ import annotations


def line_end(text: str) -> str:
    """Return the end of the text's first line: "\\n", also if it has none, or "\\r\\n"."""
    place = text.find("\n")
    return "\r\n" if place > 0 and text[place - 1] == "\r" else "\n"
