"""What the grammar of a language cannot read, made blank before parsing.

`BEGIN_NAMESPACE` or `Q_DECLARE_METATYPE(X)` without a semicolon is no C: the parser joins it to the
next declaration and loses that one (a namespace, mostly). Only at the start of a line: indented
words may be enumerators. In Haskell the branches of `#if` are: the parser passes over what follows
an `#else`. In SQL the place-holder for the schema of an extension of PostgreSQL
(`@extschema@.name`) is, and a key told before the last column of a table.

Blanks keep every position, so that texts may still be taken from the file itself.
"""

from __future__ import annotations

from re import IGNORECASE, MULTILINE, Match, compile

_ALONE = compile(rb"^[A-Z][A-Z0-9]*_[A-Z0-9_]*(?:\([^()\n]*\))?[ \t]*\r?$", MULTILINE)
_SCHEMA = compile(
    rb"@extschema(?::\w+)?@\."
    rb"|^[ \t]*(?:CONSTRAINT[ ]+\w+[ ]+)?(?:PRIMARY[ ]+KEY|UNIQUE)[ ]*\([^()\n]*\)[ ]*,[ \t]*\r?$",
    MULTILINE | IGNORECASE,
)
_BRANCH = compile(rb"^#[ \t]*(?:if|ifdef|ifndef|elif|else|endif)\b[^\n]*", MULTILINE)
_MACROS = {"c": _ALONE, "cpp": _ALONE, "haskell": _BRANCH, "sql": _SCHEMA}


def blanked(grammar: str, data: bytes) -> bytes:
    """The file with what its grammar cannot read made blank."""
    macros = _MACROS.get(grammar)
    return macros.sub(_blank, data) if macros else data


def _blank(line: Match[bytes]) -> bytes:
    return b" " * len(line[0])
