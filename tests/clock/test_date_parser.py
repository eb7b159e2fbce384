"""Date expressions (CF-30), read on Saturday 2026-11-21 at 09:03:42 in Berlin."""

from __future__ import annotations

import contextlib
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.clock import DAY, MAX_MS, MIN_MS, format_iso, parse_iso
from gitmem.clock.date_parser import resolve_date
from gitmem.errors import InvalidInput
from tests.support.tables import table

NOW = parse_iso("2026-11-21T08:03:42Z")
ZONE = "Europe/Berlin"


def read(text: str) -> str:
    return format_iso(resolve_date(text, now_ms=NOW, zone=ZONE))


@table(
    ("text", "when"),
    [
        ("now", "2026-11-21T08:03:42Z"),
        ("today", "2026-11-20T23:00:00Z"),
        ("  Since   YESTERDAY ", "2026-11-19T23:00:00Z"),
        ("tomorrow", "2026-11-21T23:00:00Z"),
        ("start of day", "2026-11-20T23:00:00Z"),
        ("end of day", "2026-11-21T22:59:59Z"),
        ("end of today", "2026-11-21T22:59:59Z"),
        ("start of week", "2026-11-15T23:00:00Z"),
        ("end of the week", "2026-11-22T22:59:59Z"),
        ("start of next week", "2026-11-22T23:00:00Z"),
        ("start of last week", "2026-11-08T23:00:00Z"),
        ("last week", "2026-11-08T23:00:00Z"),
        ("end of last week", "2026-11-15T22:59:59Z"),
        ("start of month", "2026-10-31T23:00:00Z"),
        ("end of month", "2026-11-30T22:59:59Z"),
        ("start of next month", "2026-11-30T23:00:00Z"),
        ("last month", "2026-09-30T22:00:00Z"),
        ("start of year", "2025-12-31T23:00:00Z"),
        ("end of year", "2026-12-31T22:59:59Z"),
        ("last year", "2024-12-31T23:00:00Z"),
    ],
)
def test_words_name_the_edges_of_calendar_periods(text: str, when: str) -> None:
    assert read(text) == when


@table(
    ("text", "when"),
    [
        ("friday", "2026-11-19T23:00:00Z"),
        ("saturday", "2026-11-20T23:00:00Z"),
        ("sun", "2026-11-14T23:00:00Z"),
        ("last saturday", "2026-11-13T23:00:00Z"),
        ("last Monday", "2026-11-15T23:00:00Z"),
        ("next friday", "2026-11-26T23:00:00Z"),
        ("next saturday", "2026-11-27T23:00:00Z"),
        ("last tues", "2026-11-16T23:00:00Z"),
        ("noon", "2026-11-21T11:00:00Z"),
        ("midnight", "2026-11-20T23:00:00Z"),
        ("14:30", "2026-11-21T13:30:00Z"),
        ("yesterday noon", "2026-11-20T11:00:00Z"),
        ("yesterday at 8:00", "2026-11-20T07:00:00Z"),
        ("last monday at 08:00:01", "2026-11-16T07:00:01Z"),
    ],
)
def test_weekdays_and_times_of_day(text: str, when: str) -> None:
    assert read(text) == when


@table(
    ("text", "when"),
    [
        ("2026-07-01", "2026-06-30T22:00:00Z"),
        ("2026-07", "2026-06-30T22:00:00Z"),
        ("2026-W47", "2026-11-15T23:00:00Z"),
        ("2026-07-01T12:00", "2026-07-01T10:00:00Z"),
        ("2026-07-01 12:00:05", "2026-07-01T10:00:05Z"),
        ("2026-07-01T12:00:00Z", "2026-07-01T12:00:00Z"),
        ("2026-07-01t12:00:00z", "2026-07-01T12:00:00Z"),
        ("2026-07-01 12:00:00 +0200", "2026-07-01T10:00:00Z"),
        ("2026-07-01T12:00:00-05:00", "2026-07-01T17:00:00Z"),
        ("2026-03-29T02:30", "2026-03-29T01:00:00Z"),  # skipped by the clocks: the jump itself
        ("1700000000", "2023-11-14T22:13:20Z"),
        ("1700000000999", "2023-11-14T22:13:20Z"),
    ],
)
def test_iso_dates_and_epochs(text: str, when: str) -> None:
    assert read(text) == when


@table(
    ("text", "when"),
    [
        ("3 days ago", "2026-11-18T08:03:42Z"),
        ("2 weeks ago", "2026-11-07T08:03:42Z"),
        ("a week ago", "2026-11-14T08:03:42Z"),
        ("an hour ago", "2026-11-21T07:03:42Z"),
        ("in 2 hours", "2026-11-21T10:03:42Z"),
        ("2 hours from now", "2026-11-21T10:03:42Z"),
        ("7d", "2026-11-14T08:03:42Z"),
        ("90m", "2026-11-21T06:33:42Z"),
        ("1h30m ago", "2026-11-21T06:33:42Z"),
        ("last 7 days", "2026-11-14T08:03:42Z"),
        ("1 month ago", "2026-10-21T07:03:42Z"),
        ("in 3 months", "2027-02-21T08:03:42Z"),
        ("a year ago", "2025-11-21T08:03:42Z"),
    ],
)
def test_distances_from_now(text: str, when: str) -> None:
    assert read(text) == when


def test_a_month_earlier_than_the_31st_is_the_last_day_of_a_shorter_month() -> None:
    now = parse_iso("2026-03-31T12:00:00Z")
    assert format_iso(resolve_date("1 month ago", now_ms=now, zone="UTC")) == "2026-02-28T12:00:00Z"
    assert (
        format_iso(resolve_date("in 11 months", now_ms=now, zone="UTC")) == "2027-02-28T12:00:00Z"
    )


@table("text", ["v1.2", "since V1.2-rc", "20261121", "1234567d", "a" * 40, "8.0"])
def test_what_the_calendar_does_not_know_is_offered_to_the_repository(text: str) -> None:
    query: list[str] = []

    def revision(name: str) -> int:
        query.append(name)
        return NOW - DAY

    assert resolve_date(text, now_ms=NOW, zone=ZONE, find_revision_ms=revision) == NOW - DAY
    assert query == [text.removeprefix("since ")]


def test_the_last_release_is_asked_for() -> None:
    found = resolve_date(
        "since last release", now_ms=NOW, zone=ZONE, find_last_release_ms=lambda: NOW - 5
    )
    assert found == NOW - 5


def test_without_a_release_the_answer_says_so() -> None:
    with pytest.raises(InvalidInput, match="no tag that marks a release"):
        resolve_date("last release", now_ms=NOW, zone=ZONE, find_last_release_ms=lambda: None)


@table(
    "text",
    [
        "",
        "   ",
        "since ",
        "soonish",
        "2026-02-30",
        "2026-W60",
        "25:00",
        "99999 years ago",
        "a" * 201,
    ],
)
def test_the_unknown_is_refused_by_name_with_examples(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        resolve_date(text, now_ms=NOW, zone=ZONE, find_revision_ms=lambda _: None)
    assert text[:80] in caught.value.message
    assert "3 days ago" in caught.value.hint


WORDS = st.sampled_from(
    [
        *("since", "start", "of", "next", "last", "week", "3", "days", "ago", "in", "monday"),
        *("at", "12:00", "2026-11-21", "a", "99999", "w", "year", "+0100", "7d", "noon"),
        *("9999-12-31", "0001-01-01", "months", "years", "end"),
    ]
)
TEXTS = st.lists(WORDS, max_size=5).map(" ".join) | st.text(string.printable, max_size=60)


@given(TEXTS, st.integers(MIN_MS, MAX_MS), st.sampled_from(["UTC", ZONE, "America/Havana"]))
def test_any_text_is_a_moment_in_range_or_refused(text: str, now: int, zone: str) -> None:
    with contextlib.suppress(InvalidInput):
        assert MIN_MS <= resolve_date(text, now_ms=now, zone=zone) <= MAX_MS
