"""Questions that a number answers (which version, how many), and the lines that tell one: pure.

A setting names its subject once, in a line of few words; a search for pieces that repeat the words
of a question passes over it. So the lines themselves are compared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from gitmem.search import best_piece
from gitmem.search.matched_words import held
from gitmem.text import identifiers

_NUMBER_QUESTION = re.compile(
    r"\b(?:which|what)\b(?: \w+){0,3}? (?:versions?|numbers?|size|limit|ports?|time ?out|"
    r"(?:exit|status) codes?|minimum|maximum|oldest|newest|default)\b"
    r"|\bhow (?:many|much|long|big|large|old|wide|deep)\b"
    r"|\bwhat is the (?:oldest|newest|least|lowest|highest|most|minimum|maximum)\b",
    re.IGNORECASE,
)
# Who asks for a place or a way is not answered by a number.
_OTHER = re.compile(
    r"\W*(?:where\b|how (?:do|does|can|to|should)\b|(?:which|what) (?:code|test|function)\b)",
    re.IGNORECASE,
)
# No part of a name (pip3), but with a unit behind letters (-Xmx4g).
_NUMBER = re.compile(r"(?<![A-Za-z_])v?\d|\d(?:[kmgt]b?|ms|s|h|%)\b", re.IGNORECASE)
# A version that stands alone, as files hold it that are named for it.
NOTHING_ELSE = re.compile(r"\s*v?\d+(?:\.(?:\d+|x)){0,3}\s*")
_ASPECT = frozenset(("version", "versions", "number", "numbers"))
_LONGEST = 240
# How much of a question a line has to hold, what it counts that it says little else, and what the
# words of its path count.
LEAST, _BARE, _NAMED = 0.2, 0.2, 0.5


def asks_for_number(text: str) -> bool:
    """Whether a question asks for a number."""
    return _NUMBER_QUESTION.search(text) is not None and _OTHER.match(text) is None


def subject(rarity: Mapping[str, float]) -> Mapping[str, float]:
    """The words of a question; those count half that only say that a number is asked for.

    Every manifest has a version of its own.
    """
    return {word: rare / 2 if word in _ASPECT else rare for word, rare in rarity.items()}


def tells(text: str) -> bool:
    """Whether a text has a number."""
    return _NUMBER.search(text) is not None


def best_line(
    path: str, lines: Mapping[int, str], rarity: Mapping[str, float], related: Mapping[str, float]
) -> tuple[int, float] | None:
    """The line of a file that tells a number of what is asked about, and how well, 0 to 1.7.

    None where no line does. The path counts half: `.node-version` holds nothing but a number.
    ``rarity`` has the words of the question, ``related`` what code calls them.
    """
    found = [
        (_value(text, rarity, related), -number)
        for number, text in lines.items()
        if len(text) <= _LONGEST and tells(text)
    ]
    value, number = max(found, default=(0.0, 0))
    value += _NAMED * best_piece.share(path, rarity, related) if number else 0.0
    return (-number, value) if value >= LEAST else None


def _value(text: str, rarity: Mapping[str, float], related: Mapping[str, float]) -> float:
    share = best_piece.share(text, rarity, related)
    terms = {term for term in identifiers.split(text) if term.isalpha()}
    own = held([*rarity, *related], text)
    if not own:
        return LEAST if NOTHING_ELSE.fullmatch(text) else 0.0
    return share + _BARE * len(own) / max(len(terms), len(own))
