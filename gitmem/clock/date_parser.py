"""Parsing date expressions: "yesterday", "3 days ago", "next friday", "last release".

Calendar words are tried first, then revisions (a tag, a branch, a commit), through a function of
the caller, so that this module never touches git. Lengths up to weeks are exact (3 days = 72
hours); months and years follow the calendar.
"""

from __future__ import annotations

import datetime as dt
import re

from gitmem.clock import clamp_to_supported_years, durations, zones
from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 200
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY_WORD = r"(mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_CLOCK_WORD = r"(noon|midnight|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)"
_UNIT_WORD = r"(months?|years?|mo|yrs?|y|[a-z]+)"
_HINT = (
    "Try now, today, yesterday, start of week, last monday, 3 days ago, 7d, 2026-11-21, "
    "last release, a tag or a commit."
)


@dataclass(frozen=True, slots=True)
class _Here:
    """The present and the time zone relative to which an expression is read."""

    now_ms: int
    zone: dt.tzinfo
    today: dt.date


def resolve_date(
    expression: str,
    *,
    now_ms: int,
    zone: str,
    find_revision_ms: Callable[[str], int | None] | None = None,
    find_last_release_ms: Callable[[], int | None] | None = None,
) -> int:
    """The time that a date expression such as ``last friday`` means, in milliseconds since 1970.

    Case does not matter. A day is its first instant, an end the last millisecond; a weekday without
    "next" or "last" is the latest one, today included. A date without an offset is in ``zone``. 10
    to 12 digits are seconds since 1970, 13 or 14 milliseconds. ``find_revision_ms`` returns the
    time of a tag, branch or commit, ``find_last_release_ms`` that of the last release; both None if
    there is none. Raises InvalidInput for an unknown expression.
    """
    words = " ".join(expression.split()) if len(expression) <= LONGEST else ""
    if words.lower().startswith("since "):
        words = words[6:]
    if not words:
        raise _unknown(expression)
    place = zones.load_time_zone(zone)
    here = _Here(now_ms, place, zones.to_local_datetime(now_ms, place).date())
    low = words.lower()
    if low in {"last release", "latest release", "the last release"}:
        return _last_release(find_last_release_ms)
    moment = _calendar(low, here)
    if moment is None and find_revision_ms is not None:
        moment = find_revision_ms(words)
    if moment is None:
        raise _unknown(expression)
    return clamp_to_supported_years(moment)


def _unknown(expression: str) -> InvalidInput:
    return InvalidInput(
        f"{expression[:80]!r} is not a date, tag or commit known in this repository.", _HINT
    )


def _last_release(release: Callable[[], int | None] | None) -> int:
    date = release() if release is not None else None
    if date is None:
        raise InvalidInput(
            "This repository has no tag that marks a release.", "Give a date or a commit instead."
        )
    return clamp_to_supported_years(date)


def _calendar(low: str, here: _Here) -> int | None:
    """The moment of a calendar expression; None for any other."""
    if low == "now":
        return here.now_ms
    try:
        for read in (_edge, _day_and_time, _epoch, _iso, _distance):
            moment = read(low, here)
            if moment is not None:
                return moment
    except (OverflowError, ValueError):  # a date that does not exist, such as 2026-02-30
        return None
    return None


def _edge(low: str, here: _Here) -> int | None:
    """``start of week``, ``end of last month``, ``next year``, ``this week``."""
    match = re.fullmatch(
        r"(?:(start|beginning|end) of )?(?:the )?(?:(next|last|this) )?(day|today|week|month|year)",
        low,
    )
    if match is None or not (match[1] or match[2]):
        return None
    unit = "day" if match[3] == "today" else match[3]
    step = {"next": 1, "last": -1}.get(match[2] or "", 0)
    step += 1 if match[1] == "end" else 0
    last = 1 if match[1] == "end" else 0
    return zones.local_day_start_ms(_period_start(unit, step, here.today), here.zone) - last


def _period_start(unit: str, step: int, today: dt.date) -> dt.date:
    if unit == "day":
        return today + dt.timedelta(days=step)
    if unit == "week":
        return today - dt.timedelta(days=today.weekday()) + dt.timedelta(weeks=step)
    if unit == "month":
        return _months_later(today.replace(day=1), step)
    return dt.date(today.year + step, 1, 1)


def _months_later(day: dt.date, months: int) -> dt.date:
    """The same day of another month, or that month's last day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    following = dt.date(year + (month + 1) // 12, (month + 1) % 12 + 1, 1)
    last = (following - dt.timedelta(days=1)).day
    return dt.date(year, month + 1, min(day.day, last))


def _day_and_time(low: str, here: _Here) -> int | None:
    """``yesterday``, ``last monday``, ``friday at 14:30``, ``noon``."""
    match = re.fullmatch(rf"(.*?)(?:(?:^|\bat | )(?:at )?{_CLOCK_WORD})?", low)
    if match is None or not (match[1] or match[2]):
        return None
    day = _day(match[1].strip() or "today", here.today)
    if day is None:
        return None
    clock = {"noon": "12:00", "midnight": "00:00"}.get(match[2] or "midnight", match[2])
    time = dt.time.fromisoformat(clock if clock[2] == ":" else f"0{clock}")
    return zones.local_time_to_ms(day, time, here.zone)


def _day(low: str, today: dt.date) -> dt.date | None:
    simple = {"today": 0, "yesterday": -1, "tomorrow": 1}.get(low)
    if simple is not None:
        return today + dt.timedelta(days=simple)
    match = re.fullmatch(rf"(?:(next|last) )?{_DAY_WORD}", low)
    if match is None:
        return None
    weekday = _DAYS.index(match[2][:3])
    back = (today.weekday() - weekday) % 7
    if match[1] == "next":
        return today + dt.timedelta(days=7 - back)
    return today - dt.timedelta(days=back or 7 if match[1] == "last" else back)


def _epoch(low: str, _here: _Here) -> int | None:
    if not re.fullmatch(r"[0-9]{10,14}", low):  # longer ones can only be commit names
        return None
    return int(low) if len(low) >= 13 else int(low) * 1000


def _iso(low: str, here: _Here) -> int | None:
    """``2026-11``, ``2026-W47``, ``2026-11-21``, ``2026-11-21 08:03 +0100``."""
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}", low):
        return zones.local_day_start_ms(dt.date.fromisoformat(f"{low}-01"), here.zone)
    if re.fullmatch(r"[0-9]{4}-w[0-9]{2}(-[1-7])?", low):
        return zones.local_day_start_ms(dt.date.fromisoformat(low.upper()), here.zone)
    if not re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[t ]|$)", low):
        return None
    moment = dt.datetime.fromisoformat(re.sub(r" (?=[-+z])", "", low).upper())
    if moment.tzinfo is not None:
        return zones.datetime_to_ms(moment)
    return zones.local_time_to_ms(moment.date(), moment.time(), here.zone)


def _distance(low: str, here: _Here) -> int | None:
    """``3 days ago``, ``in 2 hours``, ``a week from now``, ``last 7 days``, ``90m``."""
    amount, sign = low, -1
    if low.startswith("in ") or low.endswith(" from now"):
        amount, sign = low.removeprefix("in ").removesuffix(" from now"), 1
    else:
        amount = re.sub(r"^(the )?(last|past) (?=[0-9])", "", low.removesuffix(" ago"))
    amount = re.sub(r"^an? ", "1 ", amount)
    match = re.fullmatch(rf"([0-9]{{1,5}}) ?{_UNIT_WORD}", amount)
    if match and (months := _months(match[2])):
        day = _months_later(here.today, sign * months * int(match[1]))
        return zones.local_time_to_ms(
            day, zones.to_local_datetime(here.now_ms, here.zone).time(), here.zone
        )
    # Bare digits and long numbers ("1234567d") are commit ids, not lengths.
    if not re.search(r"[a-z]", amount) or re.search(r"[0-9]{6}", amount):
        return None
    try:
        return here.now_ms + sign * durations.parse_duration(amount)
    except InvalidInput:
        return None


def _months(unit: str) -> int:
    if unit in {"mo", "month", "months"}:
        return 1
    return 12 if unit in {"y", "yr", "yrs", "year", "years"} else 0
