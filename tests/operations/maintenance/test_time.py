"""The time, and what a date expression means in a repository (CF-29, CF-30, CF-31)."""

from __future__ import annotations

import pytest

from gitmem.errors import InvalidInput
from gitmem.operations.registry import as_json_values
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder


def test_now_is_reported_in_every_form(bare_desk: Desk) -> None:
    text = as_json_values(bare_desk.run("time", tz="Europe/Berlin", also=("Asia/Tokyo",)))
    assert text["utc"] == "2026-11-21T08:03:42Z"
    assert text["local"].startswith("2026-11-21T09:03:42")
    assert (text["utc_offset"], text["weekday"], text["weekend"]) == ("+01:00", "Saturday", True)
    assert (text["iso_week"], text["epoch"]) == ("2026-W47", 1795248222)
    assert text["start_of_day"] == "2026-11-20T23:00:00Z"
    assert text["also"][0]["timezone"] == "Asia/Tokyo"
    assert text["seconds_from_now"] == 0
    assert text["anchor"]["iso"] == "2026-11-21T09:03:42.000+01:00"
    assert text["anchor"]["epochMs"] == text["epoch"] * 1000
    assert len(text["anchor"]) == 17


def test_the_time_zone_of_the_project_counts(desk: Desk) -> None:
    del desk.env["GITMEM_TIMEZONE"]
    desk.run("config", key="timezone", value="Asia/Tokyo")
    assert desk.run("time").timezone == "Asia/Tokyo"


def test_an_end_is_the_last_millisecond(bare_desk: Desk) -> None:
    """CF-30: of the day and of the week, as the anchor has it, and still on that day."""
    desk = bare_desk
    now = desk.run("time").anchor
    day, week = (desk.run("time", expression=f"end of {unit}").anchor for unit in ("day", "week"))
    assert (day.epochMs, week.epochMs) == (now.endOfDay, now.endOfWeek)
    assert (day.date, day.endOfDay) == (now.date, now.endOfDay)
    assert week.dayOfWeek == "Sunday"
    start = desk.run("time", expression="start of next week").anchor
    assert start.epochMs == now.startOfNextWeek == week.epochMs + 1


def test_tags_commits_and_releases_are_moments(bare_desk: Desk, repo: RepoBuilder) -> None:
    repo.git("tag", "v1.0", "HEAD~1")
    for name in ("v1.0", "last release", "since v1.0", "HEAD~1", repo.git("rev-parse", "HEAD~1")):
        assert bare_desk.run("time", expression=name).utc == "2024-01-01T00:02:00Z", name


def test_it_works_outside_a_repository(bare_desk: Desk) -> None:
    nowhere = bare_desk.at(bare_desk.home)
    assert nowhere.run("time", expression="yesterday").utc == "2026-11-20T00:00:00Z"
    for expression in ("v1.0", "last release"):
        with pytest.raises(InvalidInput):
            nowhere.run("time", expression=expression)


@pytest.mark.parametrize(
    "values", [{"expression": "whenever"}, {"tz": "Mars/Olympus"}, {"also": ("Mars",)}]
)
def test_what_nobody_knows_is_refused(bare_desk: Desk, values: dict[str, object]) -> None:
    with pytest.raises(InvalidInput) as refused:
        bare_desk.run("time", **values)
    assert refused.value.hint


def test_orient_and_timeline_show_times_in_the_zone_asked_for(desk: Desk) -> None:
    """The argument before the setting; another call has its own again."""
    assert "09:03 UTC" not in desk.text("orient")
    assert "08:03 UTC" in desk.text("orient")
    assert "Sat 2026-11-21 17:03 Asia/Tokyo (+09:00)" in desk.text("orient", timezone="Asia/Tokyo")
    assert "08:03 UTC" in desk.text("orient")
    desk.run("remember", text="Seen from both sides of midnight")
    here = desk.run("timeline", only=("memories",)).entries[-1]
    assert (here.at, here.local) == ("2026-11-21T08:03:42Z", "")
    there = desk.run("timeline", only=("memories",), timezone="Pacific/Kiritimati").entries[-1]
    assert (there.at, there.local) == (here.at, "2026-11-21T22:03:42+14:00")
    output = desk.text("timeline", only=("memories",), timezone="Pacific/Honolulu").splitlines()
    assert output[0] == "2026-11-20" and output[1].startswith("  22:03 ")


def test_a_zone_that_does_not_exist_is_a_sentence_with_the_nearest(desk: Desk) -> None:
    for verb in ("orient", "timeline"):
        with pytest.raises(InvalidInput, match="no time zone called 'Berlin'") as refused:
            desk.run(verb, timezone="Berlin")
        assert "Europe/Berlin" in refused.value.hint
