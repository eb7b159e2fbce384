"""Differences as plain data: nothing is lost, and what changed is marked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.http.pages import differences

TEXTS = st.text(alphabet="ab c\n.", max_size=60)
LINES = st.lists(st.sampled_from(["a", "b", "", "x = 1", "x = 2"]), max_size=12)


@given(TEXTS, TEXTS)
def test_both_texts_are_in_the_merged_one(before: str, after: str) -> None:
    parts = differences.diff_words(before, after)
    assert "".join(text for what, text in parts if what != "new") == before
    assert "".join(text for what, text in parts if what != "gone") == after


def test_only_the_changed_words_are_marked() -> None:
    parts = differences.diff_words("Redis listens on 6379", "Redis listens on 6380")
    assert parts == [("same", "Redis listens on "), ("gone", "6379"), ("new", "6380")]


def test_texts_too_long_to_compare_are_shown_whole() -> None:
    before, after = "a " * 3000, "b " * 3000
    assert differences.diff_words(before, after) == [("gone", before), ("new", after)]


@given(LINES, LINES)
def test_no_changed_line_is_left_out(old: list[str], new: list[str]) -> None:
    before, after = differences.diff_lines(old, new, 1, 1, 1000)
    for side, lines in ((before, old), (after, new)):
        for row in side:
            if row["number"] is not None:
                text = "".join(text for _, text in row["parts"])
                assert text == lines[row["number"] - 1]
    left = {row["number"] for row in before}
    same = {a for a, b in zip(old, new, strict=False) if a == b}
    assert {n for n, text in enumerate(old, 1) if text not in {*new, *same}} <= left


def test_lines_far_from_a_change_are_left_out() -> None:
    old = [f"line {n}" for n in range(40)]
    before, _ = differences.diff_lines(old, [*old[:20], "other", *old[21:]], 101, 101, 1000)
    assert [row["number"] for row in before] == [None, *range(118, 125), None]


def test_the_counterpart_of_lines_that_moved_down_and_of_lines_that_went() -> None:
    old = ["a", "b", "c", "d"]
    assert differences.replacing_line_range(old, ["x", "a", "b", "c", "d"], 2, 3) == (3, 4)
    start, end = differences.replacing_line_range(old, ["a", "d"], 2, 3)
    assert end < start
