"""Splitting a plan into statements that can be compared with decisions. Pure."""

from __future__ import annotations

import re

from gitmem.memory import conflict
from gitmem.memory.conflict import TextStance
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.text.identifiers import words_and_identifier_parts
from gitmem.text.negation_words import VAGUE
from gitmem.text.stem import stem
from gitmem.text.stop_words import ASKING, FILLER, STOP_WORDS

# The most characters of a statement, and the most statements.
_LONGEST, _MOST = 400, 200
_PASSED_OVER = FILLER | ASKING | STOP_WORDS | VAGUE
_HYPHEN = re.compile(r"\b(\w)-(?=\w)")


@dataclass(frozen=True, slots=True)
class PlanStatement:
    """A part of a plan: its text, its content words as {stem: word}, what it wants and rejects."""

    text: str
    words: dict[str, str]
    stance: TextStance


def split_plan_statements(plan: str) -> list[PlanStatement]:
    """The sentences of a plan as PlanStatements, at most 200; a short plan is a single one."""
    return [
        PlanStatement(text, content_words_by_stem(text), conflict.read_text_stance(text))
        for text in _parts(plan)
    ]


def content_words_by_stem(text: str) -> dict[str, str]:
    """{stem: word} for the content words of a text and of the parts of its names.

    All words if none has content, so that "Keep it" can be compared.
    """
    terms = [
        *words_and_identifier_parts(text),
        *words_and_identifier_parts(_HYPHEN.sub(r"\1", text)),
    ]
    telling = [word for word in terms if word not in _PASSED_OVER and len(word) > 1]
    return {stem(word): word for word in telling or terms}


def title_and_content(memory: Memory) -> str:
    """The title and the content of a memory as one text, with a line feed between them."""
    return f"{memory.title}\n{memory.content}"


def _parts(plan: str) -> list[str]:
    if len(plan) <= _LONGEST:
        return [plan]
    parts: list[str] = []
    for sentence in re.split(r"\n\s*|(?<=[.!?;])\s+", plan):
        for start in range(0, len(sentence), _LONGEST):
            parts.append(sentence[start : start + _LONGEST])
    return list(dict.fromkeys(part.strip() for part in parts if part.strip()))[:_MOST]
