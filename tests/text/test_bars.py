"""Bars and sparklines: in proportion, and never wider than the terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.text.bars import bar, bar_chart_lines, clip_start, sparkline
from gitmem.text.wrapping import display_width

NAMES = st.text(st.sampled_from("abc/日本é\u0301") | st.characters(codec="utf-8"), max_size=90)
ROWS = st.lists(st.tuples(NAMES, st.floats(0, 1e9), st.text("0123456789,", max_size=9)), max_size=9)


@given(rows=ROWS, width=st.integers(20, 160))
def test_no_line_is_wider_than_the_terminal(rows: list[tuple[str, float, str]], width: int) -> None:
    drawn = bar_chart_lines(rows, width)
    assert len(drawn) == len(rows)
    assert all(display_width(line) <= width and "\n" not in line for line in drawn)
    assert all(caption in line for line, (_, _, caption) in zip(drawn, rows, strict=True))


def test_bars_are_in_proportion_and_what_is_above_nothing_is_seen() -> None:
    assert bar_chart_lines([("a", 8, "8"), ("bb", 4, "4"), ("", 0, "0")], 30) == [
        "  a   8  " + "█" * 21,
        "  bb  4  " + "█" * 10 + "▌",
        "      0",
    ]
    assert bar_chart_lines([("a", 0.5, "50%")], 26, max_number=1) == ["  a  50%  " + "█" * 8]
    assert bar(0.0001, 10) == "▏" and bar(0, 10) == "" and bar(7, 3) == "███"


def test_without_room_only_names_and_numbers_are_left() -> None:
    assert bar_chart_lines([("src/flask/app.py", 2, "2")], 12) == ["  …p.py  2"]


def test_the_end_of_a_path_is_what_is_kept() -> None:
    assert clip_start("src/flask/app.py", 8) == "…/app.py"
    assert clip_start("日本語", 5) == "…本語" and clip_start("app.py", 6) == "app.py"


@given(st.lists(st.integers(0, 10**9), max_size=50))
def test_a_sparkline_has_a_column_for_each_number(counts: list[int]) -> None:
    drawn = sparkline(counts)
    assert [column == " " for column in drawn] == [count == 0 for count in counts]
    if most := max(counts, default=0):
        assert drawn[counts.index(most)] == "█"
    assert sparkline([1, 4, 8]) == "▁▄█"
