"""Where a plan puts something else in a place that a text has filled. Pure.

"Docs are written in AsciiDoc" and "write the docs in Markdown" agree on what they speak of and on
the part that a preposition gives it, and fill that part with other words. Nothing is known of the
words themselves, so much is asked for: the plan names nothing that the text put there, and the text
does not name beside it what the plan puts there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from gitmem.memory.conflict import clauses, telling, words
from gitmem.model.frozen import dataclass
from gitmem.text.stop_words import word_set

# Prepositions that give one part: by what means, as what, where, from where.
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
# So much of what the text speaks of has to stand in the plan.
_TOPIC = 0.5


@dataclass(frozen=True, slots=True)
class _Filled:
    """What a clause speaks of, and with what it fills a part: stems, and the words as said.

    ``head`` is the stem of the word that the rest of the topic only tells more of, ``near`` are the
    telling stems that stand about it, between two commas.
    """

    topic: frozenset[str]
    head: str
    part: str
    by: frozenset[str]
    said: str
    near: frozenset[str]


def otherwise(plan: str, text: str) -> str:
    """How a plan fills a part otherwise than a text; empty where it does not seem to."""
    theirs = list(_filled(text))
    if not theirs:
        return ""
    ours = list(_filled(plan))
    named = frozenset(words(plan))
    agreed = {there.part for there in theirs if there.by <= named}
    for there in theirs:
        alike = there.topic & named
        if there.part in agreed or len(alike) < max(1, _TOPIC * len(there.topic)):
            continue
        for here in ours:
            if here.part == there.part and here.head in alike and _apart(here, there, named):
                return f'it says "{there.said}", and the plan says "{here.said}"'
    return ""


def _apart(here: _Filled, there: _Filled, named: frozenset[str]) -> bool:
    """Whether two fillings are others: of other words, or of one head with other words before."""
    if not there.by & named:
        return here.by.isdisjoint(there.near)
    return here.said.split()[-1] == there.said.split()[-1] and len(here.by & there.by) == 1 < min(
        len(here.by), len(there.by)
    )


def _chosen(clause: list[str]) -> Iterator[_Filled]:
    """What is used for something: "use Kafka for the events" is as "the events with Kafka"."""
    verb = next((at for at, word in enumerate(clause) if word in _CHOOSING), len(clause))
    rest = clause[verb + 1 :]
    end = rest.index("for") if "for" in rest else 0
    by, topic = rest[:end], rest[end + 1 :]
    # "A cache for the data" is one more thing, and takes no other one's place.
    if 0 < len(by) <= _LONGEST and by[0] not in ("a", "an") and telling(by) and telling(topic):
        said = " ".join((clause[verb], *by))
        yield _Filled(telling(topic), _head(topic), "with", telling(by), said, telling(clause))


def _head(topic: list[str]) -> str:
    """ "Tests" of "the tests of the queue"."""
    end = next((at for at, word in enumerate(topic) if at and word in _OTHERS), len(topic))
    nouns = [word for word in topic[:end] if telling((word,)) and not word.endswith("ly")]
    return next(iter(telling(nouns[-1:])), "")


def _filled(text: str) -> Iterator[_Filled]:
    for clause in clauses(text):
        yield from _chosen(clause)
        topic = clause
        for at, word in enumerate(clause):
            if word not in _PARTS:
                continue
            topic = clause[:at] if topic is clause else topic
            after = clause[at + 1 : at + 1 + _LONGEST]
            governed = list(takewhile(lambda word: word not in _ENDING, after))
            by, about = telling(governed), telling(topic)
            # Numbers are compared with their units, elsewhere.
            if by and about and not any(stem[0].isdigit() for stem in by):
                said = " ".join((word, *governed))
                near = telling(_around(clause, at))
                yield _Filled(about, _head(topic), _PARTS[word], by, said, near)


def _around(clause: list[str], at: int) -> list[str]:
    commas = [-1, *(place for place, word in enumerate(clause) if word == ","), len(clause)]
    end = next(place for place in commas if place > at)
    return clause[commas[commas.index(end) - 1] + 1 : end]
