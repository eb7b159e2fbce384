"""The timeline as a picture: a row for each kind of event on one axis of time. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from gitmem.model.frozen import dataclass
from gitmem.text.fence import one_line

# Marks of a row; where more happened, marks stand for equal stretches of time.
MAX_MARKS = 120
_WIDTH = 80


@dataclass(frozen=True, slots=True)
class TimelineMark:
    """A mark of the timeline ``at`` a time (ms since 1970), or lasting until ``end``.

    ``count`` is the number of events it stands for, ``href`` the page it leads to, or empty.
    """

    at: int
    text: str
    href: str = ""
    end: int | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """A row of the timeline for a kind of event; ``total`` counts also events without a mark."""

    name: str
    marks: Sequence[TimelineMark]
    total: int

    @property
    def unmarked_event_count(self) -> int:
        """How many events of the row no mark stands for."""
        return max(0, self.total - sum(mark.count for mark in self.marks))


def marks_by_interval(
    event_times_ms: Iterable[int], since_ms: int, until_ms: int, max_marks: int
) -> list[TimelineMark]:
    """A TimelineMark for each part of a period with events, given by times in ms since 1970.

    The period is cut into at most ``max_marks`` equal parts.
    """
    width = max(1, -(-(until_ms - since_ms + 1) // max_marks))
    counts = Counter(
        (at - since_ms) // width for at in event_times_ms if since_ms <= at <= until_ms
    )
    return marks_from_interval_counts(counts.items(), since_ms, until_ms, width)


def marks_from_interval_counts(
    counts_by_interval: Iterable[tuple[int, int]], since_ms: int, until_ms: int, interval_ms: int
) -> list[TimelineMark]:
    """A TimelineMark for each (number of a part of the period, number of events in it).

    Parts are ``interval_ms`` long and count from 0 at ``since_ms``; the last ends at ``until_ms``.
    """
    return [
        TimelineMark(
            at=since_ms + number * interval_ms,
            text="",
            end=min(until_ms, since_ms + (number + 1) * interval_ms - 1),
            count=count,
        )
        for number, count in sorted(counts_by_interval)
    ]


def timeline_chart(rows: Sequence[TimelineRow], since_ms: int, until_ms: int) -> dict[str, object]:
    """The chart as a dict for JSON: ``{"kind": "timeline", "since", "until", "rows"}``.

    Times are in ms since 1970. A row has ``name``, ``total``, ``more`` (events without a mark) and
    ``marks``: ``[at, end, count, text, href]``.
    """
    return {
        "kind": "timeline",
        "since": since_ms,
        "until": until_ms,
        "rows": [
            {
                "name": row.name,
                "total": row.total,
                "more": row.unmarked_event_count,
                "marks": [
                    [mark.at, mark.end, mark.count, one_line(mark.text, _WIDTH), mark.href]
                    for mark in row.marks
                ],
            }
            for row in rows
        ],
    }
