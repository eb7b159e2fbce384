"""Putting sections into a token budget, the valuable ones first.

The budget is a promise: the text never costs more, whatever the sections hold. The first lines of
what lasts (pinned, decided, agreed) get room before anything else does, in turns, so that many
pinned memories do not push out every decision. Then the more valuable section gets room first;
within a section, lines go in from the top.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.model.section import Pack, Section, SectionCost
from gitmem.text.tokens import clip, estimate

# Lines of each lasting section that news never takes the room of.
FIRST_LINES = 3


def pack(sections: Sequence[Section], budget: int, *, markdown: bool = False) -> Pack:
    """The text of the sections within ``budget`` estimated tokens, in their given order.

    Required sections are always there, cut short if they alone are too much.
    """
    ranked = sorted(
        enumerate(sections), key=lambda pair: (not pair[1].required, -pair[1].rank, pair[0])
    )
    shown: dict[int, list[str]] = {}
    for index, section in ranked:
        if section.required and section.lines:
            shown[index] = [*_head(section, markdown), *section.lines]
    room = budget - sum(map(_cost, shown.values()))
    kept = _kept(ranked, room, markdown)
    # What is kept is room that others cannot have, until its own section takes it.
    room -= sum(map(_cost, kept.values()))
    for index, section in ranked:
        if index in shown:
            continue
        own = _cost(kept.get(index, []))
        lines = _fitting(section, room + own, markdown)
        if lines:
            shown[index] = lines
        room += own - _cost(lines)
    text = "\n".join("\n".join(shown[index]) for index in sorted(shown))
    if estimate(text) > budget:
        text = clip(text, budget)
    return Pack(text, estimate(text), tuple(_account(sections, shown)))


def _kept(ranked: Sequence[tuple[int, Section]], room: int, markdown: bool) -> dict[int, list[str]]:
    """The first lines of the lasting sections: one of each in turn, while there is room.

    With a sentence about the rest as long as it can become.
    """
    lasting = [(index, section) for index, section in ranked if section.lasting]
    kept: dict[int, list[str]] = {}
    for count in range(1, FIRST_LINES + 1):
        for index, section in lasting:
            before = kept.get(index, [])
            if len(section.lines) < count or (count > 1 and not before):
                continue
            lines = [*_head(section, markdown), *section.lines[:count], *_rest(section, count)]
            more = _cost(lines) - _cost(before)
            if more <= room:
                kept[index] = lines
                room -= more
    return kept


def _rest(section: Section, count: int) -> list[str]:
    left = count < len(section.lines) and section.more
    return [section.more.format(n=len(section.lines))] if left else []


def _fitting(section: Section, room: int, markdown: bool) -> list[str]:
    if not section.lines:
        return []
    head = _head(section, markdown)
    whole = [*head, *section.lines]
    if section.required or _cost(whole) <= room:
        return whole
    # Room for the sentence about the rest is kept from the start.
    rest = _cost([section.more.format(n=len(section.lines))]) if section.more else 0
    lines, left = list(head), room - _cost(head) - rest
    for line in section.lines:
        left -= _cost([line])
        if left < 0:
            break
        lines.append(line)
    taken = len(lines) - len(head)
    if not taken:
        return []
    if section.more:
        lines.append(section.more.format(n=len(section.lines) - taken))
    return lines


def _head(section: Section, markdown: bool) -> list[str]:
    if not section.heading:
        return []
    return ["", f"## {section.heading}"] if markdown else ["", f"{section.heading}:"]


def _cost(lines: Sequence[str]) -> int:
    # One more for each line end: the estimate of a whole is at most the sum of its parts plus one
    # for each joint, so a sum that fits is a promise kept.
    return sum(estimate(line) + 1 for line in lines)


def _account(sections: Sequence[Section], shown: dict[int, list[str]]) -> list[SectionCost]:
    costs = []
    for index, section in enumerate(sections):
        lines = shown.get(index, [])
        kept = sum(1 for line in section.lines if line in lines)
        costs.append(SectionCost(section.name, _cost(lines), kept, len(section.lines) - kept))
    return costs
