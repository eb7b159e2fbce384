"""A moment in a time zone, in every form an answer may need.

For agents, so that "today", "this week" and "since yesterday" mean the same to them as to the
person they work for. Days and weeks are half open: an end is the first instant outside.
"""

from __future__ import annotations

import datetime as dt

from gitmem.clock import zones
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Named here because strftime would use the process's locale.
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


@dataclass(frozen=True, slots=True)
class WorldTime:
    """The date and time of a moment in another time zone."""

    timezone: str
    iso: str
    utc_offset: str
    weekday: str
    time_of_day: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment in a time zone, with the times when its day and week begin and end.

    Times are milliseconds since 1970; ends are exclusive; weeks begin on Monday. ``yesterday`` and
    ``tomorrow`` are the starts of those days, ``next_week`` of that week; ``world`` is the moment
    in other zones.
    """

    epoch_ms: int
    iso: str
    timezone: str
    utc_offset: str
    time_of_day: str
    long_date: str
    short_date: str
    weekday: str
    weekend: bool
    iso_week: str
    start_of_day: int
    end_of_day: int
    yesterday: int
    tomorrow: int
    start_of_week: int
    end_of_week: int
    next_week: int
    world: tuple[WorldTime, ...] = ()


def describe_moment(now_ms: int, zone: str, other_zones: Sequence[str] = ()) -> Moment:
    """A moment (milliseconds since 1970) in the time zone ``zone``, and in ``other_zones``.

    It is clamped to years 2 to 9997. Raises InvalidInput for an unknown zone, with similar names.
    """
    place = zones.load_time_zone(zone)
    moment = zones.to_local_datetime(now_ms, place)
    day = moment.date()
    monday = day - dt.timedelta(days=day.weekday())
    next_monday = zones.local_day_start_ms(monday + dt.timedelta(days=7), place)
    week = moment.isocalendar()
    return Moment(
        epoch_ms=zones.datetime_to_ms(moment),
        iso=moment.isoformat(timespec="seconds"),
        timezone=zone,
        utc_offset=_offset(moment),
        time_of_day=_time_of_day(moment.hour),
        long_date=f"{WEEKDAYS[day.weekday()]}, {day.day} {MONTHS[day.month - 1]} {day.year}",
        short_date=day.isoformat(),
        weekday=WEEKDAYS[day.weekday()],
        weekend=day.weekday() >= 5,
        iso_week=f"{week.year:04d}-W{week.week:02d}",
        start_of_day=zones.local_day_start_ms(day, place),
        end_of_day=zones.local_day_end_ms(day, place),
        yesterday=zones.local_day_start_ms(day - dt.timedelta(days=1), place),
        tomorrow=zones.local_day_start_ms(day + dt.timedelta(days=1), place),
        start_of_week=zones.local_day_start_ms(monday, place),
        end_of_week=zones.local_day_end_ms(monday + dt.timedelta(days=6), place),
        next_week=next_monday,
        world=tuple(_world_time(now_ms, name) for name in other_zones),
    )


def _world_time(now_ms: int, name: str) -> WorldTime:
    moment = zones.to_local_datetime(now_ms, zones.load_time_zone(name))
    return WorldTime(
        timezone=name,
        iso=moment.isoformat(timespec="seconds"),
        utc_offset=_offset(moment),
        weekday=WEEKDAYS[moment.weekday()],
        time_of_day=_time_of_day(moment.hour),
    )


def _offset(moment: dt.datetime) -> str:
    """``+01:00``; seconds of old local mean times are dropped."""
    minutes = int((moment.utcoffset() or dt.timedelta()) // dt.timedelta(minutes=1))
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02d}:{rest:02d}"


def _time_of_day(hour: int) -> str:
    """Morning from 5, afternoon from 12, evening from 17, night from 22."""
    for until, name in ((5, "night"), (12, "morning"), (17, "afternoon"), (22, "evening")):
        if hour < until:
            return name
    return "night"
