"""The timeline as a picture for a terminal: a row for each kind of event over one axis. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gitmem.clock import DAY, HOUR, MINUTE, format_iso, parse_iso
from gitmem.text.bars import clip_start, pad_right, sparkline
from gitmem.text.fence import join_lines, one_line
from gitmem.text.quantity import quantity

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Protocol

    class DrawableEvent(Protocol):
        """An event with its time (ISO 8601), in UTC and local, its type, and an id (``ref``)."""

        @property
        def at(self) -> str: ...
        @property
        def local(self) -> str: ...
        @property
        def type(self) -> str: ...
        @property
        def ref(self) -> str: ...


# Type of event -> name of its row; others have their own.
_ROWS = {
    "commit": "commits",
    "session start": "sessions",
    "session end": "sessions",
    "decision": "decisions",
    "memory": "memories",
    "note": "notes",
}
_NAME, _COUNT, _TICK = 14, 5, 12  # columns
_NARROWEST = 20


def draw_timeline(events: Sequence[DrawableEvent], since_iso: str, columns: int) -> list[str]:
    """The timeline as lines of text, ``columns`` columns wide: a row for each type, and an axis.

    The axis begins at the first event, or at ``since_iso`` (ISO 8601, may be empty) if that is
    earlier. Empty without events.
    """
    if not events:
        return []
    room = max(columns - _NAME - _COUNT - 2, _NARROWEST)
    times = [_wall_time(moment.local or moment.at) for moment in events]
    begin = min([*times, *([parse_iso(since_iso)] if since_iso else [])])
    span = max(max(times) - begin, HOUR)
    places = [(at - begin) * (room - 1) // span for at in times]
    rows: dict[str, list[int]] = {name: [] for name in _ROWS.values()}
    for moment, place in zip(events, places, strict=True):
        if moment.type != "session end":
            rows.setdefault(_ROWS.get(moment.type, moment.type), []).append(place)
    lines = []
    for name, inside in rows.items():
        drawn = sparkline([Counter(inside)[column] for column in range(room)])
        many = len(inside)
        if name == "sessions":
            drawn, many = _spans(events, places, room)
        if many:
            label = pad_right(clip_start(join_lines(name), _NAME - 1), _NAME)
            lines.append(f"{label}{drawn} {many:>{_COUNT}}")
    scale = f"{_day(begin)} to {_day(begin + span)}, a column is {_length(span // room)}"
    return [*lines, *_axis(begin, span, room), one_line(scale, columns)]


def _length(ms: int) -> str:
    """A length of time in the largest unit that it fills."""
    for unit, name in ((DAY, "day"), (HOUR, "hour")):
        if ms >= unit:
            return quantity(round(ms / unit), name)
    return quantity(max(round(ms / MINUTE), 1), "minute")


def _spans(moments: Sequence[DrawableEvent], places: Sequence[int], room: int) -> tuple[str, int]:
    """The sessions from start to end as a row, and their number.

    One whose start or end is not among the events reaches to the border.
    """
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for moment, place in zip(moments, places, strict=True):
        if moment.type == "session start":
            first[moment.ref] = place
        elif moment.type == "session end":
            last[moment.ref] = place
    row = [" "] * room
    for ref in first | last:
        for column in range(first.get(ref, 0), last.get(ref, room - 1) + 1):
            row[column] = "━"
    return "".join(row), len(first | last)


def _axis(begin: int, span: int, room: int) -> list[str]:
    """A line with ticks, and below each its day, month or time."""
    cut = slice(11, 16) if span < 2 * DAY else slice(5, 10) if span < 300 * DAY else slice(0, 7)
    ticks = range(0, max(room - _TICK // 2, 1), _TICK)
    line = ["─"] * room
    labels = ""
    for tick in ticks:
        line[tick] = "┴"
        labels = labels.ljust(tick) + format_iso(begin + tick * span // max(room - 1, 1))[cut]
    return [" " * _NAME + "".join(line), " " * _NAME + labels]


def _wall_time(text: str) -> int:
    """The milliseconds of the clock on the wall: the offset of a zone is left out."""
    return parse_iso(text[:19] + "Z")


def _day(at: int) -> str:
    return format_iso(at)[:10]
