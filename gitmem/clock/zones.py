"""Finding time zones by name, and the beginning of a local day.

``zoneinfo`` only. A local day begins at its first instant, which is not always 00:00: some zones
jump over midnight (Sao Paulo until 2018, Beirut), some live it twice (Havana, St. John's).
"""

from __future__ import annotations

import datetime as dt

from gitmem.clock import clamp_to_supported_years
from gitmem.errors import InvalidInput

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MILLISECOND = dt.timedelta(milliseconds=1)
_SECOND = dt.timedelta(seconds=1)
# A year of room on both sides, so that neighbouring days, weeks and offsets always exist.
_FIRST = -62_135_596_800_000 + 366 * 86_400_000
_LAST = 253_402_300_799_999 - 732 * 86_400_000
# Characters of a name at most; the longest of the zone database has 32. Each part of one is looked
# up as a package inside the last, as deep as Python goes.
_LONGEST = 100


def find_time_zone(name: str) -> dt.tzinfo | None:
    """The time zone with this name, or None."""
    if name == "UTC":
        return dt.UTC
    if len(name) > _LONGEST:
        return None
    import zoneinfo  # noqa: PLC0415  # 5 ms, not needed for UTC

    try:
        return zoneinfo.ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown; malformed; a folder of the database
        return None


def load_time_zone(name: str) -> dt.tzinfo:
    """The time zone with this name. Raises InvalidInput, with similar names, if there is none."""
    zone = find_time_zone(name)
    if zone is None:
        raise InvalidInput(f"There is no time zone called {name[:60]!r}.", _hint(name))
    return zone


def _hint(name: str) -> str:
    import difflib  # noqa: PLC0415  # only when the name is wrong
    import zoneinfo  # noqa: PLC0415

    by_key: dict[str, str] = {}
    for known in sorted(zoneinfo.available_timezones()):
        by_key.setdefault(known.rpartition("/")[2].lower(), known)
        by_key[known.lower()] = known
    key = name[:60].strip().lower().replace(" ", "_")
    close = difflib.get_close_matches(key, by_key, n=6, cutoff=0.6)
    names = list(dict.fromkeys(by_key[key] for key in close))[:3]
    if not names:
        return "Use a name of the zone database, such as Europe/Berlin or UTC."
    return f"Did you mean {' or '.join(names)}?"


def to_local_datetime(ms: int, zone: dt.tzinfo) -> dt.datetime:
    """The local date-time of a moment (milliseconds since 1970), clamped to the years 2 to 9997."""
    inside = min(max(ms, _FIRST), _LAST)
    return (EPOCH + inside * _MILLISECOND).astimezone(zone)


def datetime_to_ms(aware_datetime: dt.datetime) -> int:
    """The milliseconds since 1970 of a date-time with an offset."""
    return clamp_to_supported_years((aware_datetime - EPOCH) // _MILLISECOND)


def local_time_to_ms(day: dt.date, time: dt.time, zone: dt.tzinfo) -> int:
    """The milliseconds since 1970 of a local time in a zone.

    A time that the zone skips is the moment of the skip; of one that comes twice, the first counts.
    """
    later = dt.datetime.combine(day, time, tzinfo=zone)
    first = later.astimezone(dt.UTC)
    second = later.replace(fold=1).astimezone(dt.UTC)
    # Outside a jump both are equal; when the hour is lived twice, the first one counts.
    return datetime_to_ms(_jump(second, first, zone) if second < first else first)


def _jump(before: dt.datetime, after: dt.datetime, zone: dt.tzinfo) -> dt.datetime:
    """The second at which the offset changes, between two UTC instants around it."""
    old = before.astimezone(zone).utcoffset()
    low, high = 0, int((after - before) // _SECOND)
    while low < high:
        middle = (low + high) // 2
        changed = (before + middle * _SECOND).astimezone(zone).utcoffset() != old
        low, high = (low, middle) if changed else (middle + 1, high)
    return before + low * _SECOND


def local_day_start_ms(day: dt.date, zone: dt.tzinfo) -> int:
    """The first moment of a local day, in milliseconds since 1970."""
    return local_time_to_ms(day, dt.time(), zone)


def local_day_end_ms(day: dt.date, zone: dt.tzinfo) -> int:
    """The first moment after a local day, in milliseconds since 1970.

    Each moment belongs to one day only, also where clocks go back across midnight.
    """
    tomorrow = day + dt.timedelta(days=1)
    first = local_day_start_ms(tomorrow, zone)
    second = datetime_to_ms(dt.datetime.combine(tomorrow, dt.time(), tzinfo=zone).replace(fold=1))
    return second if second > first and to_local_datetime(second - 1, zone).date() == day else first
