"""Shortening texts that repeat the same few characters thousands of times.

Hostile and padded texts have such stretches, and the ten thousandth repeat says nothing new. A
whole number of repeats is left out from their middles, so no rule sees a seam. Where the repeats
are themselves secrets, a secret found in one of them is reported in each.
"""

from __future__ import annotations

_SHORTEST = 2048  # characters of a stretch worth looking for; also how often one is looked for
_LONGEST_PERIOD = _SEED = 256  # a seed as long as a period holds all of it
_MARGIN = 512  # characters that stay at either end of a stretch

TYPE_CHECKING = False
if TYPE_CHECKING:
    Cut = tuple[int, int, int]
    Span = tuple[int, int, str]


def find_repeated_stretches(text: str) -> list[Cut]:
    """Return the parts of a text that only repeat the same characters, which a search may skip.

    Each is (start, end, number of characters that repeat); they do not overlap.
    """
    cuts: list[Cut] = []
    at = _SHORTEST // 2
    while at + _SEED < len(text):
        period = text.find(text[at : at + _SEED], at + 1, at + _LONGEST_PERIOD + _SEED) - at
        if period <= 0:
            at += _SHORTEST // 2
            continue
        begin, end = _extent(text, at, period)
        step = 2 * period  # a rule may take every second repeat
        middle = (end - begin - 2 * _MARGIN) // step * step
        if middle > 0:
            cuts.append((begin + _MARGIN, begin + _MARGIN + middle, period))
        at = max(end, at) + _SHORTEST // 2
    return cuts


def remove_stretches(text: str, stretches: list[Cut]) -> str:
    """Return the text without the parts that ``find_repeated_stretches`` returned."""
    ends = [0, *(end for _, end, _ in stretches)]
    starts = [*(start for start, _, _ in stretches), len(text)]
    return "".join([text[end:start] for end, start in zip(ends, starts, strict=True)])


def restore_spans(spans: list[Span], removed_stretches: list[Cut]) -> list[Span] | None:
    """Return places of secrets in a text after ``remove_stretches`` as places in the whole text.

    Places are (start, end, kind). Those in the removed repeats are included. None if this cannot be
    told, as a secret covers several repeats or not all have the same.
    """
    placed: list[Span] = []
    left_out = at = 0
    for start, stop, period in removed_stretches:
        seam = start - left_out
        while at < len(spans) and spans[at][0] < seam:
            placed.append(_moved(spans[at], left_out))
            at += 1
        if any(span[0] <= seam + _MARGIN and span[1] >= seam - _MARGIN for span in spans):
            length = period if _repeat(spans, seam, period) is not None else 2 * period
            repeats = _repeat(spans, seam, length)
            if repeats is None:
                return None
            placed += [
                _moved(span, left_out + shift)
                for shift in range(length, stop - start + length, length)
                for span in repeats
            ]
        left_out += stop - start
    return placed + [_moved(span, left_out) for span in spans[at:]]


def _repeat(spans: list[Span], seam: int, period: int) -> list[Span] | None:
    """The spans that begin in the last repeat before a seam, if its neighbours have the same."""
    before, last, after = (
        [_moved(span, -shift) for span in spans if seam - period <= span[0] - shift < seam]
        for shift in (-period, 0, period)
    )
    covered = any(span[0] < seam - 2 * period < span[1] for span in spans)
    return last if before == last == after and not covered else None


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by, span[2]


def _extent(text: str, at: int, period: int) -> tuple[int, int]:
    """The stretch around ``at`` in which every character equals the one a period before."""
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
