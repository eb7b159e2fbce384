"""Globs over paths as git reads them: ``*`` stays inside a folder, ``**`` crosses folders.

A pattern without a slash (except at its end) matches at any depth, one that ends in a slash matches
only folders, and a pattern that matches a folder matches everything in it.

Own code: ``fnmatch`` lets ``*`` cross folders, ``glob.translate`` needs Python 3.13, and importing
pathspec costs a search 40 ms of CPU, three bare starts of Python. A test holds it against git.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby

_TOKEN = re.compile(
    r"\\(?P<escaped>.)|(?P<star>\*+)|(?P<one>\?)"
    r"|\[(?P<negated>[!^]?)(?P<members>\]?(?:\\.|[^\]\\])*)\]|(?P<plain>.)",
    re.DOTALL,
)


def path_matches_glob(path: str, glob: str) -> bool:
    """Return whether a glob, as in .gitignore, matches a file's path or a folder above it."""
    return _compiled(glob).match(path) is not None


def is_malformed_glob(pattern: str) -> bool:
    """Return whether a glob matches nothing: an unclosed bracket, or a backslash at its end."""
    return any(token["plain"] in ("[", "\\") for token in _TOKEN.finditer(pattern))


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(_to_regex(pattern), re.DOTALL)
    except re.error:  # an empty range such as [z-a]
        return re.compile(r"(?!)")


def _to_regex(pattern: str) -> str:
    names = [name for name in pattern.split("/") if name]
    if not names:
        return "(?!)"
    if "/" not in pattern.rstrip("/"):
        names.insert(0, "**")
    end = "/" if pattern.endswith("/") else r"(?:/|\Z)"
    runs = [(crossing, list(run)) for crossing, run in groupby(names, "**".__eq__)]
    regex = ""
    for number, (crossing, run) in enumerate(runs):
        last = number == len(runs) - 1
        if crossing:
            regex += ".+" if last else ""
            continue
        body = "/".join(map(_segment, run)) + (end if last else "/")
        if not number:
            regex += body
        elif last:
            regex += f"(?:.+/)?{body}"
        else:
            # The first match is as good as any, so none is retried: matching takes linear time.
            regex += f"(?>(?:.+?/)??{body})"
    return regex + (end if runs[-1][0] else "")


def _segment(name: str) -> str:
    """A regular expression for the pattern between two slashes."""
    parts = [""]
    for token in _TOKEN.finditer(name):
        if token["star"]:
            parts.append("")
        else:
            parts[-1] += _single(token)
    first, *rest = parts
    if not rest:
        return first
    middle = "".join(f"(?>[^/]*?{part})" for part in rest[:-1])
    return f"{first}{middle}[^/]*{rest[-1]}"


def _single(token: re.Match[str]) -> str:
    """A regular expression for a token that matches one character."""
    if token["one"]:
        return "[^/]"
    if token["plain"] in ("[", "\\"):  # unclosed, or escapes nothing: git matches nothing
        return "(?!)"
    if token["members"] is None:
        return re.escape(token["escaped"] or token["plain"])
    members = re.sub(r"\\?(.)", _member, token["members"], flags=re.DOTALL)
    members = members.replace("--", r"-\-")  # else Python warns that it may mean a difference
    return f"(?!/)[{'^' if token['negated'] else ''}{members}]"


def _member(match: re.Match[str]) -> str:
    return "-" if match[0] == "-" else re.escape(match[1])
