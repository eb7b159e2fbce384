"""Comments without their markers, cut to what is worth keeping.

Queries capture comments (``@comment``) and docstrings (``@docstring``); what those look like once
cleaned is the same for every language, except for the few markers listed here.
"""

from __future__ import annotations

from functools import cache
from re import MULTILINE, Pattern, compile

LENGTH = 300
# Grammar -> what begins a line comment; anything not listed has "//" and "/* */".
_LINE: dict[str, str] = {
    "bash": "#",
    "elixir": "#",
    "haskell": r"--+\s?[|^]?|-- ",
    "lua": "--+",
    "php": r"///*!?|\#",
    "powershell": r"\#+",
    "python": r"\#:?",
    "ruby": r"\#",
    "sql": "--+",
}
_PLAIN = r"///*!?<?"
# What opens and closes a block comment: C's, Haskell's, Lua's, HTML's, PowerShell's, Ruby's.
_BLOCK = compile(
    r"^(/\*[*!]*<?|\{-\s?\|?|--\[=*\[|<!--+|<#+|=begin)|(\*+/|-\}|\]=*\]|--+>|#+>|=end)$"
)
# The headings of PowerShell's help, each on its own line: .SYNOPSIS, .PARAMETER Name.
_HEADING = compile(r"^[ \t]*\.[A-Za-z]+(?:[ \t]+\S+)?[ \t]*$", MULTILINE)
_STARS = compile(r"^[ \t]*\*+ ?", MULTILINE)
_XML = compile(r"</?\w[^<>]*>")
_SPACE = compile(r"\s+")


@cache
def _marker(grammar: str) -> Pattern[str]:
    return compile(rf"^[ \t]*(?:{_LINE.get(grammar, _PLAIN)})", MULTILINE)


def clean(grammar: str, text: str) -> str:
    """The words of a comment or of several line comments joined by line ends, on one line."""
    text = text.strip()
    opened = _BLOCK.sub("", text)
    opened = _STARS.sub("", opened) if opened != text else _marker(grammar).sub("", text)
    if grammar == "csharp":
        opened = _XML.sub(" ", opened)
    if grammar == "powershell":
        opened = _HEADING.sub(" ", opened)
    words = _SPACE.sub(" ", opened).strip()
    return words if len(words) <= LENGTH else words[: LENGTH - 1].rstrip() + "…"
