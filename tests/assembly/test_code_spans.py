"""The heading of lines in a context says where they stand, and nothing of other lines."""

from __future__ import annotations

import pytest

from gitmem.assembly.code_spans import AnsweringFile, ShownFileLines
from gitmem.retrieval.hit_view import HitItem


@pytest.mark.parametrize(
    ("lines", "heading"),
    [
        (((3, 5),), "### src/a.py:3-5 def wait(delay)"),
        (((20, 22), (9, 9)), "### src/a.py:20-22, 9-9 def wait(delay)"),
        (((10, 12),), "### src/a.py:10-12"),
    ],
)
def test_a_heading_names_what_stands_around_its_own_lines(
    lines: tuple[tuple[int, int], ...], heading: str
) -> None:
    item = HitItem("code", "src/a.py", start_line=5, end_line=9, context="def wait(delay)")
    shown = ShownFileLines(AnsweringFile(item, 1.0, {}, (), {}), lines)
    assert shown.as_markdown.split("\n")[0] == heading
