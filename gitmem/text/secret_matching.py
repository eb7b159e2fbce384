"""The tables of secret rules at work."""

from __future__ import annotations

import functools
import re

from gitmem.text.secret_checks import Rule, looks_random
from gitmem.text.secret_contexts import CONTEXTS
from gitmem.text.secret_rules import NOT_INSIDE_A_WORD, RULES

Span = tuple[int, int, str]
Table = list[tuple[str, list[tuple[str, int, Rule]]]]

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
    for mark, listed in table:
        if mark in low:
            for trigger, place, rule in listed:
                if trigger in low:
                    found += [(place, span) for span in _matches(rule, text)]
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


def _matches(rule: Rule, text: str) -> list[Span]:
    pattern = _compiled(rule.pattern)
    group = 1 if pattern.groups else 0
    accept = rule.accept or looks_random
    return [
        (*match.span(group), rule.kind) for match in pattern.finditer(text) if accept(match[group])
    ]
