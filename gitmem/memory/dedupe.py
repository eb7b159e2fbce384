"""Whether a memory says what another one says already, and what becomes of it then (CF-44, CT-10).

A cosine cannot tell that alone. The built-in model gives 0.95 to two sentences of which one says
port 6380 and the other 6379, 0.99 where only one of them says "not", and 1.00 to "tabs instead of
spaces" and "spaces instead of tabs". So the likeness only proposes; the words decide. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from gitmem.memory import edit, rewording, trust
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.text.stem import singular
from gitmem.text.stop_words import EMPTY

ADD, SKIP, MERGE, SUGGEST = "add", "skip", "merge", "suggest"
# From these cosines on (CF-44; CT-10 merges from 0.92 on and names what is alike from 0.75 on).
SAME, FULLER, ALIKE = 0.95, 0.92, 0.75


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Cosines of one model, from which two memories are the same, merged, or worth a look."""

    same: float = SAME
    merge: float = FULLER
    suggest: float = ALIKE


BUILTIN = Thresholds()
# From so many texts on a word is common.
_COMMON = 40
# From these shares of common words on one word in place of another tells two texts apart, and so
# does a denial.
_CLOSE, _CLOSER = 0.5, 0.7
# Of what is copied word for word a small difference is a difference; turns repeat themselves.
EXACT_KINDS = frozenset(("code", "example", "command", "error", "conversation"))

# Words that turn a sentence round or bound it: both texts must have the same.
_TURNING_WORDS = (
    "not no never none nor neither nobody nothing without cannot instead rather than avoid unless "
    "except only always before after until if when while but either or should must may might can "
    "could would will shall was were been had did any all every each both most least more less few "
    "once again over under above below up down off out from to into onto against between through "
    "stop skip forbid deprecated removed former formerly"
)
_TURNING = frozenset(_TURNING_WORDS.split())
_MARKS = ".,;:!?\"'()[]{}`\u2018\u2019\u201c\u201d\u2026\u00ab\u00bb"
_SYMBOL = re.compile(r"[<>=!+/%&|~^$\\]+")
_CAPITAL = re.compile(r"[A-Z].*[A-Z]|[a-z].*[A-Z]")
_SPLIT = re.compile(r"n['\u2019]t$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one memory is to another, and the words in which they differ, sorted.

    ``skip``: the same words in the same order. ``merge``: one says all that the other says, and
    more. ``suggest``: much alike, but told apart by ``differs`` or by the order of the words.
    ``add``: something else. ``apart``: a name, a number or a turning word tells them apart, or
    they cannot stand for each other (another kind or place, a stranger's word).
    """

    verdict: str
    differs: tuple[str, ...] = ()
    apart: bool = False


@dataclass(frozen=True, slots=True)
class _Read:
    """A text's telling words in order, and which of them name something: numbers, paths, names."""

    words: tuple[str, ...]
    names: frozenset[str]


def judge(new: Memory, old: Memory, similarity: float, cosines: Thresholds = BUILTIN) -> Judgement:
    """What ``new`` is to ``old``, given the cosine of their texts."""
    if similarity < cosines.suggest:
        return Judgement(ADD)
    one, other = read(_text(new)), read(_text(old))
    differs = tuple(sorted(set(one.words) ^ set(other.words)))
    if not comparable(new, old) or _told_apart(one, other):
        return Judgement(SUGGEST, differs, apart=True)
    if _turned(one, other):
        # Nobody is to lose an "all" or a "was" unasked.
        return Judgement(SUGGEST, differs)
    if one.words == other.words and similarity >= cosines.same and _adds_no_facts(new, old):
        return Judgement(SKIP, differs)
    fuller, shorter = (one, other) if len(one.words) > len(other.words) else (other, one)
    # Nobody rewrites what is trusted more by saying it at greater length.
    rewrites = fuller is one and trust.outranks(old.tier, new.tier)
    if similarity >= cosines.merge and not rewrites and _within(shorter.words, fuller.words):
        return Judgement(MERGE, differs)
    return Judgement(SUGGEST, differs)


def merged(old: Memory, new: Memory) -> Memory:
    """``old`` with what ``new`` adds: the fuller text, all tags and paths, metadata key by key.

    The caller keeps ``old`` as an earlier version, so nothing is lost.
    """
    joined = edit.reinforced(old, new)
    facts = {**_facts(old), **_facts(new)}
    joined = replace(joined, metadata=json.dumps(facts, ensure_ascii=False, sort_keys=True))
    if len(read(_text(new)).words) < len(read(_text(old)).words):
        return joined
    if (new.title, new.content) == (old.title, old.content):
        return joined
    return replace(
        joined,
        title=new.title or old.title,
        content=new.content,
        trust=trust.after_edit(joined, by_agent=new.tier != "person"),
    )


def annotated(new: Memory, other: str, similarity: float) -> Memory:
    """``new`` with a note in its metadata of which memory it repeats."""
    facts = {**_facts(new), "duplicate_of": other, "similarity": similarity}
    return replace(new, metadata=json.dumps(facts, ensure_ascii=False, sort_keys=True))


def says(fuller: str, shorter: str) -> bool:
    """Whether a text says all that another says, in the same order, and names and turns the same.

    An empty one says nothing.
    """
    one, other = read(fuller), read(shorter)
    if not other.words or _turned(one, other):
        return False
    return _within(other.words, one.words)


def shared(one: str, other: str) -> float:
    """The share of telling words that two texts have in common, 0 to 1 (of the larger set).

    The larger of two counts: of all words, and of those that are no function words.
    """
    words, others = set(read(one).words), set(read(other).words)
    among = len(words & others) / max(len(words), len(others), 1)
    return max(among, rewording.shared(read(one).words, read(other).words))


def swapped(one: str, other: str) -> bool:
    """Whether two texts of mostly the same words differ in one thing that stands for another.

    Looser than what tells apart on writing: in a text of other words many words may stand for many.
    """
    first, second = read(one), read(other)
    close = rewording.shared(first.words, second.words)
    if close < _CLOSE:
        return False
    if first.names - set(second.words) and second.names - set(first.words):
        return True
    left, right = rewording.replaced(first.words, second.words)
    if len(left) == len(right) == 1:
        return True
    return (
        close >= _CLOSER
        and (not (left or right) or rewording.turned(first.words, second.words))
        and _told_apart(first, second)
    )


def overlaps(texts: Sequence[str], least: float, most: int) -> list[list[int]]:
    """For each text the places of earlier ones that share ``least`` of the words, ``most`` at most.

    Words that very many of the texts have find nobody: they tell nothing, and would cost most.
    """
    places: dict[str, list[int]] = {}
    sets: list[frozenset[str]] = []
    found: list[list[int]] = []
    for at, text in enumerate(texts):
        words = frozenset(read(text).words)
        known = [places.get(word, []) for word in words]
        rare = [earlier for earlier in known if len(earlier) < _COMMON]
        # Where all are common some of the places do: else many short texts take for ever.
        rare = rare or [earlier[:_COMMON] for earlier in known]
        counts: dict[int, int] = {}
        for earlier in rare:
            for place in earlier:
                counts[place] = counts.get(place, 0) + 1
        enough = least * len(rare)
        near = [
            (len(words & sets[place]) / max(len(words), len(sets[place]), 1), place)
            for place, count in counts.items()
            if count >= enough
        ]
        near = sorted((-share, place) for share, place in near if share >= least)
        found.append([place for _, place in near[:most]])
        sets.append(words)
        for word in words:
            places.setdefault(word, []).append(at)
    return found


@lru_cache(1 << 13)
def read(text: str) -> _Read:
    """The telling words of a text: lower case, plurals folded, "don't" as do and not."""
    words: list[str] = []
    names: set[str] = set()
    begins = True
    for raw in text.split():
        told = raw.strip(_MARKS)
        for low, exact, capital, empty, upper in _telling(told):
            # "A" within a sentence is a name: option A.
            if empty and (begins or not upper):
                continue
            words.append(low)
            if exact or (capital and not begins):
                names.add(low)
        # What follows a full stop or a bullet is written large whatever it is.
        begins = not told or raw[-1:] in ".:!?" or (begins and not told.isalnum())
    return _Read(tuple(words), frozenset(names))


@lru_cache(1 << 14)
def _telling(told: str) -> tuple[tuple[str, bool, bool, bool, bool], ...]:
    """The words in a token, folded; whether each names something, and how it is written."""
    found = []
    for word in _parts(told):
        low, exact = word.casefold(), _exact(word)
        folded = low if exact or low in _TURNING else singular(low)
        found.append((folded, exact, word[:1].isupper(), low in EMPTY, word.isupper()))
    return tuple(found)


def _parts(told: str) -> Iterator[str]:
    if not told or not any(letter.isalnum() for letter in told):
        # A bullet or a dash says nothing; an operator does.
        if _SYMBOL.fullmatch(told):
            yield told
        return
    if _SPLIT.search(told):
        yield {"ca": "can", "wo": "will"}.get(told[:-3].lower(), told[:-3])
        yield "not"
        return
    if told.lower() == "cannot":
        yield from ("can", "not")
        return
    yield re.sub("['\u2019](s|re|ve|ll|d|m)?$", "", told)


def _exact(word: str) -> bool:
    """Whether a word names something: a number, a path, a flag, an identifier."""
    return not word.isalpha() or bool(_CAPITAL.match(word))


def _told_apart(read: _Read, other: _Read) -> bool:
    if _named_apart(read, other) or rewording.turned(read.words, other.words):
        return True
    return all(rewording.replaced(read.words, other.words))


def _named_apart(read: _Read, other: _Read) -> bool:
    return bool((read.names - set(other.words)) | (other.names - set(read.words)))


def _turned(read: _Read, other: _Read) -> bool:
    """Whether a name or a turning word stands in one text only, or more often in one."""
    if _named_apart(read, other):
        return True
    return sorted(filter(_turning, read.words)) != sorted(filter(_turning, other.words))


def _turning(word: str) -> bool:
    return word in _TURNING


def comparable(new: Memory, old: Memory) -> bool:
    """Whether one may stand for the other: same kind and place, and no stranger's word."""
    return (
        _frame(new) == _frame(old)
        and new.kind not in EXACT_KINDS
        and old.tier != "foreign"
        and trust.stands_for(old, new)
        and old.state == new.state
    )


def _frame(memory: Memory) -> tuple[object, ...]:
    session = memory.session if memory.layer == "working" else ""
    bounds = (memory.valid_from, memory.valid_until)
    return (memory.kind, memory.scope, memory.layer, session, memory.status, *bounds)


def _adds_no_facts(new: Memory, old: Memory) -> bool:
    return _facts(new).items() <= _facts(old).items() if new.metadata != "{}" else True


def _facts(memory: Memory) -> dict[str, object]:
    found = json.loads(memory.metadata or "{}")
    return found if isinstance(found, dict) else {}


def _within(shorter: Sequence[str], longer: Sequence[str]) -> bool:
    """Whether the words stand in the longer text in the same order, others between them."""
    rest = iter(longer)
    return all(word in rest for word in shorter)


def _text(memory: Memory) -> str:
    return f"{memory.title}\n{memory.content}".strip()
