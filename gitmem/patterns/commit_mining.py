"""Replacements that several commits repeat: what reviews and fixes teach again and again. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gitmem import languages
from gitmem.git.line_history import Replaced
from gitmem.languages import registry
from gitmem.model.frozen import dataclass
from gitmem.patterns import name_match
from gitmem.patterns import pattern as patterns
from gitmem.patterns.pattern import Pattern
from gitmem.patterns.rule import Rule

# In so many commits, and so many times as often as the other way round.
LEAST_COMMITS, TIMES_AGAINST = 3, 3
MOST = 10
_CHAIN = r"[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*!?"
_TOKEN = re.compile(rf"{_CHAIN}|\d[\w.]*|\s+|.")
_NAME = re.compile(_CHAIN)
_CALL = re.compile(rf"\s*(?:await |return |{_CHAIN} = )?({_CHAIN})\(")
_IMPORT = re.compile(r"\s*(?:import|from|use|#include|require)\b")
_KEYWORDS = frozenset(
    {
        *("if", "for", "while", "switch", "return", "with", "assert", "not", "and", "or", "in"),
        *("elif", "else", "catch", "except", "match", "func", "def", "fn", "super", "sizeof"),
    }
)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A name that commits keep replacing by another one.

    ``check`` is call or import; ``commits`` the newest first, ``at`` when the newest was made
    (seconds); ``old_line`` and ``new_line`` are those of it.
    """

    check: str
    old: str
    new: str
    language: str
    commits: tuple[str, ...]
    at: int
    old_line: str
    new_line: str


def lessons(replaced: Iterable[Replaced]) -> list[Lesson]:
    """What commits repeat, what most of them repeat first; ``replaced`` from the newest on."""
    found: dict[tuple[str, str, str, str], dict[str, Replaced]] = {}
    for one in replaced:
        language = languages.language(one.path)
        checked = bool(registry.find(language).calls)
        for check, old, new in _swaps(one.old, one.new) if checked else ():
            found.setdefault((check, old, new, language), {}).setdefault(one.sha, one)
    told = [_lesson(key, pairs) for key, pairs in found.items() if _is_lesson(key, pairs, found)]
    told.sort(key=lambda one: (-len(one.commits), -one.at, one.old, one.new))
    return told[:MOST]


def _is_lesson(
    key: tuple[str, str, str, str],
    pairs: dict[str, Replaced],
    found: dict[tuple[str, str, str, str], dict[str, Replaced]],
) -> bool:
    check, old, new, language = key
    back = len(found.get((check, new, old, language), ()))
    elsewhere = len({one.path for one in pairs.values()}) > 1
    return len(pairs) >= LEAST_COMMITS and len(pairs) >= TIMES_AGAINST * back and elsewhere


def _lesson(key: tuple[str, str, str, str], pairs: dict[str, Replaced]) -> Lesson:
    check, old, new, language = key
    newest = next(iter(pairs.values()))
    at = max(one.at for one in pairs.values())
    return Lesson(
        check, old, new, language, tuple(pairs), at, newest.old.strip(), newest.new.strip()
    )


def _swaps(old: str, new: str) -> Iterator[tuple[str, str, str]]:
    """The name that one line has in place of another one's, where nothing else tells them apart.

    Of two calls the arguments may differ too.
    """
    first, second = _TOKEN.findall(old), _TOKEN.findall(new)
    while first and second and first[0] == second[0]:
        first, second = first[1:], second[1:]
    while first and second and first[-1] == second[-1]:
        first, second = first[:-1], second[:-1]
    if len(first) == len(second) == 1:
        pair = first[0], second[0]
        if _IMPORT.match(old) and _IMPORT.match(new):
            yield from _sound("import", *pair)
        elif f"{pair[0]}(" in old and f"{pair[1]}(" in new:
            yield from _sound("call", *pair)
        return
    called, calls = _CALL.match(old), _CALL.match(new)
    if called and calls and _same_words(old[called.end() :], new[calls.end() :]):
        yield from _sound("call", called[1], calls[1])


def _sound(check: str, old: str, new: str) -> Iterator[tuple[str, str, str]]:
    names = all(_NAME.fullmatch(one) and name_match.is_name(one) for one in (old, new))
    if names and old != new and len(old) > 2 and not {old, new} & _KEYWORDS:
        yield check, old, new


def _same_words(old: str, new: str) -> bool:
    """Whether two lists of arguments share most of their words."""
    words, others = set(re.findall(r"\w+", old)), set(re.findall(r"\w+", new))
    both = words & others
    return bool(both) and 2 * len(both) >= len(words | others)


def pattern(lesson: Lesson) -> Pattern:
    """The pattern that a lesson teaches."""
    rule = Rule(lesson.check, names=(lesson.old,), languages=(lesson.language,), instead=lesson.new)
    verb = "Import" if lesson.check == "import" else "Use"
    return Pattern(
        name=patterns.named_after(rule),
        text=f"{verb} `{lesson.new}` instead of `{lesson.old}`.",
        rule=rule,
        language=lesson.language,
        examples=(lesson.new_line,),
        anti_examples=(lesson.old_line,),
        origin="commits",
        commits=lesson.commits[:MOST],
    )
