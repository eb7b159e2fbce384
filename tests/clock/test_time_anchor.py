"""CF-29: the seventeen keys of Context Fabric's time anchor, in its shapes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.clock import DAY, HOUR, parse_iso, zones
from gitmem.clock.time_anchor import TimeAnchor, make_time_anchor
from gitmem.clock.time_report import describe_moment
from gitmem.operations.registry import as_json_values
from tests.clock.test_time_report import MOMENTS, ZONES

KEYS = (
    *("epochMs", "iso", "timezone", "utcOffset", "timeOfDay", "date", "dateShort", "dayOfWeek"),
    *("isWeekend", "weekNumber", "startOfDay", "endOfDay", "startOfNextDay", "startOfYesterday"),
    *("startOfWeek", "endOfWeek", "startOfNextWeek"),
)


def observed(when: str, zone: str) -> TimeAnchor:
    at = parse_iso(when)
    assert at is not None
    return make_time_anchor(describe_moment(at, zone))


def test_the_example_of_its_own_document_comes_out_to_the_letter() -> None:
    """2:30 PM on Wednesday, 25 February 2026, in New York."""
    text = as_json_values(observed("2026-02-25T19:30:00Z", "America/New_York"))
    assert tuple(text) == KEYS
    assert text["epochMs"] == 1_772_047_800_000
    texts = ("iso", "timezone", "utcOffset", "timeOfDay", "date", "dateShort", "dayOfWeek")
    assert [text[key] for key in texts] == [
        "2026-02-25T14:30:00.000-05:00",
        "America/New_York",
        "-05:00",
        "2:30 PM",
        "Wednesday, February 25, 2026",
        "Feb 25",
        "Wednesday",
    ]
    assert (text["isWeekend"], text["weekNumber"]) == (False, 9)
    midnight = parse_iso("2026-02-25T05:00:00Z")
    assert midnight is not None
    monday = midnight - 2 * DAY
    assert [text[key] for key in KEYS[10:]] == [
        midnight,
        midnight + DAY - 1,
        midnight + DAY,
        midnight - DAY,
        monday,
        monday + 7 * DAY - 1,
        monday + 7 * DAY,
    ]


def test_the_clock_of_twelve_hours_at_its_edges() -> None:
    result = {"00": "12:05 AM", "11": "11:05 AM", "12": "12:05 PM", "13": "1:05 PM"}
    for hour, output in result.items():
        assert observed(f"2026-01-01T{hour}:05:00Z", "UTC").timeOfDay == output


def test_days_and_weeks_that_the_clock_makes_longer_or_shorter() -> None:
    for when, zone, day, week in (
        ("2026-03-29T12:00:00Z", "Europe/Berlin", 23, 167),
        ("2026-10-25T12:00:00Z", "Europe/Berlin", 25, 169),
        ("2017-10-15T12:00:00Z", "America/Sao_Paulo", 23, 167),  # there was no midnight
        ("2018-02-17T12:00:00Z", "America/Sao_Paulo", 25, 169),  # there were two
        ("2026-04-05T00:00:00Z", "Australia/Lord_Howe", 24.5, 168.5),
    ):
        result = observed(when, zone)
        assert result.endOfDay + 1 - result.startOfDay == day * HOUR, (when, zone)
        assert result.endOfWeek + 1 - result.startOfWeek == week * HOUR, (when, zone)


@given(MOMENTS, st.sampled_from(ZONES))
def test_every_moment_lies_in_its_day_and_week(at: int, zone: str) -> None:
    result, place = make_time_anchor(describe_moment(at, zone)), zones.load_time_zone(zone)
    assert result.startOfYesterday < result.startOfDay <= result.epochMs <= result.endOfDay
    assert result.startOfWeek <= result.startOfDay and result.endOfDay <= result.endOfWeek
    assert (
        result.startOfNextDay <= result.endOfDay + 1
        and result.startOfNextWeek <= result.endOfWeek + 1
    )
    assert (
        zones.to_local_datetime(result.endOfDay, place).date()
        == zones.to_local_datetime(at, place).date()
    )
    assert (
        zones.to_local_datetime(result.endOfDay + 1, place).date()
        > zones.to_local_datetime(at, place).date()
    )
    assert zones.to_local_datetime(result.startOfWeek, place).weekday() == 0
