"""Whether a plan goes against what was decided, and why that is thought (ML-26).

A text is read for what it wants and what it turns down: "use apsw, not sqlite3" wants apsw and
turns down sqlite3, and so does "replace sqlite3 with apsw". Two texts clash where one wants what
the other turns down. That is little knowledge of English, so it asks for much: nearly all telling
words of what is turned down must be wanted, and where something is merely said not to be so
("is not shared between workers") two at least. Silence proves nothing. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gitmem.model.frozen import dataclass, replace
from gitmem.text import negation_words
from gitmem.text.stem import uninflected
from gitmem.text.stop_words import FILLER

# Of the words of a phrase so much must be found on the other side, rounded up.
SHARE = 0.75
# And of a decision's where more says that the two are about the same.
LOOSE = 0.5
# A phrase ends after so many words.
LONGEST = 8

_TOKEN = re.compile(r"[\w@$#./:+\\-]*\w(?:\+\+|#)?|[,.;:!?()\n]")
_SENTENCE_END = r"\n|(?<=[.!?])\s"
# With nothing after it that is turned down, it is said of what stands before.
_TURNED_DOWN = re.compile(r"\bturned down(?=\s*(?:$|[.,;:!?)\n]|because\b|since\b))", re.IGNORECASE)
_NOT_GRANTED = re.compile(rf"\bnot (?:{'|'.join(sorted(negation_words.GRANTED))})\b", re.IGNORECASE)
# "e-mail" is "email".
_ONE_LETTER = re.compile(r"\b([A-Za-z])-(?=[A-Za-z]{3})")
_JOINED = re.compile(r"[./\\:]+")
_SHORT = 2
_JOINS = (",", "and", "or")
_STOPS = frozenset(".;!?:()\n")


@dataclass(frozen=True, slots=True)
class Phrase:
    """What is turned down: its telling words as stems, and the words as they were said.

    ``firm`` is False where it is only said not to be so. ``about`` are the stems of what it is said
    of: "secrets" where "secrets must not be logged".
    """

    stems: frozenset[str]
    said: str
    firm: bool = True
    about: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Stance:
    """What a text wants, as stem -> word, and the phrases that it turns down.

    ``chosen`` are the stems it wants in so many words: "use apsw" chooses apsw, "apsw is slow" does
    not. ``leaves`` is what it does away with, and the verbs by which it does, as stem -> word.
    """

    wants: dict[str, str]
    turns_down: tuple[Phrase, ...]
    chosen: frozenset[str]
    leaves: dict[str, str]


@dataclass(frozen=True, slots=True)
class Clash:
    """Where two texts clash: the words, sorted, and a sentence on why."""

    terms: tuple[str, ...]
    why: str


def stance(text: str) -> Stance:
    """What a text wants and what it turns down."""
    down: list[Phrase] = []
    wants: dict[str, str] = {}
    leaves: dict[str, str] = {}
    chosen: set[str] = set()
    for clause in clauses(text):
        chooses = not negation_words.CHOOSES.isdisjoint(clause)
        for words, cue, firm, carried in _parts(clause):
            if not cue:
                told = {uninflected(word): word for word in words if word not in FILLER | {","}}
                wants |= _parts_of_names(words) | told
                chosen.update(told if chooses else ())
                continue
            left = cue in negation_words.AFTERWARDS | negation_words.LEFT
            before = len(words) if left else carried
            order = (*words[:before], cue, *words[before:])
            about, rest = telling(words[:carried]), telling(words[carried:])
            phrase = Phrase(about | rest, " ".join(order), firm, about - rest)
            if rest:
                down.append(phrase)
            if cue in negation_words.LEAVING:
                leaves |= {uninflected(word): word for word in (cue, *words) if _tells(word)}
    refused = frozenset(stem for phrase in down for stem in phrase.stems)
    down = [_beside(phrase, refused & wants.keys()) for phrase in down]
    kept = {key: word for key, word in wants.items() if key not in refused}
    return Stance(kept, tuple(down), frozenset(chosen - refused), leaves)


def _beside(phrase: Phrase, wanted: frozenset[str]) -> Phrase:
    """A phrase of a text that wants some of its words: "memory limits, but no CPU limits"."""
    about = phrase.about | (phrase.stems & wanted)
    return phrase if phrase.stems <= about else replace(phrase, about=about)


def between(plan: Stance, stance: Stance, *, least: int = 1, settles: bool = False) -> Clash | None:
    """Where a plan goes against what was said, None where it does not seem to.

    ``least`` words must be turned down together: 1 by a rule, more by what only tells of something.
    ``settles``: what was said is a decision about what the plan is about, so all of it is chosen.
    """
    if plan == stance:
        return None  # what contradicts itself says nothing against itself
    terms: set[str] = set()
    why = []
    for phrase in stance.turns_down:
        # "Delete the order" wants nothing, and yet goes against "orders are never deleted".
        away = {plan.leaves[stem] for stem in phrase.stems & plan.leaves.keys()}
        does = plan.wants | plan.leaves if away & negation_words.LEAVING else plan.wants
        if len(phrase.stems) >= least and _held(phrase, does, settles=settles):
            terms.update(does[stem] for stem in phrase.stems if stem in does)
            why.append(f'it says "{phrase.said}"')
    for phrase in plan.turns_down:
        if len(phrase.stems) >= least and _held(phrase, stance.wants):
            if not (settles or _meant(phrase, stance)):
                continue
            words = [stance.wants[stem] for stem in sorted(phrase.stems) if stem in stance.wants]
            terms.update(words)
            why.append(f'it wants {", ".join(words)}, and the plan says "{phrase.said}"')
    return Clash(tuple(sorted(terms)), "; ".join(dict.fromkeys(why))) if terms else None


def sentence(text: str, terms: Iterable[str]) -> str:
    """The sentence of a text that holds most of the terms, the first of several, on one line."""
    wanted = words(" ".join(terms)).keys()
    told = [one.strip() for one in re.split(_SENTENCE_END, text) if one.strip()]
    return max(told, key=lambda one: len(words(one).keys() & wanted), default="")


def _meant(phrase: Phrase, stance: Stance) -> bool:
    """Whether it is against a text to turn this down: one word that only occurs there is not."""
    return len(phrase.stems) > 1 or phrase.stems <= stance.chosen


def _held(phrase: Phrase, wants: dict[str, str], *, settles: bool = False) -> bool:
    count = len(phrase.stems)
    if not phrase.firm and count < 2:
        return False
    if phrase.about and phrase.about.isdisjoint(wants):
        return False
    rest = phrase.stems - phrase.about
    share = (LOOSE if settles else SHARE) if phrase.firm else 1.0
    return sum(stem in wants for stem in rest) >= max(1, -int(-share * len(rest) // 1))


def words(text: str) -> dict[str, str]:
    """The telling words of a text, as stem -> word in lower case."""
    found = _TOKEN.findall(_ONE_LETTER.sub(r"\1", text.lower()))
    return {
        uninflected(one): one for one in found if one not in _STOPS and one != "," and _tells(one)
    }


def _tells(word: str) -> bool:
    return word not in FILLER and word not in negation_words.VAGUE and len(word) > 1


def _parts_of_names(words: Iterable[str]) -> dict[str, str]:
    """The words within paths and dotted names, as stem -> word."""
    parts = (part for word in words if _JOINED.search(word) for part in _JOINED.split(word))
    return {uninflected(part): part for part in parts if part and _tells(part)}


def telling(words: Iterable[str]) -> frozenset[str]:
    """The stems of the telling ones of some words, which are in lower case."""
    return frozenset(uninflected(word) for word in words if _tells(word) and word not in _STOPS)


def clauses(text: str) -> Iterator[list[str]]:
    """The words of each clause in lower case, without reasons; a comma stays as a word."""
    plain = re.sub("n['\u2019]t\\b", " not", text).replace("cannot", "can not")
    plain = _ONE_LETTER.sub(
        r"\1", _TURNED_DOWN.sub("rejected", _NOT_GRANTED.sub("disallowed", plain))
    )
    clause: list[str] = []
    reason = False
    for token in _TOKEN.findall(plain.lower()):
        if (
            token == ":"
            and clause
            and clause[-1] in negation_words.AFTERWARDS | {"down", "against"}
        ):
            continue
        if token in _STOPS or token in negation_words.ENDS:
            yield [] if reason else clause
            clause, reason = [], token in negation_words.REASONS
        else:
            clause.append(token)
    yield [] if reason else clause


def _parts(clause: list[str]) -> Iterator[tuple[list[str], str, bool, int]]:
    """Stretches of a clause, each with the cue that turns it down (or none), and whether firmly.

    The number is that of the first words which only say of what something is turned down.
    """
    cue, firm, about = "", True, 0
    current: list[str] = []
    at = 0
    while at < len(clause):
        found = _cue(clause, at)
        word = clause[at]
        if found is not None:
            # "Secrets must not be logged" turns down that secrets are.
            carried = current if not cue and _says_of(clause, at) else []
            if not carried:
                yield current, cue, firm, about
            length, cue, firm = found
            current, about = [*carried], len(carried)
            at += length
            continue
        if cue and (end := _over(clause, at, cue, current)):
            yield current, cue, firm, about
            cue = cue if end == "next" else ""
            current, about = [], 0
        elif _rejects(clause, at) and not cue:
            # "sqlite3 is rejected", and "rejected: sqlite3"
            told = any(one not in FILLER for one in current)
            if told:
                before, refused = _last_part(current)
                yield before, "", True, 0
                yield refused, word, True, 0
            cue, firm = ("", True) if told else (word, True)
            current, about = [], 0
        elif word != ":" and not (word == "," and cue):
            current.append(word)
        at += 1
    yield current, cue, firm, about


def _rejects(clause: list[str], at: int) -> bool:
    """Whether a word turns down what stands before it: "is rejected", "was removed"."""
    passive = at > 0 and clause[at - 1] in negation_words.PASSIVE
    return clause[at] in negation_words.AFTERWARDS or (
        passive and clause[at] in negation_words.LEFT
    )


def _last_part(words: list[str]) -> tuple[list[str], list[str]]:
    """The words before what a clause turns down at its end, and those: "X is used, Y is banned".

    Of a list all parts are turned down: "X, Y and Z are banned".
    """
    starts = [0, *(at + 1 for at, word in enumerate(words) if word in _JOINS)]
    ends = [*(at - 1 for at in starts[1:]), len(words)]
    parts = [words[start:end] for start, end in zip(starts, ends, strict=True)]
    first = next((at for at in range(len(parts) - 1, 0, -1) if any(map(_tells, parts[at]))), 0)
    while first and _is_item(parts[first]) and _is_item(parts[first - 1]):
        first -= 1
    return words[: starts[first]], [word for word in words[starts[first] :] if word != ","]


def _is_item(words: list[str]) -> bool:
    """Whether these may be a part of a list: few, and none that says what is to be."""
    return len(words) <= _SHORT and negation_words.CHOOSES.isdisjoint(words)


def _bids(clause: list[str], at: int) -> bool:
    """Whether a denial follows a word that bids: must not, may never."""
    return at > 1 and clause[at - 1] in negation_words.BIDS


def _says_of(clause: list[str], at: int) -> bool:
    """Whether a denial says it of what stands before: must not, are never."""
    return _bids(clause, at) or (
        at > 1 and clause[at] == "never" and clause[at - 1] in negation_words.PASSIVE
    )


def _over(clause: list[str], at: int, cue: str, current: list[str]) -> str:
    """Whether what a cue turns down ends before a word: ``end``, ``next`` (of a list), or empty."""
    word = clause[at]
    if cue in negation_words.TRIED and word in (",", "and", "for"):
        return "end"
    if word in negation_words.REPLACED_BY and cue.startswith("replac"):
        return "end"
    if len(current) >= LONGEST:
        return "end"
    if word not in (",", "or", "nor", "and"):
        return ""
    rest = clause[at + 1 :]
    ends = (number for number, one in enumerate(rest) if one in (",", "or", "nor", "and"))
    part = rest[: next(ends, len(rest))]
    if part and part[0] in negation_words.BEGINS:
        return "end"
    if len(part) <= _SHORT or word in ("or", "nor"):
        return "next"
    return "" if word == "and" else "end"


def _cue(clause: list[str], at: int) -> tuple[int, str, bool] | None:
    """How many words a cue at this place has, its words, and whether it is firm."""
    word = clause[at]
    following = clause[at + 1] if at + 1 < len(clause) else ""
    if (word, following) in negation_words.PAIRS:
        return 2, f"{word} {following}", True
    before = clause[at - 1] if at else ""
    if word == "not":
        if following in negation_words.NOT_SO:
            return None
        # "do not" orders where nobody is named who does not, or it is us.
        orders = before != "do" or at < 2 or clause[at - 2] in negation_words.ORDERED
        return 1, word, orders and before not in negation_words.SAYS
    if word in negation_words.TRIED and before not in negation_words.PASSIVE:
        return 1, word, True
    if word == "against" and before not in negation_words.DECIDES:
        return None
    if word == "without":
        return 1, word, False
    if word in negation_words.FIRM and not (word == "no" and following == "need"):
        return 1, word, before not in negation_words.SAYS
    if word in negation_words.LEAVING and not any(
        one in negation_words.FIRM or one == "not" for one in clause[:at]
    ):
        return 1, word, True
    if word == "over" and any(one in negation_words.PREFERS for one in clause[:at]):
        return 1, word, True
    return None


# What binds; what only warns, and so must be gone against in two words.
RULES = ("decision", "convention", "workflow", "pattern")
