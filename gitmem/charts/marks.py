"""The timeline as a picture: a row for each kind of event on one axis of time. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from gitmem.model.frozen import dataclass
from gitmem.text.fence import one_line

# Marks of a row; where more happened, marks stand for equal stretches of time.
MOST = 120
_WIDTH = 80


@dataclass(frozen=True, slots=True)
class Mark:
    """An event ``at`` a time, or lasting until ``end``; ``count`` events where it stands for many.

    ``href`` is the page it leads to, if any.
    """

    at: int
    text: str
    href: str = ""
    end: int | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """The marks of a kind of event. ``total`` counts the events, also those without a mark."""

    name: str
    marks: Sequence[Mark]
    total: int

    @property
    def count_hidden(self) -> int:
        """How many events no mark stands for."""
        return max(0, self.total - sum(mark.count for mark in self.marks))


def marks_by_interval(times: Iterable[int], since: int, until: int, most: int) -> list[Mark]:
    """A mark for each of at most ``most`` equal stretches of a period in which events fall."""
    width = max(1, -(-(until - since + 1) // most))
    counts = Counter((at - since) // width for at in times if since <= at <= until)
    return marks_of_counts(counts.items(), since, until, width)


def marks_of_counts(
    counts: Iterable[tuple[int, int]], since: int, until: int, width: int
) -> list[Mark]:
    """The marks of stretches of ``width`` milliseconds, given as (number from 0, events)."""
    return [
        Mark(
            at=since + number * width,
            text="",
            end=min(until, since + (number + 1) * width - 1),
            count=count,
        )
        for number, count in sorted(counts)
    ]


def timeline(rows: Sequence[TimelineRow], since: int, until: int) -> dict[str, object]:
    """The picture: ``{"kind": "timeline", "since", "until", "rows"}``.

    A row has ``name``, ``total``, ``more`` and ``marks``: ``[at, end, count, text, href]``.
    """
    return {
        "kind": "timeline",
        "since": since,
        "until": until,
        "rows": [
            {
                "name": row.name,
                "total": row.total,
                "more": row.count_hidden,
                "marks": [
                    [mark.at, mark.end, mark.count, one_line(mark.text, _WIDTH), mark.href]
                    for mark in row.marks
                ],
            }
            for row in rows
        ],
    }
