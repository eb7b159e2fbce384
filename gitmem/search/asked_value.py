"""Questions whose answer is a number (which version, how many), and lines with one. Pure.

A setting names its subject once, in a short line, which a search for passages would miss.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from gitmem.search import best_piece
from gitmem.search.matched_words import words_in_text
from gitmem.text import identifiers

_NUMBER_QUESTION = re.compile(
    r"\b(?:which|what)\b(?: \w+){0,3}? (?:versions?|numbers?|size|limit|ports?|time ?out|"
    r"(?:exit|status) codes?|minimum|maximum|oldest|newest|default)\b"
    r"|\bhow (?:many|much|long|big|large|old|wide|deep)\b"
    r"|\bwhat is the (?:oldest|newest|least|lowest|highest|most|minimum|maximum)\b",
    re.IGNORECASE,
)
# Questions about a place or a way are not answered by a number.
_OTHER = re.compile(
    r"\W*(?:where\b|how (?:do|does|can|to|should)\b|(?:which|what) (?:code|test|function)\b)",
    re.IGNORECASE,
)
# Not part of a name (pip3), but with a unit also after letters (-Xmx4g).
_NUMBER = re.compile(r"(?<![A-Za-z_])v?\d|\d(?:[kmgt]b?|ms|s|h|%)\b", re.IGNORECASE)
# Nothing but a version, the whole content of files such as .node-version.
NOTHING_ELSE = re.compile(r"\s*v?\d+(?:\.(?:\d+|x)){0,3}\s*")
_ASPECT = frozenset(("version", "versions", "number", "numbers"))
_LONGEST = 240
# The least share of a question that a line contains, the bonus for saying little else, and the
# weight of the words in its path.
LEAST, _BARE, _NAMED = 0.2, 0.2, 0.5


def asks_for_number(text: str) -> bool:
    """Whether the answer to a question is a number, such as a version or a count."""
    return _NUMBER_QUESTION.search(text) is not None and _OTHER.match(text) is None


def idf_for_number_question(idf: Mapping[str, float]) -> Mapping[str, float]:
    """``idf``, the weight of each word of a question, halved for ``version`` and ``number``."""
    return {word: rare / 2 if word in _ASPECT else rare for word, rare in idf.items()}


def has_number(text: str) -> bool:
    """Whether a text has a number."""
    return _NUMBER.search(text) is not None


def best_line_with_number(
    path: str, lines: Mapping[int, str], idf: Mapping[str, float], related_idf: Mapping[str, float]
) -> tuple[int, float] | None:
    """(number of the line that best answers with a number, its value, 0 to 1.7); None without one.

    ``lines`` maps line numbers to texts. ``idf`` has the weights of the words of the question,
    ``related_idf`` those of what code calls them. Words in the path count half.
    """
    found = [
        (_value(text, idf, related_idf), -number)
        for number, text in lines.items()
        if len(text) <= _LONGEST and has_number(text)
    ]
    value, number = max(found, default=(0.0, 0))
    value += _NAMED * best_piece.question_coverage(path, idf, related_idf) if number else 0.0
    return (-number, value) if value >= LEAST else None


def _value(text: str, rarity: Mapping[str, float], related: Mapping[str, float]) -> float:
    share = best_piece.question_coverage(text, rarity, related)
    terms = {term for term in identifiers.split_identifiers(text) if term.isalpha()}
    own = words_in_text([*rarity, *related], text)
    if not own:
        return LEAST if NOTHING_ELSE.fullmatch(text) else 0.0
    return share + _BARE * len(own) / max(len(terms), len(own))
