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
    for item in line_chunker.split_into_line_chunks(text):
        assert item.start_line > last
        # What was left out in between is blank.
        assert not "".join(lines[last : item.start_line - 1]).strip()
        assert item.text == "\n".join(lines[item.start_line - 1 : item.end_line])
        last = item.end_line
    assert not "".join(lines[last:]).strip()


@given(TEXT)
def test_a_chunk_is_never_much_too_large(text: str) -> None:
    for item in line_chunker.split_into_line_chunks(text):
        assert item.end_line - item.start_line < line_chunker.LINES
        assert len(item.text) < line_chunker.CHARACTERS + 301


def test_a_chunk_begins_where_a_block_does() -> None:
    text = "\n".join(["x = 1"] * 16 + ["", "def f():"] + ["    y = 2"] * 10)
    first, second = line_chunker.split_into_line_chunks(text)
    assert first.end_line == 17
    assert second.text.startswith("def f():")


def test_one_endless_line_is_one_chunk() -> None:
    (result,) = line_chunker.split_into_line_chunks("x" * 4000)
    assert (result.start_line, result.end_line) == (1, 1)


def test_nothing_gives_nothing() -> None:
    assert (
        list(line_chunker.split_into_line_chunks(""))
        == list(line_chunker.split_into_line_chunks("\n \n\t\n"))
        == []
    )
