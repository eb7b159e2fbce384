"""How the lines of a text end, for what is added to it."""

from __future__ import annotations


def of(text: str) -> str:
    """How the first line ends; as on POSIX where there is none."""
    place = text.find("\n")
    return "\r\n" if place > 0 and text[place - 1] == "\r" else "\n"
