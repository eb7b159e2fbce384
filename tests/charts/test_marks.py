"""The timeline's rows: bounded, and nothing is lost without being counted."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gitmem.charts import marks
from gitmem.charts.marks import TimelineMark, TimelineRow

times = st.lists(st.integers(-50, 10_050), max_size=400)


@given(times, st.integers(1, 200))
def test_stretches_count_every_event_of_the_period_once(at: list[int], most: int) -> None:
    made = marks.marks_by_interval(at, 0, 10_000, most)
    assert len(made) <= most
    assert sum(mark.count for mark in made) == sum(0 <= time <= 10_000 for time in at)
    ends = [(mark.at, mark.end or 0) for mark in made]
    assert all(start <= end for start, end in ends)
    assert all(end < start for (_, end), (start, _) in pairwise(ends))


def test_a_period_of_a_moment_has_one_stretch() -> None:
    assert marks.marks_by_interval([5, 5], 5, 5, 9) == [TimelineMark(5, "", "", 5, 2)]


def test_a_row_says_how_many_events_have_no_mark() -> None:
    row = TimelineRow("commits", [TimelineMark(1, "a"), TimelineMark(2, "", count=3)], total=9)
    assert row.unmarked_event_count == 5
    assert TimelineRow("commits", [TimelineMark(1, "a")], total=1).unmarked_event_count == 0


def test_the_picture_has_short_texts_on_one_line() -> None:
    hostile = "<b>\n\u202e" + "x" * 100_000
    picture = marks.timeline_chart(
        [TimelineRow("memories", [TimelineMark(3, hostile, "/m")], 1)], 0, 9
    )
    assert picture["kind"] == "timeline"
    (row,) = picture["rows"]  # type: ignore[misc]
    ((at, end, count, text, href),) = row["marks"]
    assert (at, end, count, href) == (3, None, 1, "/m")
    assert len(text) == 80 and text.startswith("<b> x") and "\u202e" not in text
