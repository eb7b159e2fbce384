"""Reading a turn of a conversation: its speaker, its questions, the times it names."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

# (months, year, day of the month) that a question names; 0 where it names none.
PartialDate = tuple[frozenset[int], int, int]
# Characters of a turn that are examined.
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
# So many texts, with such a share of them that have a speaker, are a conversation.
_LEAST, _SPOKEN = 4, 0.8
# Roles of programs and people in a transcript, in lower case too.
_ROLES = frozenset(
    ("user", "human", "me", "assistant", "agent", "ai", "bot", "model", "system", "tool")
)
# Words before a colon that are not a speaker.
_LABELS = frozenset((
    "added", "changed", "fixed", "removed", "deprecated", "security", "note", "todo", "decision",
    "warning", "example", "tip", "bug", "fix", "error", "convention", "rule", "important", "fact",
    "summary", "problem", "solution", "question", "answer", "context",
))  # fmt: skip
# Names of the person in a transcript of talking to a program.
_PERSON = frozenset(("user", "human", "me"))


def speaker_of_turn(text: str) -> str:
    """Return the name, in lower case, before a colon at the start of a turn, as in "Ada: Hello".

    A turn is one message of a conversation. Empty without a name or with several.
    """
    lines = text[:_READ].splitlines()
    heard = [match[1].lower() for line in lines if (match := _SPEAKER.match(line))]
    begins = bool(_SPEAKER.match(text))
    return heard[0] if begins and len(set(heard)) == 1 else ""


def is_conversation(texts: Sequence[str]) -> bool:
    """Return whether texts are turns of a conversation, each of which begins with its speaker.

    That is: four or more, 80 % with a speaker; two or more speakers, each twice on average.
    """
    heard = [
        name for text in texts if (name := speaker_of_turn(text)) and _may_be_somebody(text, name)
    ]
    if len(texts) < _LEAST or len(heard) < _SPOKEN * len(texts):
        return False
    return 2 <= len(set(heard)) <= len(heard) / 2


def _may_be_somebody(text: str, speaker: str) -> bool:
    return speaker in _ROLES or (text[0].isupper() and speaker not in _LABELS)


def is_chat_role(speaker: str) -> bool:
    """Return whether a speaker is a role in talks with a program: user, assistant, tool, ai ..."""
    return speaker in _ROLES


def mentions_speaker(question: str, speaker: str) -> bool:
    """Return whether a question names a speaker; "I" and "my" name one called user, human or me."""
    if speaker in _PERSON and _MYSELF.search(question):
        return True
    return bool(re.search(rf"\b{re.escape(speaker)}\b", question.lower()))


def is_question_about_time(question: str) -> bool:
    """Return whether a question begins as one about a time does: when, how long, what day ..."""
    return bool(_WHEN.match(question))


def date_in_question(question: str) -> PartialDate | None:
    """Return the date in a question as (months, year, day); None if it names no month.

    ``months`` is a set of numbers from 1. A year or day that is not named is 0.
    """
    if match := _ISO.search(question):
        return frozenset((int(match[2]),)), int(match[1]), int(match[3] or 0)
    months = frozenset(_MONTHS.index(name.lower()) + 1 for name in _MONTH.findall(question))
    if not months:
        return None
    year = _YEAR.search(question)
    day = _DAY.search(question)
    return months, int(year[0]) if year else 0, int(day[1]) if day else 0


def score_date_match(date: PartialDate, time_ms: int) -> int:
    """Return how well a time fits a date in a question: 2 on its day, 1 in its month, else 0.

    A month or year without a day gives at most 1. ``time_ms`` is milliseconds since 1970, read as
    UTC.
    """
    months, year, day = date
    then = time.gmtime(time_ms / 1000)
    if then.tm_mon not in months or (year and then.tm_year != year):
        return 0
    return 2 if day == then.tm_mday else 1


def mentions_time(text: str) -> bool:
    """Return whether a text names a weekday, month or year, or has a word such as yesterday."""
    return bool(_TIME.search(text[:_READ]))


def question_fraction(text: str) -> float:
    """Return the fraction of a text, 0 to 1, that is in sentences with a question mark."""
    start = text[:_READ]
    if not any(mark in start for mark in _ASKS):
        return 0.0
    if match := _SPEAKER.match(start):
        start = start[match.end() :]
    sentences = _SENTENCE.findall(start)
    length = sum(len(sentence) for sentence in sentences if any(mark in sentence for mark in _ASKS))
    return length / max(sum(map(len, sentences)), 1)
