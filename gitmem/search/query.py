"""Reading a question: which words to look for, and in which combination.

People type sentences, identifiers and stray punctuation. Every word becomes one quoted FTS5 term,
so nothing a person types is ever FTS5 syntax. Words that occur everywhere do not select rows: they
would make the search slow and the order random.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gitmem.errors import InvalidInput
from gitmem.model.value import dataclass
from gitmem.search.stop_words import STOP_WORDS
from gitmem.text import identifiers

LONGEST = 200_000
MOST_TERMS = 12


@dataclass(frozen=True, slots=True)
class Term:
    """One word or quoted phrase: as the person wrote it, and as an FTS5 expression."""

    label: str
    expression: str


def parse(text: str) -> tuple[Term, ...]:
    """The terms of a question: quoted phrases first, then words, without repeats.

    Stop words are left out unless nothing else is there. Raises InvalidInput for a question that
    is empty, has no letter or digit, or is longer than 2,000 characters.
    """
    if len(text) > LONGEST:
        raise InvalidInput(
            f"The question has {len(text):,} characters; at most {LONGEST:,} are read.",
            "Ask with a few words.",
        )
    clean = text.replace("\x00", " ")
    phrases = [part for part in re.findall(r'"([^"]+)"', clean) if len(_words(part)) > 1]
    words = _words(clean)
    telling = [word for word in words if word.lower() not in STOP_WORDS] or words
    if not telling:
        raise InvalidInput(
            "There is nothing to look for: the question has no words.",
            'Ask for something, as in `gitmem recall "redis port"`, or run `gitmem list`.',
        )
    found = {phrase.lower(): Term(phrase, quoted(phrase)) for phrase in phrases}
    for word in telling:
        found.setdefault(word.lower(), Term(word, _expression(word)))
    return tuple(found.values())[:MOST_TERMS]


def select(terms: tuple[Term, ...], counts: Mapping[str, int], common: int) -> str:
    """One FTS5 expression for the terms; empty where none occurs at all.

    ``counts`` gives how many rows hold each term, ``common`` from how many on a word is too common
    to select by itself. Rare words select any of them; common ones only all together.
    """
    known = [term for term in terms if counts[term.expression] > 0]
    rare = [term.expression for term in known if counts[term.expression] < common]
    frequent = [term.expression for term in known if counts[term.expression] >= common]
    if not rare:
        return " AND ".join(frequent)
    if len(frequent) > 1:
        rare.append("(" + " AND ".join(frequent) + ")")
    return " OR ".join(rare)


def any_of(words: Sequence[str], counts: Mapping[str, int], common: int) -> str:
    """The same for plain words: ``counts`` by word, the expression matches any rare one."""
    return select(
        tuple(Term(word, quoted(word)) for word in words),
        {quoted(word): count for word, count in counts.items()},
        common,
    )


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _expression(word: str) -> str:
    parts = identifiers.split(word)
    if len(parts) < 2:
        return quoted(word)
    # An identifier is found whole, or by its parts standing side by side.
    return f"({quoted(word)} OR {quoted(' '.join(parts))})"


def quoted(text: str) -> str:
    """One FTS5 string: nothing in it is syntax."""
    return '"' + text.replace('"', '""') + '"'
