"""Whether a plan contradicts a decision that rejects nothing in so many words. Pure.

"Retries are capped at 3" forbids nothing expressly, and yet a plan to raise them to 10 contradicts
it. The signs are another number for the same thing, the opposite of a word beside the same words,
and a change to something that the decision does not mention. This is a guess, and only for texts on
one subject.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice, takewhile

from gitmem.memory import rewording
from gitmem.memory.conflict import TextConflict, content_stems, split_clauses, words_by_stem
from gitmem.model.frozen import dataclass
from gitmem.text.negation_words import CHANGING, DENIALS, EXCLUSIVE, INTO, LEAVING, UNDOING, WIDER
from gitmem.text.stem import strip_inflection
from gitmem.text.stop_words import FILLER, parse_words

_NUMBER = re.compile(r"(?<![\w.#-])(\d+(?:[._]\d+)*)[ \t\u00a0]?(%|[A-Za-z]+)?(?![\w-])")
_WORD = re.compile(r"[\w-]+")
_RHYTHM = re.compile(
    r"\b(?:(hourly|daily|nightly|weekly|monthly|yearly)"
    r"|(?:every|each|(?:once|twice) (?:a|an|per|each|every)) (?:(\d+) )?"
    r"(seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?))\b"
)
_CLAUSE_END = re.compile(r"[.,;:!?\n]|\b(?:so|because)\b")
_PLACES = parse_words("line lines row rows step page issue ticket pr bug item column chapter")
_NUMERALS = {
    name: str(number)
    for number, name in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1
    )
}
# After one of these a number without a unit is a value.
_VALUES = parse_words(
    "to at of is are be most least than from version port max min limit = up exactly"
)
# A number before one of these is a time, not a value: "two minutes before".
_OFFSETS = re.compile(r"\s+(?:before|ago|later|earlier)\b")
_UNBOUNDED = parse_words("forever indefinitely permanently unlimited")
_DENIAL = DENIALS | LEAVING
_SIGNS = ("=", "<", ">")
# Base unit -> stem of a unit -> its size in base units.
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
# Two texts are not on one subject merely because both count seconds.
_MEASURES = frozenset(
    {unit for units in _KINDS_OF_UNITS.values() for unit in units}
    | {strip_inflection(word) for word in ("times", "percent", "px", "items")}
)
# Characters before a number that are looked at, and the most numbers of a text.
_BEFORE, _MOST = 24, 40
# The share of a change's subject that the decision must name.
_TOPIC = 2 / 3
_LONGEST_TOPIC = 6
_LEAST_SHARED = 2
# The share of words that two texts must have in common where one negates the other.
_DENIED_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class _Number:
    """A number in its base unit, the stem of that unit, and the text to show.

    ``is_value``: it says how much or how many; ``after`` is the stem of the word before it.
    """

    value: str
    unit: str
    shown: str
    is_value: bool
    after: str


def find_implicit_conflict(plan_text: str, decision_text: str) -> TextConflict | None:
    """The TextConflict of a plan with a decision that expressly rejects nothing, or None.

    Both are texts. They conflict, for instance, by another number, another choice or an undoing.
    """
    first, second = words_by_stem(plan_text), words_by_stem(decision_text)
    shared = first.keys() & second.keys()
    if not shared:
        return None
    why = (
        _find_other_number(plan_text, decision_text, shared)
        or _find_other_rhythm(plan_text, decision_text)
        or _find_undoing(_without(first, second), _without(second, first))
        or _find_change(plan_text, second)
        or _find_denial(plan_text, decision_text)
        or _find_widening(plan_text, decision_text, shared)
        or describe_different_choice(plan_text, decision_text)
    )
    return TextConflict(tuple(sorted(first[stem] for stem in shared)), why) if why else None


def _find_other_number(plan: str, rule: str, shared: set[str]) -> str:
    here, there = (list(islice(_numbers(text), _MOST)) for text in (plan, rule))
    if not any(stem.isalpha() and stem not in _MEASURES for stem in shared):
        return ""
    bounds = [old for old in there if old.unit in _KINDS_OF_UNITS]
    if bounds and not here and (endless := _UNBOUNDED & {*_WORD.findall(plan.lower())}):
        return f"it says {bounds[0].shown}, and the plan says {min(endless)}"
    for new in here:
        alike = [old for old in there if old.unit == new.unit and _are_comparable(old, new, shared)]
        if alike and not any(_same(new.value, old.value) for old in alike):
            return f"it says {alike[0].shown}, and the plan says {new.shown}"
    return ""


def _are_comparable(old: _Number, new: _Number, shared: Collection[str]) -> bool:
    """Whether two numbers may be values of one thing.

    Both are values, or both follow the same word, as ports do; or one follows a word that the other
    text has: "Android 12", "the version of Android is 9".
    """
    if old.is_value and new.is_value:
        return True
    if old.is_value != new.is_value and not old.unit:
        return (old if new.is_value else new).after in shared
    return old.after == new.after != "" and old.after in shared


def _numbers(text: str) -> Iterator[_Number]:
    """The numbers of a text, without those of lines, tickets and the like."""
    plain = _WORD.sub(lambda word: _NUMERALS.get(word[0].lower(), word[0]), text)
    for hit in _NUMBER.finditer(plain):
        ahead = plain[max(0, hit.start() - _BEFORE) : hit.start()].lower().rstrip()
        before = _WORD.findall(ahead)[-1:]
        unit = strip_inflection((hit[2] or "").lower())
        if unit in FILLER:
            unit = ""
        # "3.9 and later" is a bound rather than a time.
        after = unit and _OFFSETS.match(plain, hit.end())
        if after or (before and before[0] in _PLACES):
            continue
        value = bool(unit) or ahead[-1:] in _SIGNS or bool(before and before[0] in _VALUES)
        shown = f"{hit[1]} {hit[2]}" if unit else hit[1]
        amount, unit = _in_first_unit(hit[1].replace("_", ""), unit)
        yield _Number(amount, unit, shown, value, strip_inflection(before[0]) if before else "")


def _in_first_unit(amount: str, unit: str) -> tuple[str, str]:
    """An amount in seconds or bytes, where its unit is one of time or of size."""
    for first, factors in _KINDS_OF_UNITS.items():
        if unit in factors and amount.count(".") < 2:
            return f"{float(amount) * factors[unit]:g}", first
    return amount, unit


def _find_other_rhythm(plan: str, rule: str) -> str:
    """How two texts disagree on a frequency: hourly, every night, once a week."""
    here, there = (list(_RHYTHM.finditer(text.lower())) for text in (plan, rule))
    units = {_unit(hit) for hit in there}
    new = next((hit for hit in here if _unit(hit) not in units), None)
    if not there or new is None or any(_unit(hit) in units for hit in here):
        return ""
    return f'it says "{there[0][0]}", and the plan says "{new[0]}"'


def _unit(hit: re.Match[str]) -> str:
    """The interval of a frequency, such as "2 week"; a night is a day."""
    unit = strip_inflection((hit[1] or hit[3]).replace("dai", "day").removesuffix("ly"))
    return f"{hit[2] or ''} {unit.replace('night', 'day')}".strip()


def _without(here: dict[str, str], there: dict[str, str]) -> dict[str, str]:
    return {stem: word for stem, word in here.items() if stem not in there}


def _same(first: str, second: str) -> bool:
    """Whether two numbers are equal, or one is the other in more detail: 20 and 20.11."""
    return first == second or first.startswith(f"{second}.") or second.startswith(f"{first}.")


def _find_undoing(plan: dict[str, str], rule: dict[str, str]) -> str:
    """Why a plan undoes what a rule does: it has the opposite of one of its words."""
    for word in plan.values():
        for against in rule.values():
            if rewording.are_opposites(word, against, UNDOING):
                return f'it says "{against}", and the plan says "{word}"'
    return ""


def _find_denial(plan: str, rule: str) -> str:
    """The negation that is the only difference between two texts; empty where there are others."""
    if _DENIAL.isdisjoint(_WORD.findall(f"{plan} {rule}".lower().replace("n't", " not"))):
        return ""
    from gitmem.memory import dedupe  # noqa: PLC0415 - few texts deny anything

    first, second = (dedupe.read_content_words(plan).words, dedupe.read_content_words(rule).words)
    here, there = rewording.negation_words(first), rewording.negation_words(second)
    if (
        len(here) % 2 == len(there) % 2
        or rewording.shared_content_fraction(first, second) < _DENIED_SHARE
    ):
        return ""
    if all(rewording.replaced_words(first, second)):
        return ""
    word, speaker = (here[0], "the plan") if here else (there[0], "it")
    return f'{speaker} says "{word}"'


def _find_widening(plan: str, rule: str, shared: Collection[str]) -> str:
    """Why a plan allows more than a rule, which says "only"; empty where it does not."""
    wider = WIDER & {*_WORD.findall(plan.lower())}
    narrow = EXCLUSIVE & {*_WORD.findall(rule.lower())}
    if len(shared) < _LEAST_SHARED or not (wider and narrow) or wider <= {*rule.lower().split()}:
        return ""
    return f'it says "{min(narrow)}", and the plan says "{min(wider)}"'


def _find_change(plan: str, rule: dict[str, str]) -> str:
    """Why a plan changes the subject of a rule into something that the rule does not name."""
    for clause in _CLAUSE_END.split(plan.lower()):
        tokens = _WORD.findall(clause)
        verb = next((at for at, token in enumerate(tokens) if token in CHANGING), len(tokens))
        topic = tokens[verb + 1 : verb + 1 + _LONGEST_TOPIC]
        end = next((at for at, word in enumerate(topic) if word in INTO), 0)
        into = words_by_stem(" ".join(tokens[verb + 2 + end :])) if end else {}
        about = words_by_stem(" ".join(topic[:end]))
        alike = about.keys() & rule.keys()
        if alike and into and into.keys().isdisjoint(rule) and len(alike) >= _TOPIC * len(about):
            return f'the plan changes "{" ".join(topic[:end])}" to something else'
    return ""


# Prepositions by the role they give: by what means, in what, where, as what, from where.
_PARTS = {
    word: row[0]
    for row in (
        ("with", "via", "through", "using", "over"),
        ("in", "inside", "into", "within"),
        ("on", "onto"),
        ("at",),
        ("as",),
        ("from",),
    )
    for word in row
}
# These end what a preposition governs.
_OTHERS = parse_words(
    "for of to by per than about between against during before after while if when and "
    "is are was were be been has have must should can will"
)
_ENDING = _OTHERS | _PARTS.keys() | {","}
_CHOOSING = parse_words("use uses adopt adopts choose chose pick introduce prefer")
_LONGEST = 4  # words that a preposition governs
# The share of the text's topic that the plan has to name.
_CHOICE_TOPIC = 0.5


@dataclass(frozen=True, slots=True)
class _Choice:
    """What a clause chooses (``by``, stems; ``phrase``, the words) for a ``topic`` (stems).

    ``part`` is the role that the preposition gives, ``head`` the stem of the topic's main noun,
    ``near`` the stems between the same two commas.
    """

    topic: frozenset[str]
    head: str
    part: str
    by: frozenset[str]
    phrase: str
    near: frozenset[str]


def describe_different_choice(plan: str, text: str) -> str:
    """What a plan chooses differently from a text, as ``it says "..."`` and so on; else empty."""
    theirs = list(_read_choices(text))
    if not theirs:
        return ""
    ours = list(_read_choices(plan))
    named = frozenset(words_by_stem(plan))
    agreed = {there.part for there in theirs if there.by <= named}
    for there in theirs:
        alike = there.topic & named
        if there.part in agreed or len(alike) < max(1, _CHOICE_TOPIC * len(there.topic)):
            continue
        for here in ours:
            if here.part == there.part and here.head in alike and _differ(here, there, named):
                return f'it says "{there.phrase}", and the plan says "{here.phrase}"'
    return ""


def _differ(here: _Choice, there: _Choice, named: frozenset[str]) -> bool:
    """Whether two choices share no word, or only their last one ("a red car", "a blue car")."""
    if not there.by & named:
        return here.by.isdisjoint(there.near)
    same_noun = here.phrase.split()[-1] == there.phrase.split()[-1]
    return same_noun and len(here.by & there.by) == 1 < min(len(here.by), len(there.by))


def _read_use_for(clause: list[str]) -> Iterator[_Choice]:
    """The choice in "use Kafka for the events", read as "the events with Kafka"."""
    verb = next((at for at, word in enumerate(clause) if word in _CHOOSING), len(clause))
    rest = clause[verb + 1 :]
    end = rest.index("for") if "for" in rest else 0
    by, topic = rest[:end], rest[end + 1 :]
    # "A cache for the data" adds something and replaces nothing.
    if (
        0 < len(by) <= _LONGEST
        and by[0] not in ("a", "an")
        and content_stems(by)
        and content_stems(topic)
    ):
        phrase = " ".join((clause[verb], *by))
        yield _Choice(
            content_stems(topic),
            _head(topic),
            "with",
            content_stems(by),
            phrase,
            content_stems(clause),
        )


def _head(topic: list[str]) -> str:
    """ "Tests" of "the tests of the queue"."""
    end = next((at for at, word in enumerate(topic) if at and word in _OTHERS), len(topic))
    nouns = [word for word in topic[:end] if content_stems((word,)) and not word.endswith("ly")]
    return next(iter(content_stems(nouns[-1:])), "")


def _read_choices(text: str) -> Iterator[_Choice]:
    for clause in split_clauses(text):
        yield from _read_use_for(clause)
        topic = clause
        for at, word in enumerate(clause):
            if word not in _PARTS:
                continue
            topic = clause[:at] if topic is clause else topic
            after = clause[at + 1 : at + 1 + _LONGEST]
            governed = list(takewhile(lambda word: word not in _ENDING, after))
            by, about = content_stems(governed), content_stems(topic)
            # `settled` compares numbers, with their units.
            if by and about and not any(stem[0].isdigit() for stem in by):
                phrase = " ".join((word, *governed))
                near = content_stems(_between_commas(clause, at))
                yield _Choice(about, _head(topic), _PARTS[word], by, phrase, near)


def _between_commas(clause: list[str], at: int) -> list[str]:
    commas = [-1, *(place for place, word in enumerate(clause) if word == ","), len(clause)]
    end = next(place for place in commas if place > at)
    return clause[commas[commas.index(end) - 1] + 1 : end]
