"""The sections of an answer, which share a token budget."""

from __future__ import annotations

from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class AnswerSection:
    """A part of an answer: lines of text under a heading, which may be shortened.

    Sections of a higher ``rank`` get room first. ``heading`` may be empty. ``more`` is the sentence
    shown if lines are left out, with ``{n}`` for their number; empty for no sentence. A
    ``required`` section is never shortened. The first lines of a ``lasting`` section get room
    before the sections that are not lasting, which only tell news.
    """

    name: str
    heading: str
    lines: tuple[str, ...]
    rank: int
    more: str = ""
    required: bool = False
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class SectionCost:
    """What a section of an answer takes: its tokens (estimated), lines shown and lines left out."""

    name: str
    tokens: int
    shown: int
    left_out: int


@dataclass(frozen=True, slots=True)
class PackedSections:
    """An answer that fits its token budget: the text, its tokens, and what each section takes."""

    text: str
    tokens: int
    costs: tuple[SectionCost, ...]
