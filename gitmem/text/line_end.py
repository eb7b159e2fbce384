"""The line end of a text, for lines added to it."""

from __future__ import annotations


def of(text: str) -> str:
    """The end of the first line; "\\n" where there is none."""
    place = text.find("\n")
    return "\r\n" if place > 0 and text[place - 1] == "\r" else "\n"
