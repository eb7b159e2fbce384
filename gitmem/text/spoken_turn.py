"""A turn of a conversation: who speaks, how much of it asks, and whether it tells a time. Pure."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

# The months, the year and the day of the month that are named; 0 where none is.
Dates = tuple[frozenset[int], int, int]
# Of a longer turn the rest says nothing new of these.
_READ = 4000
_SPEAKER = re.compile(r"([^\W\d_][\w' .-]{0,29}):\s")
_SENTENCE = re.compile(r"[^.!?\u3002\uff01\uff1f\u061f\n]+[.!?\u3002\uff01\uff1f\u061f\n]*")
_ASKS = ("?", "\uff1f", "\u061f")
_TIME = re.compile(
    r"\b(?:(?i:yesterday|today|tomorrow|tonight|ago|last|next|week|weekend|month|year|since"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|april|june|july|august"
    r"|september|october|november|december)|March|May|19\d\d|20\d\d)\b"
)
_WHEN = re.compile(r"\W*(?i:when|how long|since when|what (?:date|time|day|year|month))\b")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_MONTH = re.compile(
    r"\b((?i:january|february|april|june|july|august|september|october|november|december)"
    r"|March|May)\b"
)
_ISO = re.compile(r"\b((?:19|20)\d\d)-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?\b")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_DAY = re.compile(r"\b([12]?\d|3[01])(?:st|nd|rd|th)?\b")
_MYSELF = re.compile(r"\b(?:I|my|mine)\b")
# From so many texts on, and where so many of them have a speaker, they are a talk.
_LEAST, _SPOKEN = 4, 0.8
# What programs and people are called in a log of what they said, in lower case too.
_ROLES = frozenset(
    ("user", "human", "me", "assistant", "agent", "ai", "bot", "model", "system", "tool")
)
# What stands before a colon and is nobody.
_LABELS = frozenset((
    "added", "changed", "fixed", "removed", "deprecated", "security", "note", "todo", "decision",
    "warning", "example", "tip", "bug", "fix", "error", "convention", "rule", "important", "fact",
    "summary", "problem", "solution", "question", "answer", "context",
))  # fmt: skip
# Who a person is in a log of what was said to a program.
_PERSON = frozenset(("user", "human", "me"))


def speaker(text: str) -> str:
    """The name before a colon that the text begins with, in lower case; empty where none is.

    Of several who speak in one text none is its speaker.
    """
    lines = text[:_READ].splitlines()
    heard = [match[1].lower() for line in lines if (match := _SPEAKER.match(line))]
    begins = bool(_SPEAKER.match(text))
    return heard[0] if begins and len(set(heard)) == 1 else ""


def is_talk(texts: Sequence[str]) -> bool:
    """Whether texts, given in order, are turns of one talk: two or more speak, each repeatedly."""
    heard = [name for text in texts if (name := speaker(text)) and _may_be_somebody(text, name)]
    if len(texts) < _LEAST or len(heard) < _SPOKEN * len(texts):
        return False
    return 2 <= len(set(heard)) <= len(heard) / 2


def _may_be_somebody(text: str, speaker: str) -> bool:
    return speaker in _ROLES or (text[0].isupper() and speaker not in _LABELS)


def is_role(speaker: str) -> bool:
    """Whether a speaker is called by a role in a talk with a program: user, assistant, tool."""
    return speaker in _ROLES


def names(question: str, speaker: str) -> bool:
    """Whether a question names a speaker; who asks what "I" said means the person."""
    if speaker in _PERSON and _MYSELF.search(question):
        return True
    return bool(re.search(rf"\b{re.escape(speaker)}\b", question.lower()))


def asks_when(question: str) -> bool:
    """Whether a question asks for a time."""
    return bool(_WHEN.match(question))


def dates(question: str) -> Dates | None:
    """The months that a question names, and its year and day of the month (0: none); or None."""
    if match := _ISO.search(question):
        return frozenset((int(match[2]),)), int(match[1]), int(match[3] or 0)
    months = frozenset(_MONTHS.index(name.lower()) + 1 for name in _MONTH.findall(question))
    if not months:
        return None
    year = _YEAR.search(question)
    day = _DAY.search(question)
    return months, int(year[0]) if year else 0, int(day[1]) if day else 0


def said_then(named: Dates, at: int) -> int:
    """How well a time (milliseconds, seen in UTC) fits: 2 on that day, 1 in that month, else 0."""
    months, year, day = named
    then = time.gmtime(at / 1000)
    if then.tm_mon not in months or (year and then.tm_year != year):
        return 0
    return 2 if day == then.tm_mday else 1


def tells_time(text: str) -> bool:
    """Whether a text names a day, a month or a year, or places something before or after now."""
    return bool(_TIME.search(text[:_READ]))


def asking(text: str) -> float:
    """The share of a text, 0 to 1, that stands in sentences with a question mark."""
    start = text[:_READ]
    if not any(mark in start for mark in _ASKS):
        return 0.0
    if match := _SPEAKER.match(start):
        start = start[match.end() :]
    sentences = _SENTENCE.findall(start)
    length = sum(len(sentence) for sentence in sentences if any(mark in sentence for mark in _ASKS))
    return length / max(sum(map(len, sentences)), 1)
