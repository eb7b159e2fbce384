"""Reading the wall clock, which only this package does.

All other code receives a ``Clock`` or a number of milliseconds since 1970 in UTC, so that results
are reproducible. This module is cheap to import: no ``datetime``, ``zoneinfo`` or ``typing`` until
a function needs them.
"""

from __future__ import annotations

import time

from gitmem.errors import InvalidInput

TYPE_CHECKING = False  # importing typing costs 10 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

# Lengths of time in milliseconds.
SECOND = 1000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
WEEK = 7 * DAY
# First and last representable millisecond: 0001-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z.
MIN_MS = -62_135_596_800_000
MAX_MS = 253_402_300_799_999
_CYCLE_SECONDS = 12_622_780_800  # 400 Gregorian years repeat exactly


class Clock(Protocol):
    """An object that returns the present time."""

    def now(self) -> int:
        """The present time in milliseconds since 1970-01-01T00:00:00Z."""


class SystemClock:
    """The machine's wall clock."""

    __slots__ = ()

    def now(self) -> int:
        """The present time in milliseconds since 1970-01-01T00:00:00Z."""
        return time.time_ns() // 1_000_000


class FixedClock:
    """A clock that moves only when told to, for tests and reproducible runs; ``ms`` is its time."""

    __slots__ = ("_ms",)

    def __init__(self, ms: int) -> None:
        self._ms = ms

    def now(self) -> int:
        """The time to which the clock was set, in milliseconds since 1970."""
        return self._ms

    def advance(self, ms: int) -> None:
        """Move the clock forward by ``ms`` milliseconds, or back with a negative number."""
        self._ms += ms


def clamp_to_supported_years(ms: int) -> int:
    """The nearest time, in milliseconds since 1970, within the years 1 to 9999."""
    return min(max(ms, MIN_MS), MAX_MS)


def format_iso(ms: int) -> str:
    """A time (milliseconds since 1970) in ISO 8601 UTC, to the second: ``2026-11-21T08:03:42Z``.

    Clamped to the years 1 to 9999.
    """
    seconds = clamp_to_supported_years(ms) // 1000
    # gmtime refuses negative numbers on Windows: move by whole 400-year cycles instead.
    cycles = 5 if seconds < 0 else 0
    t = time.gmtime(seconds + cycles * _CYCLE_SECONDS)
    return (
        f"{t.tm_year - 400 * cycles:04d}-{t.tm_mon:02d}-{t.tm_mday:02d}"
        f"T{t.tm_hour:02d}:{t.tm_min:02d}:{t.tm_sec:02d}Z"
    )


def parse_iso(text: str) -> int:
    """The milliseconds since 1970 of an ISO 8601 date or date-time; without an offset in UTC.

    Raises InvalidInput for any other text.
    """
    import datetime  # noqa: PLC0415  # 1.5 ms, only needed here

    try:
        moment = datetime.datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=datetime.UTC)
        elapsed = moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            f"{text[:80]!r} is not an ISO 8601 date.", "Write it like 2026-11-21T08:03:42Z."
        ) from error
    return clamp_to_supported_years(elapsed // datetime.timedelta(milliseconds=1))
