"""Whether a plan chooses another means for a purpose that a text has already decided. Pure.

"Docs are written in AsciiDoc" and "write the docs in Markdown" share a topic and a preposition,
followed by different words. The words themselves mean nothing to this module, so it asks for much:
the plan names nothing of the text's choice, and the text does not mention the plan's beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from gitmem.memory.conflict import clauses, content_stems, words
from gitmem.model.frozen import dataclass
from gitmem.text.stop_words import word_set

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
_OTHERS = word_set(
    "for of to by per than about between against during before after while if when and "
    "is are was were be been has have must should can will"
)
_ENDING = _OTHERS | _PARTS.keys() | {","}
_CHOOSING = word_set("use uses adopt adopts choose chose pick introduce prefer")
_LONGEST = 4  # words that a preposition governs
# The share of the text's topic that the plan has to name.
_TOPIC = 0.5


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


def describe_difference(plan: str, text: str) -> str:
    """A sentence on what a plan chooses differently from a text, or empty."""
    theirs = list(_read_choices(text))
    if not theirs:
        return ""
    ours = list(_read_choices(plan))
    named = frozenset(words(plan))
    agreed = {there.part for there in theirs if there.by <= named}
    for there in theirs:
        alike = there.topic & named
        if there.part in agreed or len(alike) < max(1, _TOPIC * len(there.topic)):
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
    for clause in clauses(text):
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
