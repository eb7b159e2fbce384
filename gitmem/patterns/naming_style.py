"""Styles in which names are written, and which of them a name follows."""

from __future__ import annotations

import re

STYLES: dict[str, re.Pattern[str]] = {
    "snake_case": re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*"),
    "camelCase": re.compile(r"[a-z]+[a-zA-Z0-9]*"),
    "PascalCase": re.compile(r"[A-Z][a-zA-Z0-9]*"),
    "UPPER_CASE": re.compile(r"[A-Z0-9]+(?:_[A-Z0-9]+)*"),
    "kebab-case": re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*"),
}


def follows(style: str, name: str) -> bool:
    """Whether a name is written in a style, leading and trailing underscores aside.

    Those of the language itself (``__init__``) follow every style.
    """
    if name.startswith("__") and name.endswith("__"):
        return True
    bare = name.strip("_$#@").rstrip("?!=")
    if style == "PascalCase" and len(bare) > 3 and bare.isupper():
        return False
    return not bare or STYLES[style].fullmatch(bare) is not None


def tells(name: str) -> str:
    """The one style that a name of several words tells; empty where it could be more than one."""
    found = [style for style in STYLES if follows(style, name)]
    return found[0] if len(found) == 1 else ""
