"""A part of an answer that competes with others for room."""

from __future__ import annotations

from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """Lines under a heading. ``rank`` says how early it is given room (higher is earlier).

    ``heading`` may be empty. ``more`` is the sentence for lines that found no room, with ``{n}``
    for their number; empty leaves them out silently. A ``required`` section is always whole. Of a
    ``lasting`` one the first lines come before everything that is only news.
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
    """What one section took: estimated tokens, lines shown and lines left out."""

    name: str
    tokens: int
    shown: int
    left_out: int


@dataclass(frozen=True, slots=True)
class Pack:
    """The sections that found room, in their order, and what each cost."""

    text: str
    tokens: int
    costs: tuple[SectionCost, ...]
