"""Lengths of time written and read (CF-31)."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.clock import DAY, HOUR, MINUTE, SECOND, WEEK, parse_iso
from gitmem.clock import durations as d
from gitmem.errors import InvalidInput
from tests.support.tables import table

NOW = parse_iso("2026-11-21T08:00:00Z")
LENGTHS = st.integers(0, 4000 * DAY)


@table(
    ("ms", "text"),
    [
        (3 * HOUR + 42 * MINUTE + 59_999, "3 hours 42 minutes"),
        (0, "0 seconds"),
        (999, "0 seconds"),
        (1000, "1 second"),
        (MINUTE + 1000, "1 minute 1 second"),
        (DAY + 5 * MINUTE, "1 day"),
        (400 * DAY + HOUR, "400 days 1 hour"),
        (-2 * HOUR, "2 hours"),
    ],
)
def test_a_length_shows_its_two_largest_units(ms: int, text: str) -> None:
    assert d.format_duration(ms) == text


@given(LENGTHS)
def test_a_length_reads_back_and_loses_less_than_its_smallest_unit(ms: int) -> None:
    lost = ms - d.parse_duration(d.format_duration(ms))
    bound = next((b for a, b in ((DAY, HOUR), (HOUR, MINUTE)) if ms >= a), SECOND)
    assert 0 <= lost < bound


@table(
    ("then", "text"),
    [
        (NOW, "just now"),
        (NOW - 29_999, "just now"),
        (NOW + 29_999, "just now"),
        (NOW - 30_000, "30 seconds ago"),
        (NOW - 5 * MINUTE, "5 minutes ago"),
        (NOW + 2 * HOUR, "in 2 hours"),
        (NOW - HOUR, "1 hour ago"),
        (NOW - 11 * HOUR, "11 hours ago"),
        (NOW - 12 * HOUR, "yesterday"),
        (NOW + 13 * HOUR, "in 13 hours"),
        (NOW + 17 * HOUR, "tomorrow"),
        (NOW - 3 * DAY, "3 days ago"),
        (NOW + 30 * DAY, "in 30 days"),
        (NOW - 31 * DAY, "2026-10-21"),
        (-(10**18), "0002-01-02"),
    ],
)
def test_a_moment_is_reported_relative_to_now(then: int, text: str) -> None:
    assert d.format_relative_time(then, NOW, "UTC") == text


def test_yesterday_is_the_calendar_day_of_the_zone_and_not_24_hours() -> None:
    then = NOW - 15 * HOUR  # 17:00Z the day before: 02:00 of the same day in Tokyo
    assert d.format_relative_time(then, NOW, "UTC") == "yesterday"
    assert d.format_relative_time(then, NOW, "Asia/Tokyo") == "15 hours ago"


def test_without_a_zone_the_process_local_time_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert d.format_relative_time(NOW - 15 * HOUR, NOW, None) == "15 hours ago"
    finally:
        monkeypatch.undo()
        time.tzset()


@given(st.integers(-(10**16), 10**16), st.sampled_from(["UTC", "Asia/Tokyo", "America/St_Johns"]))
def test_every_distance_has_one_of_the_known_forms(then: int, zone: str) -> None:
    text = d.format_relative_time(then, NOW, zone)
    form = (
        r"just now|yesterday|tomorrow|\d{4}-\d\d-\d\d|(in )?\d+ (second|minute|hour|day)s?( ago)?"
    )
    assert re.fullmatch(form, text)


@table(
    ("text", "ms"),
    [
        ("90s", 90_000),
        ("15m", 15 * MINUTE),
        ("2h", 2 * HOUR),
        ("7d", 7 * DAY),
        ("4w", 4 * WEEK),
        ("1h30m", 90 * MINUTE),
        (" 1 Hour 30 Minutes ", 90 * MINUTE),
        ("3600", HOUR),
        ("0", 0),
    ],
)
def test_a_length_is_read(text: str, ms: int) -> None:
    assert d.parse_duration(text) == ms


@table(
    "text",
    ["", "-5m", "m", "1h1h", "5m2h", "1.5h", "3 fortnights", "1h 30", "٣h", "9" * 12 + "w"],
)
def test_what_is_no_length_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        d.parse_duration(text)
    assert "1h30m" in caught.value.hint


@given(st.text(max_size=80))
def test_any_text_is_a_length_or_refused(text: str) -> None:
    with contextlib.suppress(InvalidInput):
        assert d.parse_duration(text) >= 0
