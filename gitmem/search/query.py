"""Reading a question: which words to look for, and in which combination.

People type sentences, identifiers and stray punctuation. Every word becomes one quoted FTS5 term,
so nothing a person types is ever FTS5 syntax. Words that occur everywhere do not select rows: they
would make the search slow and the order random.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import log

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass
from gitmem.search.limits import LONG, LONGEST
from gitmem.text import identifiers
from gitmem.text.stop_words import PASSED_OVER

MOST_TERMS = 24
# More letters of a script without spaces than one word has.
_SENTENCE = 4


@dataclass(frozen=True, slots=True)
class Term:
    """One word or phrase: as the person wrote it, as an FTS5 expression, and whether in quotes."""

    label: str
    expression: str
    phrase: bool = False


def parse(text: str) -> tuple[Term, ...]:
    """The terms of a question: quoted phrases first, then words, without repeats.

    Stop words are left out unless nothing else is there. Raises InvalidInput for a question that
    is empty, has no letter or digit, or is longer than ``LONGEST``. Of a question as long as a
    stack trace the errors, names and paths come first (``search.question``).
    """
    if len(text) > LONGEST:
        raise InvalidInput(
            f"The question has {len(text):,} characters; at most {LONGEST:,} are allowed.",
            "Use a few words.",
        )
    clean = text.encode("utf-8", "replace").decode("utf-8")
    clean = clean.replace("\x00", " ").replace("\u201c", '"').replace("\u201d", '"')
    if len(clean) > LONG:
        # Imported here: its patterns cost 3 ms, and most questions are short.
        from gitmem.search.question import telling_first  # noqa: PLC0415

        clean = telling_first(clean)
    # In something pasted quotes are not meant as one's own.
    quotes = [] if len(text) > LONG else re.findall(r'"([^"\n]{2,200})"', clean)
    phrases = [part.strip() for part in quotes if len(_words(part)) > 1]
    words = _words(clean)
    telling = [word for word in words if word.lower() not in PASSED_OVER] or words
    if not telling:
        raise InvalidInput(
            "There is nothing to search for: the query has no words.",
            'Give some words, as in `gitmem recall "redis port"`, or run `gitmem list`.',
        )
    found = {quoted.lower(): Term(quoted, phrase(quoted), True) for quoted in phrases}
    for word in telling:
        for part in _split_unspaced(word):
            found.setdefault(part.lower(), Term(part, _expression(part)))
    return tuple(found.values())[:MOST_TERMS]


def parts(text: str) -> tuple[str, ...]:
    """The questions that a text asks, each to be asked on its own: mostly the text alone."""
    low = text.lower()
    joined = (" and " in low or " or " in low) and (" wh" in low or " how" in low)
    if not joined and ";" not in text and "?" not in text[:-1]:
        return (text,)
    from gitmem.search import question_parts  # noqa: PLC0415 - its patterns cost 3 ms

    return question_parts.parts(text)


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


def all_of(terms: Sequence[Term]) -> str:
    """One FTS5 expression that only rows with every term match."""
    return " AND ".join(term.expression for term in terms)


def any_of(words: Sequence[str], counts: Mapping[str, int], common: int) -> str:
    """The same for plain words: ``counts`` by word, the expression matches any rare one."""
    return select(
        tuple(Term(word, quoted(word)) for word in words),
        {quoted(word): count for word, count in counts.items()},
        common,
    )


def phrase(text: str) -> str:
    """Words side by side; where a script sets no spaces, its pairs of letters."""
    parts = identifiers.split(text)
    if not any(map(identifiers.unspaced, parts)):
        return quoted(text)
    return f"({quoted(text)} OR {quoted(' '.join(parts))})"


def _split_unspaced(word: str) -> list[str]:
    """The word; a sentence of a script without spaces is as many words as it has pairs."""
    if word.isascii() or len(word) <= _SENTENCE or not identifiers.unspaced(word):
        return [word]
    return identifiers.split(word)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@lru_cache(1 << 12)
def _expression(word: str) -> str:
    parts = identifiers.split(word)
    if len(parts) < 2:
        return quoted(word)
    # An identifier is found whole, or by its parts standing side by side.
    return f"({quoted(word)} OR {quoted(' '.join(parts))})"


def rarity(count: int, total: int) -> float:
    """The inverse document frequency of a word that ``count`` of ``total`` hold, as in BM25."""
    return log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))


def affordable(counts: Mapping[str, int], common: int, most: int) -> frozenset[str]:
    """The rarest words, as long as they select no more than ``most`` rows together.

    Words that select ``common`` rows or more are never among them, nor those that select none.
    """
    chosen, total = set[str](), 0
    for word in sorted(counts, key=lambda word: (counts[word], word)):
        total += counts[word]
        if not 0 < counts[word] < common or (chosen and total > most):
            continue
        chosen.add(word)
    return frozenset(chosen)


def named(word: str) -> str:
    """A word in the path or in a defined name: where a common one still selects."""
    return f"({{path symbol}} : {quoted(word)})"


def quoted(text: str) -> str:
    """One FTS5 string: nothing in it is syntax."""
    return '"' + text.replace('"', '""') + '"'
