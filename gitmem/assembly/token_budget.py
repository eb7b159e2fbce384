"""Putting sections into a token budget, the valuable ones first.

The budget is a promise: the text never costs more, whatever the sections hold. The first lines of
what lasts (pinned, decided, agreed) get room before anything else does, in turns, so that many
pinned memories do not push out every decision. Then the more valuable section gets room first;
within a section, lines go in from the top.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gitmem.model.section import Pack, Section, SectionCost
from gitmem.text.tokens import clip, estimate

Count = Callable[[str], int]

# Lines of each lasting section that news never takes the room of.
FIRST_LINES = 3


def pack(
    sections: Sequence[Section], budget: int, *, markdown: bool = False, count: Count = estimate
) -> Pack:
    """The text of the sections within ``budget`` tokens, in their given order.

    Required sections are always there, cut short if they alone are too much. ``count`` says what
    a text costs: an estimate, if nothing else is given.
    """
    ranked = sorted(
        enumerate(sections), key=lambda pair: (not pair[1].required, -pair[1].rank, pair[0])
    )
    shown: dict[int, list[str]] = {}
    for index, section in ranked:
        if section.required and section.lines:
            shown[index] = [*_head(section, markdown), *section.lines]
    room = budget - sum(_cost(lines, count) for lines in shown.values())
    kept = _kept(ranked, room, markdown, count)
    # What is kept is room that others cannot have, until its own section takes it.
    room -= sum(_cost(lines, count) for lines in kept.values())
    for index, section in ranked:
        if index in shown:
            continue
        own = _cost(kept.get(index, []), count)
        lines = fitting(section, room + own, markdown=markdown, count=count)
        if lines:
            shown[index] = lines
        room += own - _cost(lines, count)
    text = "\n".join("\n".join(shown[index]) for index in sorted(shown))
    tokens = count(text)
    if tokens > budget:
        text = clip(text, budget, count)
        tokens = count(text)
    return Pack(text, tokens, tuple(_account(sections, shown, count)))


def _kept(
    ranked: Sequence[tuple[int, Section]], room: int, markdown: bool, count: Count
) -> dict[int, list[str]]:
    """The first lines of the lasting sections: one of each in turn, while there is room.

    With a sentence about the rest as long as it can become.
    """
    lasting = [(index, section) for index, section in ranked if section.lasting]
    kept: dict[int, list[str]] = {}
    for many in range(1, FIRST_LINES + 1):
        for index, section in lasting:
            before = kept.get(index, [])
            if len(section.lines) < many or (many > 1 and not before):
                continue
            lines = [*_head(section, markdown), *section.lines[:many], *_rest(section, many)]
            more = _cost(lines, count) - _cost(before, count)
            if more <= room:
                kept[index] = lines
                room -= more
    return kept


def _rest(section: Section, shown: int) -> list[str]:
    left = shown < len(section.lines) and section.more
    return [section.more.format(n=len(section.lines))] if left else []


def fitting(
    section: Section, room: int, *, markdown: bool = False, count: Count = estimate
) -> list[str]:
    """Heading and lines of a section that cost at most ``room``; none where not one line fits."""
    if not section.lines:
        return []
    head = _head(section, markdown)
    whole = [*head, *section.lines]
    if section.required or _cost(whole, count) <= room:
        return whole
    # Room for the sentence about the rest is kept from the start.
    rest = _cost([section.more.format(n=len(section.lines))], count) if section.more else 0
    lines, left = list(head), room - _cost(head, count) - rest
    for line in section.lines:
        left -= _cost([line], count)
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


def _cost(lines: Sequence[str], count: Count) -> int:
    # One more for each line end: the estimate of a whole is at most the sum of its parts plus one
    # for each joint, so a sum that fits is a promise kept.
    return sum(count(line) + 1 for line in lines)


def _account(
    sections: Sequence[Section], shown: dict[int, list[str]], count: Count
) -> list[SectionCost]:
    costs = []
    for index, section in enumerate(sections):
        lines = shown.get(index, [])
        kept = sum(1 for line in section.lines if line in lines)
        costs.append(
            SectionCost(section.name, _cost(lines, count), kept, len(section.lines) - kept)
        )
    return costs


def allot(needs: Sequence[int], shares: Sequence[float], budget: int) -> list[int]:
    """What each part gets: its share of the budget at most, then in order what is left over.

    ``shares`` are parts of a whole. Together never more than the budget, none more than it needs.
    """
    whole = sum(shares) or 1.0
    given = [
        min(need, int(budget * share / whole)) for need, share in zip(needs, shares, strict=True)
    ]
    left = budget - sum(given)
    for place, need in enumerate(needs):
        more = min(need - given[place], left)
        given[place] += more
        left -= more
    return given
