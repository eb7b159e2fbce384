"""Matching the tables of secret rules against a text."""

from __future__ import annotations

import functools
import re

from gitmem.text.lazy_pattern import lazy_pattern
from gitmem.text.secrets import stretches
from gitmem.text.secrets.secret_checks import (
    LONG_RUN,
    NOT_INSIDE_A_WORD,
    Rule,
    is_no_placeholder,
)
from gitmem.text.secrets.secret_contexts import CONTEXTS
from gitmem.text.secrets.secret_rules import RULES

Span = tuple[int, int, str]
Range = tuple[int, int]
Listed = list[tuple[str, int, Rule]]

# In long texts rules are tried only around the places they are near; how far, in characters.
_BEFORE = 256
_AFTER = 640
_LONGEST_LINE = 4096
_MOST_PLACES = 200
_MARKS = "_.:/$ -"
_RARE_MARKS = "~$@+>}*/"
_end = lazy_pattern(f"[a-z0-9][a-z0-9][{_MARKS}]")
_long_run = lazy_pattern(rf"[\w-]{{{LONG_RUN},}}+", re.ASCII)


def find_rule_matches(text: str, lower_case_text: str, rule_tables: tuple[str, ...]) -> list[Span]:
    """Return where a text has secrets that the rules match, as (start, end, kind), rule by rule.

    ``rule_tables`` are "formats" (of tokens), "contexts" (a header, an address, a command) or both.
    ``lower_case_text`` is ``text`` in lower case, of the same length.
    """
    spans: list[tuple[int, Span]] = []
    if len(text) <= stretches.WORTH_IT:
        everywhere = [(0, len(text))]
        for place, rule in {
            place: rule for _, place, rule in _triggered(lower_case_text, rule_tables)
        }.items():
            spans += [(place, span) for span in _matches(rule, text, everywhere)]
    else:
        triggers: dict[tuple[int, Rule], list[str]] = {}
        for trigger, place, rule in _candidates(text, lower_case_text, rule_tables):
            triggers.setdefault((place, rule), []).append(trigger)
        runs: list[Range] = []
        for (place, rule), near in triggers.items():
            if rule.near == "line":
                windows = _windows(_lines(near, text, lower_case_text))
            else:
                windows = runs = runs or _windows(
                    [match.span() for match in _long_run().finditer(text)]
                )
            spans += [(place, span) for span in _matches(rule, text, windows)]
    return [span for _, span in sorted(set(spans))] if spans else []


def _triggered(low: str, tables: tuple[str, ...]) -> Listed:
    """The rules with a trigger in the text."""
    triggers: Listed = []
    ends = set(_end().findall(low))
    for table in tables:
        by_end, others = _index(table)
        for end in by_end.keys() & ends:
            triggers += [trigger for trigger in by_end[end] if trigger[0] in low]
        for mark, more in others:
            if mark in low:
                triggers += [trigger for trigger in more if trigger[0] in low]
    return triggers


def _candidates(text: str, low: str, tables: tuple[str, ...]) -> Listed:
    """As ``_triggered``, for a long text: only rules that can match somewhere in it."""
    listed = _matching_in_stretches(text, low) if "formats" in tables else []
    if "contexts" in tables:
        words = _trigger_words(stretches.distinct_words(low))
        absent = {mark for mark in _RARE_MARKS if mark not in low}
        for needs, triggers in _by_need():
            group = [
                trigger for trigger in triggers if trigger[0] in words and trigger[1] not in absent
            ]
            if group and (not needs or _pattern(needs).search(low)):
                for _, _, trigger, rules in group:
                    if trigger in low:
                        listed += rules
    return listed


def _matching_in_stretches(text: str, low: str) -> Listed:
    """The formats that match in a stretch of the text by itself."""
    candidates = stretches.find_token_candidates(text)
    triggers = _triggered(candidates.joined.lower(), ("formats",))
    triggers += [trigger for trigger in _anywhere() if trigger[0] in low]
    matching: dict[int, bool] = {}
    for _, place, rule in triggers:
        if place not in matching:
            within = candidates.numbered if rule.near == "number" else candidates.joined
            matching[place] = bool(_matches(rule, within, [(0, len(within))]))
    return [trigger for trigger in triggers if matching[trigger[1]]]


@functools.cache
def _anywhere() -> Listed:
    """The formats whose trigger, the provider's name, need not be inside the token."""
    return [
        (trigger, place, rule)
        for place, rule in enumerate(RULES)
        if rule.near != "line"
        for trigger in rule.triggers
        if trigger.isalpha()
    ]


@functools.cache
def _by_need() -> list[tuple[str, list[tuple[bytes, str, str, Listed]]]]:
    """``needs`` -> triggers of contexts, as (longest word, rarest mark, trigger, rules)."""
    needs: dict[str, dict[str, Listed]] = {}
    for place, rule in enumerate(CONTEXTS, len(RULES)):
        for trigger in rule.triggers:
            rules = needs.setdefault(rule.needs, {})
            rules.setdefault(trigger, []).append((trigger, place, rule))
    return [
        (need, [(_word(trigger), _mark(trigger), trigger, rules[trigger]) for trigger in rules])
        for need, rules in needs.items()
    ]


def _trigger_words(words: set[bytes]) -> set[bytes]:
    """The words of triggers that occur in any of the words."""
    if len(_HARMLESS) > _MOST_WORDS:
        _HARMLESS.clear()
    others = words - _HARMLESS
    joined = b" ".join(others)
    present = {trigger for trigger in _all_words() if trigger in joined}
    if len(others) < _MOST_NEW:
        _HARMLESS.update(others - _holding(joined, present))
    return present | {b""}


def _holding(joined: bytes, triggers: set[bytes]) -> set[bytes]:
    """Which of the words, joined by blanks, hold any of some triggers."""
    present: set[bytes] = set()
    for trigger in triggers:
        at = joined.find(trigger)
        while at >= 0:
            end = joined.find(b" ", at)
            end = len(joined) if end < 0 else end
            present.add(joined[joined.rfind(b" ", 0, at) + 1 : end])
            at = joined.find(trigger, end)
    return present


# Words without any trigger: the files of a project share most of their words.
_HARMLESS: set[bytes] = set()
_MOST_WORDS = 50_000
_MOST_NEW = 2_000  # a text with more new words is not code, and they will not occur again


@functools.cache
def _all_words() -> frozenset[bytes]:
    return frozenset([trigger[0] for _, triggers in _by_need() for trigger in triggers]) - {b""}


def _word(trigger: str) -> bytes:
    words: list[str] = re.findall("[a-z]*", trigger)
    longest = max(words, key=len)
    return longest.encode() if len(longest) > 2 else b""  # nearly every text has a shorter one


def _mark(trigger: str) -> str:
    return next((mark for mark in _RARE_MARKS if mark in trigger), "")


@functools.cache
def _pattern(needs: str) -> re.Pattern[str]:
    return re.compile(needs)


@functools.cache
def _index(table: str) -> tuple[dict[str, Listed], list[tuple[str, Listed]]]:
    """The triggers by the end of their first word (two characters and a mark).

    One pass finds all such ends in a text. The few triggers without one are listed by a mark that
    they hold.
    """
    by_end: dict[str, Listed] = {}
    others: dict[str, Listed] = {}
    first, rules = (0, RULES) if table == "formats" else (len(RULES), CONTEXTS)
    for place, rule in enumerate(rules, first):
        for trigger in rule.triggers:
            end = _end().search(trigger)
            mark = next((mark for mark in _MARKS if mark in trigger), "")
            group = by_end.setdefault(end[0], []) if end else others.setdefault(mark, [])
            group.append((trigger, place, rule))
    return by_end, list(others.items())


@functools.cache
def compile_secret_pattern(pattern: str) -> re.Pattern[str]:
    """Return a rule's regular expression, compiled so that it is searched for quickly.

    Its literal beginning goes before the look-behind; the matches are the same.
    """
    behind = NOT_INSIDE_A_WORD
    if pattern.startswith(behind):
        rest = pattern[len(behind) :]
        literal = re.match(r"[\w-]*", rest)
        if literal and literal[0]:
            pattern = f"{literal[0]}{behind[:-1]}{literal[0]}){rest[literal.end() :]}"
    return re.compile(pattern)


def _matches(rule: Rule, text: str, windows: list[Range]) -> list[Span]:
    pattern = compile_secret_pattern(rule.pattern)
    group = 1 if pattern.groups else 0
    accept = rule.accept or is_no_placeholder
    return [
        (*match.span(group), rule.kind)
        for start, end in windows
        for match in pattern.finditer(text, start, end)
        if accept(match[group])
    ]


def _windows(places: list[Range]) -> list[Range]:
    """The places with some characters around them; overlapping ones are merged."""
    windows: list[Range] = []
    for start, end in places:
        start, end = max(0, start - _BEFORE), end + _AFTER
        if windows and start <= windows[-1][1]:
            windows[-1] = windows[-1][0], max(end, windows[-1][1])
        else:
            windows.append((start, end))
    return windows


def _lines(triggers: list[str], text: str, low: str) -> list[Range]:
    """The lines with a trigger, each cut to ``_LONGEST_LINE`` characters around it.

    With more than ``_MOST_PLACES`` it is cheaper to search everywhere.
    """
    places: list[Range] = []
    for trigger in triggers:
        at = low.find(trigger)
        while at >= 0:
            if len(places) == _MOST_PLACES:
                return [(0, len(text))]
            start = max(0, at - _LONGEST_LINE)
            start = text.rfind("\n", start, at) + 1 or start
            end = text.find("\n", at, at + _LONGEST_LINE)
            end = at + _LONGEST_LINE if end < 0 else end
            places.append((start, end))
            at = low.find(trigger, max(end, at + 1))
    return sorted(places)
