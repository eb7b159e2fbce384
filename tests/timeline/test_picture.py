"""The timeline as a picture: rows over one axis, sessions as spans, as wide as the terminal."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from gitmem.clock import DAY, HOUR, format_iso
from gitmem.text.wrapping import display_width
from gitmem.timeline.picture import draw_timeline

START = 1_767_225_600_000  # 2026-01-01


@dataclass(frozen=True)
class Event:
    """An event of the timeline."""

    at: str
    type: str
    ref: str = "r"
    local: str = ""


def event(hours: float, type: str, ref: str = "r") -> Event:
    return Event(format_iso(START + int(hours * HOUR)), type, ref)


def test_rows_stand_over_one_axis_with_their_counts() -> None:
    moments = [
        event(0, "commit"),
        event(0, "commit"),
        event(24, "commit"),
        event(24, "session start", "one"),
        event(48, "session end", "one"),
        event(60, "decision"),
        event(78, "commit"),
    ]
    assert draw_timeline(moments, "", 61) == [
        "commits       █           ▄                          ▄     4",
        "sessions                  ━━━━━━━━━━━━━                    1",
        "decisions                                   █              1",
        "              ┴───────────┴───────────┴───────────────",
        "              01-01       01-02       01-03",
        "2026-01-01 to 2026-01-04, a column is 2 hours",
    ]


def test_a_session_without_a_start_or_an_end_reaches_to_the_border() -> None:
    sessions = draw_timeline(
        [
            event(0, "commit"),
            event(5, "session end", "a"),
            event(8, "session start", "b"),
            event(10, "commit"),
        ],
        "",
        41,
    )[1]
    assert sessions == "sessions      ━━━━━━━━━━     ━━━━━     2"


def test_the_axis_begins_where_it_was_asked_to_and_local_times_count() -> None:
    late = Event("2026-01-02T23:30:00Z", "note", "r", "2026-01-03T08:30:00+09:00")
    drawn = draw_timeline([late], "2026-01-01T00:00:00Z", 80)
    assert drawn[0].startswith("notes  ") and drawn[0].index("█") > 60
    assert drawn[-1].startswith("2026-01-01 to 2026-01-03")
    assert draw_timeline([], "2026-01-01T00:00:00Z", 80) == []


@given(
    st.lists(
        st.tuples(
            st.integers(0, 4000 * DAY),
            st.sampled_from(
                ["commit", "session start", "session end", "note", "x\u202e\n日本" * 9]
            ),
            st.sampled_from("abc"),
        ),
        min_size=1,
        max_size=40,
    ),
    st.integers(45, 200),
)
def test_no_line_is_wider_than_the_terminal(events: list[tuple[int, str, str]], width: int) -> None:
    drawn = draw_timeline(
        [event(at / HOUR, type, ref) for at, type, ref in sorted(events)], "", width
    )
    assert drawn and all(display_width(line) <= width and "\n" not in line for line in drawn)
