"""Checking regular expressions in rules: short, and without catastrophic backtracking.

Refused are a choice or a repeat inside a repeat, many repeats, back references and lookaround;
texts are cut to 400 characters.
"""

from __future__ import annotations

import re
import warnings
from functools import cache

from gitmem.errors import InvalidInput

LONGEST = 200
MOST_WIDE, MOST_NARROW = 2, 8
_WIDE = 10  # lengths that a repeat can match; more make it a wide one
_REPEAT = re.compile(r"(?:[*+?]|\{\d+(?:,\d*)?\}|\{,\d+\})\??")


@cache
def compile_safe_regex(regex_text: str) -> re.Pattern[str]:
    """The compiled regular expression. Raises InvalidInput if it is wrong or could take long."""
    if len(regex_text) > LONGEST:
        raise InvalidInput(
            f"A regular expression in a rule has at most {LONGEST} characters.", "Shorten it."
        )
    try:
        with warnings.catch_warnings():
            # A warning about later versions of Python must not be printed beside an answer.
            warnings.simplefilter("ignore", FutureWarning)
            expression = re.compile(regex_text)
    except (re.error, OverflowError, RecursionError) as error:
        raise InvalidInput(
            f"{regex_text[:80]!r} is not a regular expression: {error}.",
            "Check the brackets of the expression.",
        ) from error
    if why := _why_slow(regex_text):
        raise InvalidInput(
            f"The regular expression {regex_text[:80]!r} could take too long: {why}.",
            "Say it more simply; for names there are styles: snake_case, camelCase, PascalCase.",
        )
    return expression


def _why_slow(text: str) -> str:
    """Why a valid expression may take exponential time; empty where it may not."""
    if re.search(r"(?<!\\)(?:\\\\)*\\[1-9]", text):
        return "it refers back"
    # Escapes and classes are replaced by text of the same length.
    plain = re.sub(r"\\.", "xx", text, flags=re.DOTALL)
    bare = re.sub(r"\[\^?\]?[^\]]*\]", lambda match: "x" * len(match[0]), plain)
    if re.search(r"\(\?(?!:)", bare):
        return "it looks around, refers back or sets options"
    wide, narrow, varies, place = 0, 0, [False], 0
    while place < len(bare):
        char = bare[place]
        if char == "(":
            varies.append(False)
            place += 3 if bare.startswith("(?:", place) else 1
            continue
        varies[-1] = varies[-1] or char == "|"
        inner = varies.pop() if char == ")" else False
        repeat = _REPEAT.match(bare, place + 1)
        if repeat and char not in "(|":
            chances = _chances(repeat[0])
            if inner and not repeat[0].startswith("?"):
                return "it repeats a group that holds a choice or a repeat"
            wide += chances > _WIDE
            narrow += 1 < chances <= _WIDE
            inner = inner or chances > 1
            place = repeat.end() - 1
        varies[-1] = varies[-1] or inner
        place += 1
    if wide > MOST_WIDE or narrow > MOST_NARROW:
        return f"it has more than {MOST_WIDE} repeats, or {MOST_NARROW} optional parts"
    return ""


def _chances(repeat: str) -> int:
    bare = repeat[:-1] if len(repeat) > 1 and repeat.endswith("?") else repeat
    if bare in ("*", "+"):
        return _WIDE + 1
    if bare == "?":
        return 2
    least, comma, most = bare.strip("{}").partition(",")
    if not comma:
        return 1
    return _WIDE + 1 if not most else int(most) - int(least or 0) + 1
