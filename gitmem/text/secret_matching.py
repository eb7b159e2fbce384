"""The tables of secret rules at work."""

from __future__ import annotations

import functools
import re

from gitmem.text.secret_checks import LONG_RUN, Rule, looks_random
from gitmem.text.secret_contexts import CONTEXTS
from gitmem.text.secret_rules import NOT_INSIDE_A_WORD, RULES

Span = tuple[int, int, str]
Range = tuple[int, int]
Table = list[tuple[str, list[tuple[str, int, Rule]]]]

# In texts longer than this, rules look only around what they are near; how far, in characters.
_LONG = 8192
_BEFORE = 256
_AFTER = 640
_LONGEST_LINE = 4096
_MOST_PLACES = 200
_MARKS = ("_", "-", ".", ":", "$", "/", " ")


def find_formats(text: str, low: str) -> list[Span]:
    """Spans of tokens with a format. ``low`` is ``text`` in lower case and just as long."""
    return _find(_formats(), text, low)


def find_in_context(text: str, low: str) -> list[Span]:
    """Spans of what stands in a header, an address, a command; ``low`` as above."""
    return _find(_contexts(), text, low)


def _find(table: Table, text: str, low: str) -> list[Span]:
    """What the rules name, in the order of the rules."""
    found: list[tuple[int, Span]] = []
    runs: list[Range] | None = None
    for mark, listed in table:
        if mark not in low:
            continue
        for trigger, place, rule in listed:
            if trigger not in low:
                continue
            windows = [(0, len(text))]
            if len(text) > _LONG and rule.near == "run":
                runs = _windows(_runs(text)) if runs is None else runs
                windows = runs
            elif len(text) > _LONG:
                windows = _windows(_lines(trigger, text, low))
            found += [(place, span) for span in _matches(rule, text, windows)]
    return [span for _, span in sorted(set(found))] if found else []


@functools.cache
def _formats() -> Table:
    return _by_mark(RULES)


@functools.cache
def _contexts() -> Table:
    return _by_mark(CONTEXTS)


def _by_mark(rules: tuple[Rule, ...]) -> Table:
    """The triggers by a mark that each holds: a text without the mark is spared all of them."""
    groups: Table = [(mark, []) for mark in (*_MARKS, "")]
    for place, rule in enumerate(rules):
        for trigger in rule.triggers:
            next(listed for mark, listed in groups if mark in trigger).append(
                (trigger, place, rule)
            )
    return [(mark, listed) for mark, listed in groups if listed]


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """The rule's pattern, with its literal beginning before the look-behind.

    The search for a literal is many times faster than trying a look-behind at every character.
    """
    behind = NOT_INSIDE_A_WORD
    if pattern.startswith(behind):
        rest = pattern[len(behind) :]
        literal = re.match(r"[\w-]*", rest)
        if literal and literal[0]:
            pattern = f"{literal[0]}{behind[:-1]}{literal[0]}){rest[literal.end() :]}"
    return re.compile(pattern)


def _matches(rule: Rule, text: str, windows: list[Range]) -> list[Span]:
    pattern = _compiled(rule.pattern)
    group = 1 if pattern.groups else 0
    accept = rule.accept or looks_random
    return [
        (*match.span(group), rule.kind)
        for start, end in windows
        for match in pattern.finditer(text, start, end)
        if accept(match[group])
    ]


def _windows(places: list[Range]) -> list[Range]:
    """The places and what is around them; those that touch become one."""
    windows: list[Range] = []
    for start, end in places:
        start, end = max(0, start - _BEFORE), end + _AFTER
        if windows and start <= windows[-1][1]:
            windows[-1] = windows[-1][0], end
        else:
            windows.append((start, end))
    return windows


def _lines(trigger: str, text: str, low: str) -> list[Range]:
    """The lines with a trigger, as far as they reach in ``_LONGEST_LINE`` characters; at most
    ``_MOST_PLACES``, after which it is cheaper to look everywhere.
    """
    places: list[Range] = []
    at = low.find(trigger)
    while at >= 0:
        if len(places) == _MOST_PLACES:
            return [(0, len(text))]
        start = text.rfind("\n", max(0, at - _LONGEST_LINE), at) + 1 or max(0, at - _LONGEST_LINE)
        end = text.find("\n", at, at + _LONGEST_LINE)
        end = at + _LONGEST_LINE if end < 0 else end
        places.append((start, end))
        at = low.find(trigger, max(end, at + 1))
    return places


def _runs(text: str) -> list[Range]:
    return [match.span() for match in _long_run().finditer(text)]


@functools.cache
def _long_run() -> re.Pattern[str]:
    return re.compile(rf"[\w-]{{{LONG_RUN},}}+", re.ASCII)
