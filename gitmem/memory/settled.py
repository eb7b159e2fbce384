"""Where a plan would settle otherwise what was settled without turning anything down. Pure.

"Retries are capped at 3" forbids nothing in so many words, and yet a plan to raise them to 10 goes
against it. Three things are read: another number for the same, an opposite of a word beside the
same words, and something that is to be changed into what the other text does not know. Asked only
of texts that concern each other; a guess, which the caller says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitmem.memory import rewording
from gitmem.memory.conflict import Clash, words
from gitmem.model.frozen import dataclass
from gitmem.text.negation_words import CHANGING, INTO, UNDOING
from gitmem.text.stem import uninflected
from gitmem.text.stop_words import FILLER, word_set

_NUMBER = re.compile(r"(?<![\w.#-])(\d+(?:[._]\d+)*)\s?(%|[A-Za-z]+)?(?![\w-])")
_WORD = re.compile(r"[\w-]+")
_PLACES = word_set("line lines row rows step page issue ticket pr bug item column chapter")
_NUMERALS = {
    name: str(number)
    for number, name in enumerate(
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 2
    )
}
# After one of these a bare number is the value of something.
_VALUES = word_set(
    "to at of is are be most least than from version port max min limit = up exactly"
)
# So much of what is to be changed has to stand in the other text.
_TOPIC = 2 / 3
_LONGEST_TOPIC = 6


@dataclass(frozen=True, slots=True)
class _Number:
    """A number, its unit in lower case (empty for none), and whether it is the value of a thing."""

    value: str
    unit: str
    is_value: bool


def otherwise(plan: str, said: str) -> Clash | None:
    """Where a plan would settle otherwise what a text settles; None where it does not seem to."""
    first, second = words(plan), words(said)
    shared = first.keys() & second.keys()
    if not shared:
        return None
    why = _another_number(plan, said, shared) or _undone(first, second) or _changed(plan, second)
    return Clash(tuple(sorted(first[stem] for stem in shared)), why) if why else None


def another_number(plan: str, said: str) -> str:
    """How two texts that share words disagree about a number; empty where they do not."""
    return _another_number(plan, said, words(plan).keys() & words(said).keys())


def _another_number(plan: str, said: str, shared: set[str]) -> str:
    if not any(stem.isalpha() for stem in shared):
        return ""
    here, there = list(_numbers(plan)), list(_numbers(said))
    for new in here:
        known = [old for old in there if old.unit == new.unit and old.is_value and new.is_value]
        if known and not any(_same(new.value, old.value) for old in known):
            return f"it says {_shown(known[0])}, and the plan says {_shown(new)}"
    return ""


def _numbers(text: str) -> Iterator[_Number]:
    """The numbers of a text; those that only number a place or a ticket left out."""
    plain = _WORD.sub(lambda word: _NUMERALS.get(word[0].lower(), word[0]), text)
    for hit in _NUMBER.finditer(plain):
        before = _WORD.findall(plain[: hit.start()].lower())[-1:]
        if before and before[0] in _PLACES:
            continue
        unit = uninflected((hit[2] or "").lower())
        if unit in FILLER:
            unit = ""
        ends = plain[: hit.start()].rstrip()[-1:]
        value = bool(unit) or ends in ("=", "<", ">") or bool(before and before[0] in _VALUES)
        yield _Number(hit[1].replace("_", ""), unit, value)


def _same(one: str, other: str) -> bool:
    """Whether two numbers are one, or one names the other more exactly: 20 and 20.11."""
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def _shown(number: _Number) -> str:
    return f"{number.value} {number.unit}".strip()


def _undone(plan: dict[str, str], said: dict[str, str]) -> str:
    """The word by which a plan undoes what a text has done, beside a word that they share."""
    for word in plan.values():
        for other in said.values():
            if rewording.opposite(word, other, UNDOING):
                return f'it says "{other}", and the plan says "{word}"'
    return ""


def _changed(plan: str, said: dict[str, str]) -> str:
    """What a plan changes into something that a text does not know of."""
    tokens = _WORD.findall(plain := plan.lower())
    for at, token in enumerate(tokens):
        if token not in CHANGING:
            continue
        rest = tokens[at + 1 : at + 2 + _LONGEST_TOPIC]
        end = next((n for n, word in enumerate(rest) if word in INTO), 0)
        topic = words(" ".join(rest[:end]))
        stop = re.split(
            r"[.,;:!?\n]| so | because ", plain.split(" ".join(rest[end : end + 2]))[-1]
        )
        into = words(stop[0])
        known = topic.keys() & said.keys()
        if topic and into and not into.keys() & said.keys() and len(known) >= _TOPIC * len(topic):
            return f'the plan changes "{" ".join(rest[:end])}" to something else'
    return ""
