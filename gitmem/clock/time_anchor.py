"""A moment with the seventeen field names and formats of Context Fabric's time service.

For agents that know it: names in camel case, moments as milliseconds since 1970, the hour from 1 to
12, and ends that are the last millisecond inside, not the first outside.
"""

from __future__ import annotations

import datetime as dt

from gitmem.clock import zones
from gitmem.clock.time_report import MONTHS, Moment
from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class TimeAnchor:
    """A moment in a time zone with the field names of Context Fabric, another memory tool.

    ``startOf...`` and ``endOf...`` are milliseconds since 1970; weeks begin on Monday. ``iso`` has
    milliseconds and the offset, ``weekNumber`` is that of ISO 8601.
    """

    epochMs: int  # noqa: N815 - these names are the point
    iso: str
    timezone: str
    utcOffset: str  # noqa: N815
    timeOfDay: str  # noqa: N815
    date: str
    dateShort: str  # noqa: N815
    dayOfWeek: str  # noqa: N815
    isWeekend: bool  # noqa: N815
    weekNumber: int  # noqa: N815
    startOfDay: int  # noqa: N815
    endOfDay: int  # noqa: N815
    startOfNextDay: int  # noqa: N815
    startOfYesterday: int  # noqa: N815
    startOfWeek: int  # noqa: N815
    endOfWeek: int  # noqa: N815
    startOfNextWeek: int  # noqa: N815


def make_time_anchor(local_moment: Moment) -> TimeAnchor:
    """The moment as a TimeAnchor, with the field names and formats of Context Fabric."""
    moment = zones.to_local_datetime(
        local_moment.epoch_ms, zones.load_time_zone(local_moment.timezone)
    )
    month = MONTHS[moment.month - 1]
    return TimeAnchor(
        epochMs=local_moment.epoch_ms,
        iso=moment.isoformat(timespec="milliseconds"),
        timezone=local_moment.timezone,
        utcOffset=local_moment.utc_offset,
        timeOfDay=_twelve_hours(moment),
        date=f"{local_moment.weekday}, {month} {moment.day}, {moment.year}",
        dateShort=f"{month[:3]} {moment.day}",
        dayOfWeek=local_moment.weekday,
        isWeekend=local_moment.weekend,
        weekNumber=moment.isocalendar().week,
        startOfDay=local_moment.start_of_day,
        endOfDay=local_moment.end_of_day - 1,
        startOfNextDay=local_moment.tomorrow,
        startOfYesterday=local_moment.yesterday,
        startOfWeek=local_moment.start_of_week,
        endOfWeek=local_moment.end_of_week - 1,
        startOfNextWeek=local_moment.next_week,
    )


def _twelve_hours(moment: dt.datetime) -> str:
    """``2:30 PM``; midnight is 12:00 AM."""
    return f"{moment.hour % 12 or 12}:{moment.minute:02d} {'AM' if moment.hour < 12 else 'PM'}"
