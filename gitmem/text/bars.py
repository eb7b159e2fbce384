"""Drawing numbers for a terminal: bars, sparklines, and spans on an axis. Pure, without colour.

Nothing is wider than the given number of columns; what does not fit is cut with "…".
"""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.text.fence import join_lines
from gitmem.text.wrapping import display_width

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LEVELS = "▁▂▃▄▅▆▇█"
_SHORTEST = 8  # columns: a shorter bar says less than its number


def bar(fraction: float, width: int) -> str:
    """Return a bar of block characters that fills ``fraction`` (0 to 1) of ``width`` columns.

    A fraction above 0 is always visible.
    """
    eighths = round(min(max(fraction, 0.0), 1.0) * width * 8)
    eighths = max(eighths, 1) if fraction > 0 and width > 0 else eighths
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def sparkline(counts: Sequence[int]) -> str:
    """Return a text with a character for each number, the higher the larger; a blank for 0."""
    most = max(counts, default=0)
    return "".join(
        _LEVELS[-(-count * len(_LEVELS) // most) - 1] if count > 0 else " " for count in counts
    )


def bar_chart_lines(
    rows: Sequence[tuple[str, float, str]], width: int, max_number: float = 0
) -> list[str]:
    """Return a line for each row of (name, number, caption): the name, the caption and a bar.

    No line is wider than ``width`` columns. A full bar is ``max_number`` (0: the largest number). A
    long name loses its beginning; bars are left out if there is no room.
    """
    if not rows:
        return []
    names = [join_lines(name) for name, _, _ in rows]
    captions = max(display_width(caption) for _, _, caption in rows)
    room = max(width - captions - 6, 0)
    named = min(max(map(display_width, names)), max(room * 3 // 5, room - 40))
    length = min(room - named, 40)
    max_number = max_number or max(number for _, number, _ in rows) or 1
    lines = []
    for name, (_, number, caption) in zip(names, rows, strict=True):
        if length < _SHORTEST:
            label = pad_right(
                clip_start(name, max(room, 1)), min(max(map(display_width, names)), room)
            )
            lines.append(f"  {label}  {caption}")
            continue
        drawn = bar(number / max_number, length)
        label = pad_right(clip_start(name, named), named)
        lines.append(f"  {label}  {caption:>{captions}}  {drawn}".rstrip())
    return lines


def clip_start(text: str, width: int) -> str:
    """Return the text, or "…" and as much of its end as fits into ``width`` columns."""
    if display_width(text) <= width:
        return text
    used, start = 1, len(text)
    while start and (used := used + display_width(text[start - 1])) <= width:
        start -= 1
    return "…" + text[start:]


def pad_right(text: str, width: int) -> str:
    """Return the text with blanks added behind it, so that it fills ``width`` columns."""
    return text + " " * (width - display_width(text))
