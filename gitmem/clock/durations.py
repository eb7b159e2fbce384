"""Formatting and parsing of durations, all in milliseconds.

Days are the largest unit shown: "9 days 3 hours", never weeks, months or years, because only days
have a fixed length that a reader can add up.
"""

from __future__ import annotations

from gitmem.clock import DAY, HOUR, MINUTE, SECOND, WEEK
from gitmem.errors import InvalidInput

_SCALE = ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"), (SECOND, "second"))
_UNIT_WORDS = {
    WEEK: ("w", "wk", "wks", "week", "weeks"),
    DAY: ("d", "day", "days"),
    HOUR: ("h", "hr", "hrs", "hour", "hours"),
    MINUTE: ("m", "min", "mins", "minute", "minutes"),
    SECOND: ("s", "sec", "secs", "second", "seconds"),
}
UNITS = {word: size for size, words in _UNIT_WORDS.items() for word in words}
_LONGEST = 3_650_000 * DAY  # ten thousand years: more is a typing error
_HINT = "Write a duration like 90s, 15m, 2h, 7d, 4w or 1h30m."


def format_duration(ms: int) -> str:
    """A duration in milliseconds as text such as ``3 hours 42 minutes``.

    The largest unit and the next one, truncated; the sign is dropped.
    """
    return " ".join(_plural(count, name) for count, name in _two_largest(ms))


def _two_largest(ms: int) -> list[tuple[int, str]]:
    rest = abs(ms)
    for index, (size, name) in enumerate(_SCALE):
        if rest >= size:
            parts = [(rest // size, name)]
            for smaller, small_name in _SCALE[index + 1 : index + 2]:
                count = rest % size // smaller
                if count:
                    parts.append((count, small_name))
            return parts
    return [(0, "second")]


def _plural(count: int, name: str) -> str:
    return f"{count} {name}" if count == 1 else f"{count} {name}s"


def format_relative_time(then_ms: int, now_ms: int, zone: str | None) -> str:
    """A time relative to now as text: ``just now``, ``5 minutes ago``, ``yesterday``.

    Times are milliseconds since 1970. Under 12 hours, or within the same local day, it has the
    largest unit, then local days up to 30, beyond that the local date ``2026-11-21``. ``zone`` is a
    zone name; None is the process's own local time.
    """
    distance = abs(then_ms - now_ms)
    if distance < 30 * SECOND:
        return "just now"
    if distance < 12 * HOUR:
        return _ago(*_two_largest(distance)[0], past=then_ms < now_ms)
    then_day, date = _local_day(then_ms, zone)
    days = then_day - _local_day(now_ms, zone)[0]
    if days == 0:
        return _ago(distance // HOUR, "hour", past=then_ms < now_ms)
    if abs(days) == 1:
        return "yesterday" if days < 0 else "tomorrow"
    return _ago(abs(days), "day", past=days < 0) if abs(days) <= 30 else date


def _ago(count: int, name: str, *, past: bool) -> str:
    return f"{_plural(count, name)} ago" if past else f"in {_plural(count, name)}"


def _local_day(ms: int, zone: str | None) -> tuple[int, str]:
    """Number of the local calendar day, and the day as ``2026-11-21``."""
    import datetime  # noqa: PLC0415  # 1.5 ms, only for instants further than 12 hours

    from gitmem.clock import zones  # noqa: PLC0415

    moment = zones.to_local_datetime(
        ms, zones.load_time_zone(zone) if zone is not None else datetime.UTC
    )
    if zone is None:
        moment = moment.astimezone()
    return moment.toordinal(), moment.date().isoformat()


def parse_duration(text: str) -> int:
    """The milliseconds of a duration such as ``90s``, ``1h30m``, ``2 days`` or ``3600``.

    A plain number is seconds. Units must fall in size and appear once. Raises InvalidInput.
    """
    import re  # noqa: PLC0415  # 6 ms, only when a length is read

    words = text.strip().lower()
    if words.isascii() and words.isdigit() and len(words) <= 12:
        return _bounded(int(words) * SECOND, text)
    parts = re.compile(r"([0-9]{1,12})\s*([a-z]+)\s*")
    total, last, at = 0, WEEK + 1, 0
    while (part := parts.match(words, at)) and len(words) <= 64:
        size = UNITS.get(part[2], 0)
        if not 0 < size < last:
            break
        total, last, at = total + int(part[1]) * size, size, part.end()
    if at == 0 or at != len(words):
        raise InvalidInput(f"{text[:60]!r} is not a duration.", _HINT)
    return _bounded(total, text)


def _bounded(ms: int, text: str) -> int:
    if ms > _LONGEST:
        raise InvalidInput(f"{text[:60]!r} is longer than ten thousand years.", _HINT)
    return ms
