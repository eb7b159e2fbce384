"""The sections of an answer, which share a token budget."""

from __future__ import annotations

from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """Lines under a heading. ``rank``: sections of a higher rank get room first.

    ``heading`` may be empty. ``more`` is the sentence for lines left out, with ``{n}`` for their
    number; empty: none. A ``required`` section is always complete. The first lines of a ``lasting``
    section come before all sections that are only news.
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
    """The cost of a section: estimated tokens, lines shown and lines left out."""

    name: str
    tokens: int
    shown: int
    left_out: int


@dataclass(frozen=True, slots=True)
class Pack:
    """The sections that fit the budget, in order, and the cost of each."""

    text: str
    tokens: int
    costs: tuple[SectionCost, ...]
