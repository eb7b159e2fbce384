"""Macros that stand alone in a line of C, made blank before parsing.

`BEGIN_NAMESPACE` or `Q_DECLARE_METATYPE(X)` without a semicolon is no C: the parser joins it to the
next declaration and loses that one (a namespace, mostly). Blanks keep every position, so that texts
may still be taken from the file itself. Only at the start of a line: indented words may be
enumerators.
"""

from __future__ import annotations

from re import MULTILINE, Match, compile

_ALONE = compile(rb"^[A-Z][A-Z0-9]*_[A-Z0-9_]*(?:\([^()\n]*\))?[ \t]*\r?$", MULTILINE)


def blanked(grammar: str, data: bytes) -> bytes:
    """The file with such lines blank, where its grammar is C's or C++'s."""
    return _ALONE.sub(_blank, data) if grammar in ("c", "cpp") else data


def _blank(line: Match[bytes]) -> bytes:
    return b" " * len(line[0])
