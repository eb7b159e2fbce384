"""Our lines in a text that agents read."""

from __future__ import annotations

import pytest

from gitmem.errors import InvalidInput
from gitmem.hooks.agents import rules
from tests.support.tables import table

LINES = f"<!-- {rules.BEGIN} -->\nread this\n<!-- {rules.END} -->\n"


@table("text", ["# Mine\n", "# Mine", "a\r\nb\r\n", "\n", "x\n\n", "a\r\nb"])
def test_lines_come_and_go(text: str) -> None:
    made = rules.put(text, LINES, "")
    assert rules.holds(made) and made.startswith(text)
    assert rules.put(made, LINES, "") == made
    assert rules.take(made, "") == text


def test_an_older_block_is_exchanged_where_it_stands() -> None:
    old = f"a\n\n{LINES.replace('this', 'that')}\nb\n"
    assert rules.put(old, LINES, "") == f"a\n\n{LINES}\nb\n"


def test_a_file_of_our_own_goes_as_a_whole_and_anothers_is_left() -> None:
    made = rules.put("", LINES, "---\nx: 1\n---\n")
    assert made.startswith("---\nx: 1") and rules.take(made, "---\nx: 1\n---\n") == ""
    with pytest.raises(InvalidInput):
        rules.put("anothers", LINES, "---\n")


@pytest.mark.parametrize("text", [rules.BEGIN, rules.END, LINES * 2, f"{rules.END} {rules.BEGIN}"])
def test_damaged_marks_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="damaged"):
        rules.put(text, LINES, "")
