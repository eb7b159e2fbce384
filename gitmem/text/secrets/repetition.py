"""Stretches of a text that repeat the same few characters thousands of times, and the text without
their middles.

Hostile and padded texts are made of such stretches, and nothing new is learnt from the ten
thousandth repeat. What is left out is a whole number of repeats, so no rule sees a seam.
"""

from __future__ import annotations

_SHORTEST = 2048  # characters of a stretch worth looking for; also how often one is looked for
_LONGEST_PERIOD = _SEED = 256  # a seed as long as a period holds all of it
_KEPT = 512  # characters that stay at either end of a stretch


def middles(text: str) -> list[tuple[int, int]]:
    """What may be left out: (start, end), sorted, without overlaps."""
    found: list[tuple[int, int]] = []
    at = _SHORTEST // 2
    while at + _SEED < len(text):
        period = text.find(text[at : at + _SEED], at + 1, at + _LONGEST_PERIOD + _SEED) - at
        if period <= 0:
            at += _SHORTEST // 2
            continue
        begin, end = _extent(text, at, period)
        middle = (end - begin - 2 * _KEPT) // period * period
        if middle > 0:
            found.append((begin + _KEPT, begin + _KEPT + middle))
        at = max(end, at) + _SHORTEST // 2
    return found


def without(text: str, cuts: list[tuple[int, int]]) -> str:
    """The text less what is cut."""
    ends = [0, *(end for _, end in cuts)]
    starts = [*(start for start, _ in cuts), len(text)]
    return "".join([text[end:start] for end, start in zip(ends, starts, strict=True)])


def place(position: int, cuts: list[tuple[int, int]]) -> int:
    """Where a position of the shortened text is in the whole one."""
    for start, end in cuts:
        if position > start:
            position += end - start
    return position


def at_seam(begin: int, end: int, cuts: list[tuple[int, int]]) -> bool:
    """Whether a span of the shortened text reaches into what is kept of a stretch."""
    left_out = 0
    for start, stop in cuts:
        seam = start - left_out
        if begin <= seam + _KEPT and end >= seam - _KEPT:
            return True
        left_out += stop - start
    return False


def _extent(text: str, at: int, period: int) -> tuple[int, int]:
    """The stretch around ``at`` in which every character is the one a period before."""
    step, end = 1 << 16, at + period
    while step:
        while (
            end + step <= len(text)
            and text[end : end + step] == text[end - period : end - period + step]
        ):
            end += step
        step >>= 1
    step, begin = 1 << 16, at
    while step:
        while (
            begin >= step
            and text[begin - step : begin] == text[begin - step + period : begin + period]
        ):
            begin -= step
        step >>= 1
    return begin, end
