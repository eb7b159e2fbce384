"""Fitting sections of text into a token budget, by rank.

The text never costs more than the budget. The first lines of lasting sections (pinned, decisions,
conventions) get room before anything else, in turns, so that many pinned memories do not push out
every decision. Then sections get room by their rank; within a section, lines go in from the top.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gitmem.model.section import AnswerSection, PackedSections, SectionCost
from gitmem.text.tokens import clip_to_tokens, estimate_tokens

Count = Callable[[str], int]

# Lines reserved for each lasting section, so that news cannot displace them.
FIRST_LINES = 3


def pack_sections(
    sections: Sequence[AnswerSection],
    max_tokens: int,
    *,
    markdown: bool = False,
    count_tokens: Count = estimate_tokens,
) -> PackedSections:
    """Return as much of the sections as fits into ``max_tokens``, in their given order.

    Sections of higher rank get room first, required ones always; ``count_tokens`` returns the
    tokens of a text. With ``markdown`` titles become headings.
    """
    ranked = sorted(
        enumerate(sections), key=lambda pair: (not pair[1].required, -pair[1].rank, pair[0])
    )
    shown: dict[int, list[str]] = {}
    for index, section in ranked:
        if section.required and section.lines:
            shown[index] = [*_head(section, markdown), *section.lines]
    room = max_tokens - sum(_cost(lines, count_tokens) for lines in shown.values())
    reserved = _reserve_first_lines(ranked, room, markdown, count_tokens)
    # Reserved room belongs to its section and is given back when that section is filled.
    room -= sum(_cost(lines, count_tokens) for lines in reserved.values())
    for index, section in ranked:
        if index in shown:
            continue
        own = _cost(reserved.get(index, []), count_tokens)
        lines = fit_section_lines(section, room + own, markdown=markdown, count_tokens=count_tokens)
        if lines:
            shown[index] = lines
        room += own - _cost(lines, count_tokens)
    text = "\n".join("\n".join(shown[index]) for index in sorted(shown))
    tokens = count_tokens(text)
    if tokens > max_tokens:
        text = clip_to_tokens(text, max_tokens, count_tokens)
        tokens = count_tokens(text)
    return PackedSections(text, tokens, tuple(_section_costs(sections, shown, count_tokens)))


def _reserve_first_lines(
    ranked: Sequence[tuple[int, AnswerSection]], room: int, markdown: bool, count: Count
) -> dict[int, list[str]]:
    """The first lines of the lasting sections: one of each in turn, while there is room.

    Each with its line about the rest, in its longest form.
    """
    lasting = [(index, section) for index, section in ranked if section.lasting]
    reserved: dict[int, list[str]] = {}
    for many in range(1, FIRST_LINES + 1):
        for index, section in lasting:
            before = reserved.get(index, [])
            if len(section.lines) < many or (many > 1 and not before):
                continue
            lines = [*_head(section, markdown), *section.lines[:many], *_rest_line(section, many)]
            more = _cost(lines, count) - _cost(before, count)
            if more <= room:
                reserved[index] = lines
                room -= more
    return reserved


def _rest_line(section: AnswerSection, shown: int) -> list[str]:
    left = shown < len(section.lines) and section.more
    return [section.more.format(n=len(section.lines))] if left else []


def fit_section_lines(
    section: AnswerSection,
    max_tokens: int,
    *,
    markdown: bool = False,
    count_tokens: Count = estimate_tokens,
) -> list[str]:
    """Return a section's heading and those lines that fit into ``max_tokens``; empty if none."""
    if not section.lines:
        return []
    head = _head(section, markdown)
    whole = [*head, *section.lines]
    if section.required or _cost(whole, count_tokens) <= max_tokens:
        return whole
    # Room for the line about the rest is reserved from the start.
    rest = _cost([section.more.format(n=len(section.lines))], count_tokens) if section.more else 0
    lines, left = list(head), max_tokens - _cost(head, count_tokens) - rest
    for line in section.lines:
        left -= _cost([line], count_tokens)
        if left < 0:
            break
        lines.append(line)
    taken = len(lines) - len(head)
    if not taken:
        return []
    if section.more:
        lines.append(section.more.format(n=len(section.lines) - taken))
    return lines


def _head(section: AnswerSection, markdown: bool) -> list[str]:
    if not section.heading:
        return []
    return ["", f"## {section.heading}"] if markdown else ["", f"{section.heading}:"]


def _cost(lines: Sequence[str], count: Count) -> int:
    # One more for each line end: a text has at most the tokens of its lines plus one for each
    # joint, so lines that fit by this sum fit together.
    return sum(count(line) + 1 for line in lines)


def _section_costs(
    sections: Sequence[AnswerSection], shown: dict[int, list[str]], count: Count
) -> list[SectionCost]:
    costs = []
    for index, section in enumerate(sections):
        lines = shown.get(index, [])
        number = sum(1 for line in section.lines if line in lines)
        costs.append(
            SectionCost(section.name, _cost(lines, count), number, len(section.lines) - number)
        )
    return costs


def divide_token_budget(
    needed_tokens: Sequence[int], fractions: Sequence[float], total_tokens: int
) -> list[int]:
    """Return how many of ``total_tokens`` each part of a text gets, at most what it needs.

    ``fractions`` are the parts' shares, relative to their sum. What a part does not need goes to
    the others, the first first.
    """
    whole = sum(fractions) or 1.0
    given = [
        min(need, int(total_tokens * of / whole))
        for need, of in zip(needed_tokens, fractions, strict=True)
    ]
    left = total_tokens - sum(given)
    for place, need in enumerate(needed_tokens):
        more = min(need - given[place], left)
        given[place] += more
        left -= more
    return given
