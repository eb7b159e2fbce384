"""The only place that asks what time it is.

Everything else receives a ``Clock`` or a number of milliseconds since 1970 in UTC, so that every
result can be repeated. This module stays almost free to import: no ``datetime``, no ``zoneinfo``,
no ``typing`` until a function needs them.
"""

from __future__ import annotations

import os
import time

from gitmem.errors import InvalidInput

TYPE_CHECKING = False  # importing typing costs 10 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

# First and last representable millisecond: 0001-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z.
MIN_MS = -62_135_596_800_000
MAX_MS = 253_402_300_799_999
_CYCLE_SECONDS = 12_622_780_800  # 400 Gregorian years repeat exactly


class Clock(Protocol):
    """Anything that tells the present."""

    def now(self) -> int:
        """Milliseconds since 1970-01-01T00:00:00Z."""


class SystemClock:
    """The machine's wall clock."""

    __slots__ = ()

    def now(self) -> int:
        """Milliseconds since 1970-01-01T00:00:00Z."""
        return time.time_ns() // 1_000_000


class FixedClock:
    """A clock that stands still until it is told to move; for tests and repeatable runs."""

    __slots__ = ("_ms",)

    def __init__(self, ms: int) -> None:
        self._ms = ms

    def now(self) -> int:
        """The milliseconds it was set to."""
        return self._ms

    def advance(self, ms: int) -> None:
        """Move forward (or back, with a negative number)."""
        self._ms += ms


def clamp(ms: int) -> int:
    """The nearest millisecond whose year is 1 to 9999 (commits can carry any number)."""
    return min(max(ms, MIN_MS), MAX_MS)


def iso(ms: int) -> str:
    """UTC, second precision, truncated: ``2026-11-21T08:03:42Z``. Clamped to years 1 to 9999."""
    seconds = clamp(ms) // 1000
    # gmtime refuses negative numbers on Windows: move by whole 400-year cycles instead.
    cycles = 5 if seconds < 0 else 0
    t = time.gmtime(seconds + cycles * _CYCLE_SECONDS)
    return (
        f"{t.tm_year - 400 * cycles:04d}-{t.tm_mon:02d}-{t.tm_mday:02d}"
        f"T{t.tm_hour:02d}:{t.tm_min:02d}:{t.tm_sec:02d}Z"
    )


def parse_iso(text: str) -> int:
    """Milliseconds of an ISO 8601 date or date-time; without an offset it is UTC.

    Raises InvalidInput when the text is no such date.
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
    return clamp(elapsed // datetime.timedelta(milliseconds=1))


def local_zone_name(environment_tz: str | None, *, etc: str = "/etc") -> str:
    """Name of the local time zone, for example ``Europe/Berlin``; ``UTC`` when nobody says.

    Asked in this order: the TZ variable (given by the caller, who may read the environment), the
    link ``/etc/localtime``, the file ``/etc/timezone``. A name the zone database lacks is skipped.
    """
    for candidate in (environment_tz or "", _linked_zone(etc), _written_zone(etc)):
        name = _zone_part(candidate)
        if name == "UTC" or (name and _exists(name)):
            return name
    return "UTC"


def _linked_zone(etc: str) -> str:
    try:
        return os.path.realpath(f"{etc}/localtime", strict=True)
    except OSError:
        return ""


def _written_zone(etc: str) -> str:
    try:
        with open(f"{etc}/timezone", encoding="utf-8", errors="replace") as file:
            return file.read(200).strip()
    except OSError:
        return ""


def _zone_part(text: str) -> str:
    """The zone's name in a TZ value or in a path of the zone database."""
    name = text.strip().removeprefix(":")
    if name.startswith("/"):
        _, found, name = name.partition("zoneinfo/")
        if not found:
            return ""
    name = name.removeprefix("posix/").removeprefix("right/")
    return "UTC" if name in {"Etc/UTC", "Etc/UCT", "UCT", "Zulu", "Etc/Zulu", "UTC0"} else name


def _exists(name: str) -> bool:
    from gitmem.clock.zones import find  # noqa: PLC0415  # zoneinfo costs 5 ms

    return find(name) is not None
