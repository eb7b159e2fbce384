"""Whether a plan contradicts a decision, by the words of both. Pure.

A text is read for what it wants and what it rejects: "use apsw, not sqlite3" wants apsw and rejects
sqlite3, and so does "replace sqlite3 with apsw". Two texts clash where one wants what the other
rejects. That is little knowledge of English, so nearly all content words of the rejected phrase
must be wanted, and at least two where the text only describes ("is not shared between workers").
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

from gitmem.model.frozen import dataclass, replace
from gitmem.text import negation_words
from gitmem.text.stem import strip_inflection
from gitmem.text.stop_words import FILLER

# The share of a rejected phrase's words that the other text must want, rounded up.
SHARE = 0.75
# The same for a decision, where other evidence says that both are about one thing.
LOOSE = 0.5
LONGEST = 8  # words of a phrase

_TOKEN = re.compile(r"[\w@$#./:+\\-]*\w(?:\+\+|#)?|[,.;:!?()\n]")
_SENTENCE_END = r"\n|(?<=[.!?])\s"
# With no object after it, "turned down" is about the words before it.
_TURNED_DOWN = re.compile(r"\bturned down(?=\s*(?:$|[.,;:!?)\n]|because\b|since\b))", re.IGNORECASE)
_NOT_GRANTED = re.compile(rf"\bnot (?:{'|'.join(sorted(negation_words.GRANTED))})\b", re.IGNORECASE)
# "e-mail" is read as "email".
_ONE_LETTER = re.compile(r"\b([A-Za-z])-(?=[A-Za-z]{3})")
_JOINED = re.compile(r"[./\\:]+")
_SHORT = 2
_JOINS = (",", "and", "or")
_STOPS = frozenset(".;!?:()\n")


@dataclass(frozen=True, slots=True)
class RejectedPhrase:
    """Something that a text rejects, such as "use sqlite3" in "do not use sqlite3".

    ``stems`` are the stems of its content words, ``text`` its words. ``firm`` is False if the text
    only states a fact ("is not shared"). ``about`` are the stems of its subject: "secrets" in
    "secrets must not be logged"; ``context`` are those of what it is rejected
    for: "sessions" in "against Redis for sessions".
    """

    stems: frozenset[str]
    text: str
    firm: bool = True
    about: frozenset[str] = frozenset()
    context: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TextStance:
    """What a text asks for and what it rejects; words are given as {stem: word}.

    ``wants`` are the content words that it does not reject, ``turns_down`` the rejected phrases.
    ``chosen`` are the stems that it expressly chooses: "use apsw" chooses apsw, "apsw is slow" does
    not. ``leaves`` are the words for what it removes, with the verb of removal.
    """

    wants: dict[str, str]
    turns_down: tuple[RejectedPhrase, ...]
    chosen: frozenset[str]
    leaves: dict[str, str]


@dataclass(frozen=True, slots=True)
class TextConflict:
    """Why two texts contradict each other.

    ``terms`` are the words in question, sorted; ``why`` is the reason, as ``it says "no sqlite"``.
    """

    terms: tuple[str, ...]
    why: str


def read_text_stance(text: str) -> TextStance:
    """The TextStance of an English text: what it asks for, chooses, rejects and removes."""
    down: list[RejectedPhrase] = []
    wants: dict[str, str] = {}
    leaves: dict[str, str] = {}
    chosen: set[str] = set()
    for clause in split_clauses(text):
        chooses = not negation_words.CHOOSES.isdisjoint(clause)
        for words, cue, firm, carried in _parts(clause):
            if not cue:
                stems = {
                    strip_inflection(word): word for word in words if word not in FILLER | {","}
                }
                wants |= _parts_of_names(words) | stems
                chosen.update(stems if chooses else ())
                continue
            left = cue in negation_words.AFTERWARDS | negation_words.LEFT
            before = len(words) if left else carried
            order = (*words[:before], cue, *words[before:])
            about, rest = content_stems(words[:carried]), content_stems(words[carried:])
            context = rest - content_stems(
                itertools.takewhile(lambda word: word != "for", words[carried:])
            )
            phrase = RejectedPhrase(about | rest, " ".join(order), firm, about - rest, context)
            if rest:
                down.append(phrase)
            if cue in negation_words.LEAVING:
                leaves |= {
                    strip_inflection(word): word for word in (cue, *words) if _has_content(word)
                }
    refused = frozenset(stem for phrase in down for stem in phrase.stems)
    down = [_note_shared_topic(phrase, refused & wants.keys()) for phrase in down]
    remaining = {key: word for key, word in wants.items() if key not in refused}
    return TextStance(remaining, tuple(down), frozenset(chosen - refused), leaves)


def _note_shared_topic(phrase: RejectedPhrase, overlap: frozenset[str]) -> RejectedPhrase:
    """Count words that the text also wants as the subject: "memory limits, but no CPU limits"."""
    about = phrase.about | (phrase.stems & overlap)
    return phrase if phrase.stems <= about else replace(phrase, about=about)


def find_text_conflict(
    plan: TextStance, other_text: TextStance, *, min_words: int = 1, is_decision: bool = False
) -> TextConflict | None:
    """The TextConflict of a plan with another text; None if neither wants what the other rejects.

    ``min_words`` is the least number of content words of a rejected phrase that counts: 1 for a
    rule, 2 for a description. ``is_decision``: the other text is a decision on the plan's subject;
    then it is enough to ask for half of a rejected phrase instead of three quarters.
    """
    if plan == other_text:
        return None  # a text that contradicts itself does not contradict its own copy
    terms: set[str] = set()
    why = []
    for phrase in other_text.turns_down:
        # "Delete the order" wants nothing, and yet contradicts "orders are never deleted".
        away = {plan.leaves[stem] for stem in phrase.stems & plan.leaves.keys()}
        does = plan.wants | plan.leaves if away & negation_words.LEAVING else plan.wants
        if len(phrase.stems) >= min_words and _is_chosen(phrase, does, settles=is_decision):
            terms.update(does[stem] for stem in phrase.stems if stem in does)
            why.append(f'it says "{phrase.text}"')
    for phrase in plan.turns_down:
        if len(phrase.stems) >= min_words and _is_chosen(phrase, other_text.wants):
            # One word that merely occurs in a text is not its choice.
            if not (is_decision or len(phrase.stems) > 1 or phrase.stems <= other_text.chosen):
                continue
            words = [
                other_text.wants[stem] for stem in sorted(phrase.stems) if stem in other_text.wants
            ]
            terms.update(words)
            why.append(f'it wants {", ".join(words)}, and the plan says "{phrase.text}"')
    return TextConflict(tuple(sorted(terms)), "; ".join(dict.fromkeys(why))) if terms else None


def sentence_with_most_terms(text: str, terms: Iterable[str]) -> str:
    """The first sentence of a text that has most of the words ``terms``; empty for empty text."""
    stems = words_by_stem(" ".join(terms)).keys()
    sentences = [part.strip() for part in re.split(_SENTENCE_END, text) if part.strip()]
    return max(sentences, key=lambda part: len(words_by_stem(part).keys() & stems), default="")


def _is_chosen(phrase: RejectedPhrase, wants: dict[str, str], *, settles: bool = False) -> bool:
    count = len(phrase.stems)
    if not phrase.firm and count < 2:
        return False
    if phrase.about and phrase.about.isdisjoint(wants):
        return False
    rest = phrase.stems - phrase.about
    if phrase.context < rest and wants.keys().isdisjoint(rest - phrase.context):
        return False
    share = (LOOSE if settles else SHARE) if phrase.firm else 1.0
    return sum(stem in wants for stem in rest) >= max(1, -int(-share * len(rest) // 1))


def words_by_stem(text: str) -> dict[str, str]:
    """{stem: word} for the content words of a text in lower case; "the" and such are left out."""
    tokens = _TOKEN.findall(_ONE_LETTER.sub(r"\1", text.lower()))
    return {strip_inflection(token): token for token in tokens if _has_content(token)}


def _has_content(word: str) -> bool:
    return word not in FILLER and word not in negation_words.VAGUE and len(word) > 1


def _parts_of_names(words: Iterable[str]) -> dict[str, str]:
    """The words within paths and dotted names, as stem -> word."""
    parts = (part for word in words if _JOINED.search(word) for part in _JOINED.split(word))
    return {strip_inflection(part): part for part in parts if _has_content(part)}


def content_stems(words: Iterable[str]) -> frozenset[str]:
    """The stems of those words, given in lower case, that are content words, not "the" or "of"."""
    return frozenset(map(strip_inflection, filter(_has_content, words)))


def split_clauses(text: str) -> Iterator[list[str]]:
    """Yield for each clause of a text its words in lower case; a comma is a word, too.

    "Don't" becomes "do not". A clause that gives a reason ("because ...") is an empty list.
    """
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
    """The parts of a clause as (words, the cue that rejects them or "", firm, subject length).

    The first "subject length" words name the subject rather than what is rejected.
    """
    cue, firm, about = "", True, 0
    current: list[str] = []
    at = 0
    while at < len(clause):
        match = _cue(clause, at)
        word = clause[at]
        if match is not None:
            # "Secrets must not be logged": what is rejected is about secrets.
            carried = current if not cue and _denies_subject(clause, at) else []
            if not carried:
                yield current, cue, firm, about
            length, cue, firm = match
            current, about = [*carried], len(carried)
            at += length
            continue
        if cue and (end := _cue_ends(clause, at, cue, current)):
            yield current, cue, firm, about
            cue = cue if end == "next" else ""
            current, about = [], 0
        elif _rejects(clause, at) and not cue:
            # "sqlite3 is rejected", and "rejected: sqlite3"
            object_first = any(token not in FILLER for token in current)
            if object_first:
                before, refused = _last_part(current)
                yield before, "", True, 0
                yield refused, word, True, 0
            cue, firm = ("", True) if object_first else (word, True)
            current, about = [], 0
        elif word != ":" and not (word == "," and cue):
            current.append(word)
        at += 1
    yield current, cue, firm, about


def _rejects(clause: list[str], at: int) -> bool:
    """Whether a word rejects what comes before it: "is rejected", "was removed"."""
    passive = at > 0 and clause[at - 1] in negation_words.PASSIVE
    return clause[at] in negation_words.AFTERWARDS or (
        passive and clause[at] in negation_words.LEFT
    )


def _last_part(words: list[str]) -> tuple[list[str], list[str]]:
    """The words of a clause before the part that its last verb rejects, and that part.

    In "X is used, Y is banned" that is Y; in "X, Y and Z are banned" it is the whole list.
    """
    starts = [0, *(at + 1 for at, word in enumerate(words) if word in _JOINS)]
    ends = [*(at - 1 for at in starts[1:]), len(words)]
    parts = [words[start:end] for start, end in zip(starts, ends, strict=True)]
    last = reversed(range(1, len(parts)))
    first = next((at for at in last if any(map(_has_content, parts[at]))), 0)
    while first and _is_item(parts[first]) and _is_item(parts[first - 1]):
        first -= 1
    return words[: starts[first]], [word for word in words[starts[first] :] if word != ","]


def _is_item(words: list[str]) -> bool:
    """Whether these words may be an item of a list: few, and no verb of choice."""
    return len(words) <= _SHORT and negation_words.CHOOSES.isdisjoint(words)


def _denies_subject(clause: list[str], at: int) -> bool:
    """Whether a denial is about the words before it: "must not", "are never"."""
    if at < 2:
        return False
    before = clause[at - 1]
    return before in negation_words.BIDS or (
        clause[at] == "never" and before in negation_words.PASSIVE
    )


def _cue_ends(clause: list[str], at: int, cue: str, current: list[str]) -> str:
    """Whether a rejected phrase ends before a word: ``end``, ``next`` (item of a list) or empty."""
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
    ends = (number for number, token in enumerate(rest) if token in (",", "or", "nor", "and"))
    part = rest[: next(ends, len(rest))]
    if part and part[0] in negation_words.BEGINS:
        return "end"
    if len(part) <= _SHORT or word in ("or", "nor"):
        return "next"
    return "" if word == "and" else "end"


def _cue(clause: list[str], at: int) -> tuple[int, str, bool] | None:
    """The cue that starts at a word, as (number of words, text, firm); None where none does."""
    word = clause[at]
    following = clause[at + 1] if at + 1 < len(clause) else ""
    if (word, following) in negation_words.PAIRS:
        return 2, f"{word} {following}", True
    before = clause[at - 1] if at else ""
    if word == "not":
        if following in negation_words.NOT_SO:
            return None
        # "do not" is an order where no subject is named, or the subject is us.
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
        token in negation_words.FIRM or token == "not" for token in clause[:at]
    ):
        return 1, word, True
    if word == "over" and any(token in negation_words.PREFERS for token in clause[:at]):
        return 1, word, True
    return None


# Kinds of memories that bind.
RULES = ("decision", "convention", "workflow", "pattern")
