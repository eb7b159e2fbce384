"""Comments without their markers, cut to what is worth keeping.

Queries capture comments (``@comment``) and docstrings (``@docstring``); what those look like once
cleaned is the same for every language, except for the markers in its record.
"""

from __future__ import annotations

from functools import cache
from re import MULTILINE, Pattern, compile, sub

from gitmem.languages import registry

LENGTH = 300
# What opens and closes a block comment: C's, Haskell's, Lua's, HTML's, PowerShell's, Ruby's.
_BLOCK = compile(
    r"^(/\*[*!]*<?|\{-\s?\|?|--\[=*\[|<!--+|<#+|=begin)|(\*+/|-\}|\]=*\]|--+>|#+>|=end)$"
)
_STARS = compile(r"^[ \t]*\*+ ?", MULTILINE)
_SPACE = compile(r"\s+")


@cache
def _marker(grammar: str) -> Pattern[str]:
    return compile(rf"^[ \t]*(?:{registry.find(grammar).comment})", MULTILINE)


def clean(grammar: str, text: str) -> str:
    """The words of a comment or of several line comments joined by line ends, on one line."""
    text = text.strip()
    opened = _BLOCK.sub("", text)
    opened = _STARS.sub("", opened) if opened != text else _marker(grammar).sub("", text)
    if noise := registry.find(grammar).noise:
        opened = sub(noise, " ", opened)
    words = _SPACE.sub(" ", opened).strip()
    return words if len(words) <= LENGTH else words[: LENGTH - 1].rstrip() + "…"
