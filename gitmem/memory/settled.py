"""Where a plan would settle otherwise what was settled without turning anything down. Pure.

"Retries are capped at 3" forbids nothing in so many words, and yet a plan to raise them to 10 goes
against it. Three things are read: another number for the same, an opposite of a word beside the
same words, and something that is to be changed into what the other text does not know. Asked only
of texts that concern each other; a guess, which the caller says.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from gitmem.memory import alternatives, rewording
from gitmem.memory.conflict import Clash, words
from gitmem.model.frozen import dataclass
from gitmem.text.negation_words import (
    CHANGING,
    DENIALS,
    EXCLUSIVE,
    INTO,
    LEAVING,
    UNDOING,
    WIDER,
)
from gitmem.text.stem import uninflected
from gitmem.text.stop_words import FILLER, word_set

_NUMBER = re.compile(r"(?<![\w.#-])(\d+(?:[._]\d+)*)[ \t\u00a0]?(%|[A-Za-z]+)?(?![\w-])")
_WORD = re.compile(r"[\w-]+")
_RHYTHM = re.compile(
    r"\b(?:(hourly|daily|nightly|weekly|monthly|yearly)"
    r"|(?:every|each|(?:once|twice) (?:a|an|per|each|every)) (?:(\d+) )?"
    r"(seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?))\b"
)
_CLAUSE_END = re.compile(r"[.,;:!?\n]|\b(?:so|because)\b")
_PLACES = word_set("line lines row rows step page issue ticket pr bug item column chapter")
_NUMERALS = {
    name: str(number)
    for number, name in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1
    )
}
# After one of these a bare number is the value of something.
_VALUES = word_set(
    "to at of is are be most least than from version port max min limit = up exactly"
)
# What these follow tells when, and is no value of anything: "two minutes before".
_OFFSETS = re.compile(r"\s+(?:before|ago|later|earlier)\b")
_UNBOUNDED = word_set("forever indefinitely permanently unlimited")
_DENIAL = DENIALS | LEAVING
_SIGNS = ("=", "<", ">")
# Units of one kind as stem -> how many of the first.
_KINDS_OF_UNITS = {
    "second": {
        **dict.fromkeys(("s", "sec", "second"), 1),
        **dict.fromkeys(("m", "min", "minut"), 60),
        **dict.fromkeys(("h", "hour"), 3600),
        "ms": 0.001,
        "millisecond": 0.001,
        **dict.fromkeys(("d", "day", "da"), 86_400),
        "week": 604_800,
        "month": 2_592_000,
        **dict.fromkeys(("year", "yr"), 31_536_000),
    },
    "byt": {"b": 1, "byt": 1, "kb": 1e3, "kib": 1024, "mb": 1e6, "mib": 2**20, "gb": 1e9}
    | {"gib": 2**30, "tb": 1e12},
}
# What two texts have in common is not that both count seconds.
_MEASURES = frozenset(
    {unit for units in _KINDS_OF_UNITS.values() for unit in units}
    | {uninflected(word) for word in ("times", "percent", "px", "items")}
)
# Characters before a number that tell what it is, and numbers of a text that are compared.
_BEFORE, _MOST = 24, 40
# So much of what is to be changed has to stand in the other text.
_TOPIC = 2 / 3
_LONGEST_TOPIC = 6
_LEAST_SHARED = 2
# So much has to be the same where one text denies what the other says.
_DENIED_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class _Number:
    """A number in the first unit of its kind, that unit's stem, and how it is shown.

    ``is_value``: it says how much or how many; ``after`` is the stem of the word before it.
    """

    value: str
    unit: str
    shown: str
    is_value: bool
    after: str


def otherwise(plan: str, rule: str) -> Clash | None:
    """Where a plan would settle otherwise what a text settles; None where it does not seem to."""
    first, second = words(plan), words(rule)
    shared = first.keys() & second.keys()
    if not shared:
        return None
    why = (
        _another_number(plan, rule, shared)
        or _another_rhythm(plan, rule)
        or _undone(_only(first, second), _only(second, first))
        or _changed(plan, second)
        or _denied(plan, rule)
        or _widened(plan, rule, shared)
        or alternatives.otherwise(plan, rule)
    )
    return Clash(tuple(sorted(first[stem] for stem in shared)), why) if why else None


def _another_number(plan: str, rule: str, shared: set[str]) -> str:
    here, there = (list(islice(_numbers(text), _MOST)) for text in (plan, rule))
    if not any(stem.isalpha() and stem not in _MEASURES for stem in shared):
        return ""
    bounds = [old for old in there if old.unit in _KINDS_OF_UNITS]
    if bounds and not here and (endless := _UNBOUNDED & {*_WORD.findall(plan.lower())}):
        return f"it says {bounds[0].shown}, and the plan says {min(endless)}"
    for new in here:
        alike = [old for old in there if old.unit == new.unit and _values(old, new, shared)]
        if alike and not any(_same(new.value, old.value) for old in alike):
            return f"it says {alike[0].shown}, and the plan says {new.shown}"
    return ""


def _values(old: _Number, new: _Number, shared: Collection[str]) -> bool:
    """Whether both numbers are values of one thing.

    They say so, or both stand after one word, as ports do; or one stands after a word that the
    other text has: "Android 12", "the version of Android is 9".
    """
    if old.is_value and new.is_value:
        return True
    if old.is_value != new.is_value and not old.unit:
        return (old if new.is_value else new).after in shared
    return old.after == new.after != "" and old.after in shared


def _numbers(text: str) -> Iterator[_Number]:
    """The numbers of a text; those that only number a place or a ticket left out."""
    plain = _WORD.sub(lambda word: _NUMERALS.get(word[0].lower(), word[0]), text)
    for hit in _NUMBER.finditer(plain):
        ahead = plain[max(0, hit.start() - _BEFORE) : hit.start()].lower().rstrip()
        before = _WORD.findall(ahead)[-1:]
        unit = uninflected((hit[2] or "").lower())
        if unit in FILLER:
            unit = ""
        # "3.9 and later" is a bound, and no time.
        after = unit and _OFFSETS.match(plain, hit.end())
        if after or (before and before[0] in _PLACES):
            continue
        value = bool(unit) or ahead[-1:] in _SIGNS or bool(before and before[0] in _VALUES)
        shown = f"{hit[1]} {hit[2]}" if unit else hit[1]
        amount, unit = _in_first_unit(hit[1].replace("_", ""), unit)
        yield _Number(amount, unit, shown, value, uninflected(before[0]) if before else "")


def _in_first_unit(amount: str, unit: str) -> tuple[str, str]:
    """An amount in seconds or bytes, where its unit is one of time or of size."""
    for first, factors in _KINDS_OF_UNITS.items():
        if unit in factors and amount.count(".") < 2:
            return f"{float(amount) * factors[unit]:g}", first
    return amount, unit


def _another_rhythm(plan: str, rule: str) -> str:
    """How two texts disagree about how often: hourly, every night, once a week."""
    here, there = (list(_RHYTHM.finditer(text.lower())) for text in (plan, rule))
    known = {_unit(hit) for hit in there}
    new = next((hit for hit in here if _unit(hit) not in known), None)
    if not there or new is None or any(_unit(hit) in known for hit in here):
        return ""
    return f'it says "{there[0][0]}", and the plan says "{new[0]}"'


def _unit(hit: re.Match[str]) -> str:
    """The unit of time of a rhythm, with how many of them; a night is a day."""
    unit = uninflected((hit[1] or hit[3]).replace("dai", "day").removesuffix("ly"))
    return f"{hit[2] or ''} {unit.replace('night', 'day')}".strip()


def _only(here: dict[str, str], there: dict[str, str]) -> dict[str, str]:
    return {stem: word for stem, word in here.items() if stem not in there}


def _same(first: str, second: str) -> bool:
    """Whether two numbers are one, or one names the other more exactly: 20 and 20.11."""
    return first == second or first.startswith(f"{second}.") or second.startswith(f"{first}.")


def _undone(plan: dict[str, str], rule: dict[str, str]) -> str:
    """The word by which a plan undoes what a text has done, beside a word that they share."""
    for word in plan.values():
        for against in rule.values():
            if rewording.opposite(word, against, UNDOING):
                return f'it says "{against}", and the plan says "{word}"'
    return ""


def _denied(plan: str, rule: str) -> str:
    """The denial in which alone two texts differ, where one says no more than the other."""
    if _DENIAL.isdisjoint(_WORD.findall(f"{plan} {rule}".lower().replace("n't", " not"))):
        return ""
    from gitmem.memory import dedupe  # noqa: PLC0415 - few texts deny anything

    first, second = dedupe.read(plan).words, dedupe.read(rule).words
    here, there = rewording.denies(first), rewording.denies(second)
    if len(here) % 2 == len(there) % 2 or rewording.shared(first, second) < _DENIED_SHARE:
        return ""
    if all(rewording.replaced(first, second)):
        return ""
    word, speaker = (here[0], "the plan") if here else (there[0], "it")
    return f'{speaker} says "{word}"'


def _widened(plan: str, rule: str, shared: Collection[str]) -> str:
    """The words by which a plan lets in more than a text keeps something to."""
    wider = WIDER & {*_WORD.findall(plan.lower())}
    narrow = EXCLUSIVE & {*_WORD.findall(rule.lower())}
    if len(shared) < _LEAST_SHARED or not (wider and narrow) or wider <= {*rule.lower().split()}:
        return ""
    return f'it says "{min(narrow)}", and the plan says "{min(wider)}"'


def _changed(plan: str, rule: dict[str, str]) -> str:
    """What a plan changes into something that a text does not know of."""
    for clause in _CLAUSE_END.split(plan.lower()):
        tokens = _WORD.findall(clause)
        verb = next((at for at, token in enumerate(tokens) if token in CHANGING), len(tokens))
        topic = tokens[verb + 1 : verb + 1 + _LONGEST_TOPIC]
        end = next((at for at, word in enumerate(topic) if word in INTO), 0)
        into = words(" ".join(tokens[verb + 2 + end :])) if end else {}
        about = words(" ".join(topic[:end]))
        alike = about.keys() & rule.keys()
        if alike and into and into.keys().isdisjoint(rule) and len(alike) >= _TOPIC * len(about):
            return f'the plan changes "{" ".join(topic[:end])}" to something else'
    return ""
