"""One moment in all its forms, also on days that are not 24 hours long (CF-29)."""

from __future__ import annotations

import datetime as dt
import zoneinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.clock import DAY, HOUR, format_iso, parse_iso
from gitmem.clock.time_report import describe_moment
from gitmem.errors import InvalidInput
from tests.support.tables import table

NOW = parse_iso("2026-11-21T08:03:42Z")
ZONES = (
    *("UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Beirut", "America/Havana", "Asia/Kolkata"),
    *("America/St_Johns", "Australia/Lord_Howe", "Africa/Cairo", "Asia/Tehran", "America/Toronto"),
)
# 1970 to 2037: before and after that some zones moved by whole days or by minutes of local time.
MOMENTS = st.integers(0, 2_145_000_000_000)


def test_a_moment_is_reported_in_every_form() -> None:
    a = describe_moment(NOW, "Europe/Berlin", other_zones=("Asia/Tokyo", "America/New_York"))
    assert (a.epoch_ms, a.iso, a.utc_offset) == (NOW, "2026-11-21T09:03:42+01:00", "+01:00")
    assert (a.timezone, a.time_of_day) == ("Europe/Berlin", "morning")
    assert (a.long_date, a.short_date) == ("Saturday, 21 November 2026", "2026-11-21")
    assert (a.weekday, a.weekend, a.iso_week) == ("Saturday", True, "2026-W47")
    assert format_iso(a.start_of_day) == "2026-11-20T23:00:00Z"
    assert (a.end_of_day, a.yesterday) == (a.start_of_day + DAY, a.start_of_day - DAY)
    assert a.tomorrow == a.end_of_day
    assert format_iso(a.start_of_week) == "2026-11-15T23:00:00Z"
    assert a.end_of_week == a.next_week == a.start_of_week + 7 * DAY
    assert [(w.timezone, w.iso, w.time_of_day) for w in a.world] == [
        ("Asia/Tokyo", "2026-11-21T17:03:42+09:00", "evening"),
        ("America/New_York", "2026-11-21T03:03:42-05:00", "night"),
    ]


@table(
    ("hour", "name"),
    [(0, "night"), (4, "night"), (5, "morning"), (12, "afternoon"), (17, "evening"), (22, "night")],
)
def test_the_hour_has_a_name(hour: int, name: str) -> None:
    assert describe_moment(hour * HOUR, "UTC").time_of_day == name


def test_the_iso_week_belongs_to_the_iso_year() -> None:
    assert describe_moment(parse_iso("2027-01-01"), "UTC").iso_week == "2026-W53"


def test_a_negative_offset_with_minutes_keeps_its_sign() -> None:
    assert describe_moment(NOW, "America/St_Johns").utc_offset == "-03:30"


@table(
    ("zone", "date", "start", "hours"),
    [
        ("Europe/Berlin", "2026-03-29T12:00Z", "2026-03-28T23:00:00Z", 23),
        ("Europe/Berlin", "2026-10-25T12:00Z", "2026-10-24T22:00:00Z", 25),
        ("America/Sao_Paulo", "2018-11-04T12:00Z", "2018-11-04T03:00:00Z", 23),
        ("Asia/Beirut", "2022-03-27T12:00Z", "2022-03-26T22:00:00Z", 23),
        ("America/Havana", "2024-11-03T12:00Z", "2024-11-03T04:00:00Z", 25),
        ("America/Toronto", "1919-03-31T12:00Z", "1919-03-31T04:30:00Z", 23.5),
    ],
)
def test_a_day_begins_at_its_first_instant_where_midnight_is_odd(
    zone: str, date: str, start: str, hours: float
) -> None:
    a = describe_moment(parse_iso(date), zone)
    assert format_iso(a.start_of_day) == start
    assert (a.end_of_day - a.start_of_day) / HOUR == hours


def test_a_day_ends_at_its_last_instant_where_midnight_is_lived_twice() -> None:
    """Clocks go back to midnight in Havana and the Azores, and over it elsewhere."""
    for zone, day, end in (
        ("America/Havana", "2024-11-02", "2024-11-03T04:00:00Z"),
        ("Atlantic/Azores", "2024-10-26", "2024-10-27T00:00:00Z"),
        ("America/Sao_Paulo", "2018-02-17", "2018-02-18T03:00:00Z"),
        ("America/St_Johns", "2010-11-06", "2010-11-07T03:30:00Z"),
        ("Asia/Beirut", "2024-10-26", "2024-10-26T22:00:00Z"),
    ):
        a = describe_moment(parse_iso(f"{day}T12:00Z"), zone)
        assert (zone, format_iso(a.end_of_day)) == (zone, end)
        last, after = (
            describe_moment(ms, zone).short_date for ms in (a.end_of_day - 1, a.end_of_day)
        )
        assert last == day < after, zone


@given(MOMENTS, st.sampled_from(ZONES))
def test_every_moment_lies_in_its_day_and_week(now: int, zone: str) -> None:
    a = describe_moment(now, zone)
    assert a.start_of_day <= now < a.end_of_day
    assert 23 * HOUR <= a.end_of_day - a.start_of_day <= 25 * HOUR
    assert a.start_of_week <= a.start_of_day < a.end_of_day <= a.end_of_week
    assert a.yesterday < a.start_of_day < a.tomorrow <= a.end_of_day
    assert a.start_of_week < a.next_week <= a.end_of_week


@given(MOMENTS, st.sampled_from(ZONES))
def test_a_day_starts_where_the_date_changes(now: int, zone: str) -> None:
    start = dt.datetime.fromtimestamp(describe_moment(now, zone).start_of_day / 1000, dt.UTC)
    place = zoneinfo.ZoneInfo(zone)
    before = start - dt.timedelta(seconds=1)
    assert start.astimezone(place).date() > before.astimezone(place).date()


@table("now", [-(10**18), 10**18])
@table("zone", ["UTC", "Pacific/Kiritimati", "America/Adak"])
def test_a_moment_out_of_range_is_clamped(now: int, zone: str) -> None:
    a = describe_moment(now, zone)
    assert a.start_of_week <= a.epoch_ms < a.end_of_week


@table(
    ("name", "hint"),
    [
        ("Europe/Berln", "Europe/Berlin"),
        ("berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("", "zone database"),
        ("../secret", "zone database"),
        ("x" * 5000, "zone database"),
    ],
)
def test_an_unknown_zone_is_refused_with_close_names(name: str, hint: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        describe_moment(NOW, name)
    assert hint in caught.value.hint
