"""A plan as it is compared with what was decided: statements and their telling words. Pure."""

from __future__ import annotations

import re

from gitmem.memory import conflict
from gitmem.memory.conflict import Stance
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.text import identifiers
from gitmem.text.negation_words import VAGUE
from gitmem.text.stem import stem
from gitmem.text.stop_words import ASKING, FILLER, STOP_WORDS

# Characters that are read as one statement, and how many of those.
_LONGEST, _MOST = 400, 200
_PASSED_OVER = FILLER | ASKING | STOP_WORDS | VAGUE
_HYPHEN = re.compile(r"\b(\w)-(?=\w)")


@dataclass(frozen=True, slots=True)
class Statement:
    """A part of a plan: its text, its telling words as stem -> word, and what it wants."""

    text: str
    words: dict[str, str]
    stance: Stance


def statements(plan: str) -> list[Statement]:
    """The parts of a plan to be compared each on its own: a short one is one statement."""
    return [Statement(text, words(text), conflict.stance(text)) for text in _parts(plan)]


def words(text: str) -> dict[str, str]:
    """The telling words of a text and of the parts of its names, as stem -> word.

    Of a text that has none all its words: "Keep it" is found by them.
    """
    terms = [*identifiers.terms(text), *identifiers.terms(_HYPHEN.sub(r"\1", text))]
    telling = [word for word in terms if word not in _PASSED_OVER and len(word) > 1]
    return {stem(word): word for word in telling or terms}


def text(memory: Memory) -> str:
    """What a memory says."""
    return f"{memory.title}\n{memory.content}"


def _parts(plan: str) -> list[str]:
    if len(plan) <= _LONGEST:
        return [plan]
    parts: list[str] = []
    for sentence in re.split(r"\n\s*|(?<=[.!?;])\s+", plan):
        for start in range(0, len(sentence), _LONGEST):
            parts.append(sentence[start : start + _LONGEST])
    return list(dict.fromkeys(part.strip() for part in parts if part.strip()))[:_MOST]
