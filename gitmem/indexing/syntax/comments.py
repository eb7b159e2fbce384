"""Removing the markers of comments, and cutting long ones.

Queries capture comments (``@comment``) and docstrings (``@docstring``); what those look like once
cleaned is the same for every language, except for the markers in its record.
"""

from __future__ import annotations

from functools import cache
from re import MULTILINE, Pattern, compile

from gitmem.languages import registry

LENGTH = 300
# What opens and closes a block comment: C's, Haskell's, Lua's, HTML's, PowerShell's, Ruby's.
_BLOCK = compile(
    r"^(/\*[*!]*<?|\{-\s?\|?|--\[=*\[|<!--+|<#+|=begin)|(\*+/|-\}|\]=*\]|--+>|#+>|=end)$"
)
_STARS = compile(r"^[ \t]*\*+ ?", MULTILINE)
_SPACE = compile(r"\s+")


@cache
def _patterns(grammar: str) -> tuple[Pattern[str], Pattern[str] | None]:
    """What begins a line comment, and what in comments is no text."""
    language = registry.find(grammar)
    marker = compile(rf"^[ \t]*(?:{language.comment})", MULTILINE)
    return marker, compile(language.noise) if language.noise else None


def clean(grammar: str, text: str) -> str:
    """The words of a comment on one line, without markers.

    Several line comments are joined by line ends.
    """
    text = text.strip()
    marker, noise = _patterns(grammar)
    opened = _BLOCK.sub("", text)
    opened = _STARS.sub("", opened) if opened != text else marker.sub("", text)
    if noise is not None:
        opened = noise.sub(" ", opened)
    words = _SPACE.sub(" ", opened).strip()
    return words if len(words) <= LENGTH else words[: LENGTH - 1].rstrip() + "…"
