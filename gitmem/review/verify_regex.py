"""Regular expressions in code that may take exponential time on a text that does not match."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from re import _parser  # type: ignore[attr-defined]
from typing import Any

from gitmem.indexing.syntax.code_facts import CodeFact

_MAX_CHARACTERS = 400
_UNBOUNDED_FROM = 20  # repetitions from which a repeat counts as unbounded
_CALLS = ("compile", "match", "search", "fullmatch", "sub", "findall", "finditer", "split", "subn")
_LITERAL = re.compile(r"^\(\s*[rR]?(\"\"\"|'''|\"|')(.*?)\1\s*[,)]", re.DOTALL)


def regexes_in_call(language: str, call: CodeFact) -> Iterator[tuple[str, bool]]:
    """Yield (regular expression, whether it must match the whole text) for those in a call.

    ``call`` is a call or literal in code of ``language`` (Python, JavaScript or TypeScript).
    """
    match = _LITERAL.match(call.text) if call.kind == "call" else None
    if language == "python":
        if match and call.full[:1] == ("re",) and call.full[-1] in _CALLS:
            yield match[2], call.full[-1] == "fullmatch"
    elif language in ("javascript", "typescript"):
        if call.kind == "regex" and call.text.startswith("/"):
            yield call.text[1:].rpartition("/")[0].replace("(?<", "(?P<"), False
        elif match and call.path == ("RegExp",):
            yield match[2].replace("\\\\", "\\"), False


@cache
def why_regex_is_exponential(regex: str, *, full_match: bool = False) -> str:
    """Return why a regular expression may take exponential time; empty if it should not.

    That is a repeat that stands alone in a repeated group, such as ``(a+)+b``. ``full_match``: it
    has to match the whole text. Empty also if it cannot be parsed.
    """
    if len(regex) > _MAX_CHARACTERS:
        return ""
    regex = re.sub(r"\(\?P<(?=[=!])", "(?<", regex)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = _parser.parse(regex)
        return (
            "a repeat stands alone in a repeated group" if _endless(parsed.data, full_match) else ""
        )
    except (re.error, OverflowError, RecursionError):
        return ""


def _endless(items: Sequence[Any], fails: bool) -> bool:
    """Whether some items hold such a group; ``fails``: what follows them may not fit."""
    for number, (op, value) in enumerate(items):
        after = fails or any(not _may_be_empty([item]) for item in items[number + 1 :])
        kind = str(op)
        if kind in ("MAX_REPEAT", "MIN_REPEAT"):
            body = value[2].data
            if after and value[1] >= _UNBOUNDED_FROM and any(map(_divides, _ways(body))):
                return True
            if _endless(body, after or value[1] >= _UNBOUNDED_FROM):
                return True
        elif any(_endless(way, after) for way in _inside(kind, value)):
            return True
    return False


def _inside(kind: str, value: Any) -> list[Any]:
    if kind == "SUBPATTERN":
        return [value[3].data]
    if kind == "BRANCH":
        return [way.data for way in value[1]]
    return [value[1].data] if kind in ("ASSERT", "ASSERT_NOT") else []


def _ways(items: Sequence[Any]) -> list[Any]:
    """The alternatives of a group, each as its items."""
    if len(items) == 1 and str(items[0][0]) in ("SUBPATTERN", "BRANCH"):
        inner = _inside(str(items[0][0]), items[0][1])
        return [way for item in inner for way in _ways(item)]
    return [items]


def _divides(items: Sequence[Any]) -> bool:
    return any(
        str(op) in ("MAX_REPEAT", "MIN_REPEAT")
        and value[1] >= _UNBOUNDED_FROM
        and _may_be_empty([*items[:number], *items[number + 1 :]])
        for number, (op, value) in enumerate(items)
    )


def _may_be_empty(items: Sequence[Any]) -> bool:
    for op, value in items:
        kind = str(op)
        if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            if value[0] and not _may_be_empty(value[2].data):
                return False
        elif kind in ("SUBPATTERN", "BRANCH"):
            if not any(map(_may_be_empty, _inside(kind, value))):
                return False
        elif kind == "AT" and str(value) in ("AT_END", "AT_END_STRING", "AT_BOUNDARY"):
            return False  # nothing is read, but it may fail
        elif kind not in ("AT", "ASSERT", "ASSERT_NOT", "GROUPREF"):
            return False
    return True
