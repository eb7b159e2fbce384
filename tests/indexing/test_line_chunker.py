"""Code cut by lines (CC-6): nothing lost, nothing twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.indexing import line_chunker

LINE = st.sampled_from(["", "x = 1", "def f():", "    return 1", "y" * 300, "\t", "class A:", "中"])
TEXT = st.lists(LINE, max_size=120).map("\n".join)


@given(TEXT)
def test_every_line_is_in_one_chunk_at_its_place(text: str) -> None:
    lines = text.split("\n")
    last = 0
    for one in line_chunker.cut(text):
        assert one.start_line > last
        # What was left out in between is blank.
        assert not "".join(lines[last : one.start_line - 1]).strip()
        assert one.text == "\n".join(lines[one.start_line - 1 : one.end_line])
        last = one.end_line
    assert not "".join(lines[last:]).strip()


@given(TEXT)
def test_a_chunk_is_never_much_too_large(text: str) -> None:
    for one in line_chunker.cut(text):
        assert one.end_line - one.start_line < line_chunker.LINES
        assert len(one.text) < line_chunker.CHARACTERS + 301


def test_a_chunk_begins_where_a_block_does() -> None:
    text = "\n".join(["x = 1"] * 16 + ["", "def f():"] + ["    y = 2"] * 10)
    first, second = line_chunker.cut(text)
    assert first.end_line == 17
    assert second.text.startswith("def f():")


def test_one_endless_line_is_one_chunk() -> None:
    (one,) = line_chunker.cut("x" * 4000)
    assert (one.start_line, one.end_line) == (1, 1)


def test_nothing_gives_nothing() -> None:
    assert list(line_chunker.cut("")) == list(line_chunker.cut("\n \n\t\n")) == []
