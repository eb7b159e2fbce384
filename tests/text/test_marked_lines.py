"""Our lines in a text that agents read."""

from __future__ import annotations

import pytest

from gitmem.errors import InvalidInput
from gitmem.text import marked_lines
from tests.support.tables import table

LINES = f"<!-- {marked_lines.BEGIN} -->\nread this\n<!-- {marked_lines.END} -->\n"


@table("text", ["# Mine\n", "# Mine", "a\r\nb\r\n", "\n", "x\n\n", "a\r\nb"])
def test_lines_come_and_go(text: str) -> None:
    made = marked_lines.put(text, LINES, "")
    assert marked_lines.holds(made) and made.startswith(text)
    assert marked_lines.put(made, LINES, "") == made
    assert marked_lines.take(made, "") == text


def test_an_older_block_is_exchanged_where_it_stands() -> None:
    old = f"a\n\n{LINES.replace('this', 'that')}\nb\n"
    assert marked_lines.put(old, LINES, "") == f"a\n\n{LINES}\nb\n"


def test_a_file_of_our_own_goes_as_a_whole_and_anothers_is_left() -> None:
    made = marked_lines.put("", LINES, "---\nx: 1\n---\n")
    assert made.startswith("---\nx: 1") and marked_lines.take(made, "---\nx: 1\n---\n") == ""
    with pytest.raises(InvalidInput):
        marked_lines.put("anothers", LINES, "---\n")


@pytest.mark.parametrize(
    "text",
    [marked_lines.BEGIN, marked_lines.END, LINES * 2, f"{marked_lines.END} {marked_lines.BEGIN}"],
)
def test_damaged_marks_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="damaged"):
        marked_lines.put(text, LINES, "")
