"""Prose cut by headings (CC-1, CC-2, CC-3)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.indexing import prose_chunker
from gitmem.indexing.line_chunker import Chunk

LINE = st.sampled_from(
    ["", "# One", "## Two ##", "Title", "=====", "-----", "```", "~~~", "# not in a fence",
     "some words of a text", "a " * 40, "   ", "- item", "| a | b |", "```inline``` text", "中文"]
)  # fmt: skip
TEXT = st.lists(LINE, max_size=80).map("\n".join)


def cut(text: str, **how: int) -> list[Chunk]:
    return list(prose_chunker.split_prose(text, **how))


def contexts(text: str) -> list[str]:
    return [item.context for item in cut(text)]


def test_a_piece_knows_the_headings_above_it() -> None:
    text = "before\n# A\none\n## B\ntwo\n### C\nthree\n## D\nfour\n# E\nfive\n"
    assert contexts(text) == ["", "A", "A > B", "A > B > C", "A > D", "E"]


def test_lines_are_counted_from_one_and_the_raw_text_is_kept() -> None:
    first, second = cut("# A\n\n*one*\n\n\n# B\ntwo\n")
    assert (first.start_line, first.end_line, first.text) == (1, 3, "# A\n\n*one*")
    assert (second.start_line, second.end_line, second.text) == (6, 7, "# B\ntwo")


def test_a_paragraph_in_one_line_is_cut_between_words() -> None:
    line = " ".join(f"w{number}" for number in range(25))
    pieces = cut(f"# A\n\n{line}\n\nlast\n", words_per_chunk=10, word_overlap=2)
    lines = [(item.start_line, item.end_line) for item in pieces]
    assert lines == [(1, 1), (3, 3), (3, 3), (3, 3), (4, 5)]
    assert pieces[1].text.split()[-2:] == pieces[2].text.split()[:2] == ["w8", "w9"]
    assert (len(pieces[1].text.split()), pieces[3].text.split()[-1]) == (10, "w24")
    assert "last" in pieces[4].text


@pytest.mark.parametrize("fence", ["```", "~~~~", "```python", "   ```"])
def test_a_hash_inside_a_fence_is_no_heading(fence: str) -> None:
    close = fence.strip().removesuffix("python")
    assert contexts(f"# A\n{fence}\n# comment\n{close}\n# B\nx") == ["A", "B"]


def test_code_in_one_line_opens_no_fence() -> None:
    assert contexts("# A\n```pip install x``` is all\n# B\nx") == ["A", "B"]


def test_a_longer_fence_is_not_closed_by_a_shorter_one() -> None:
    assert contexts("# A\n````\n```\n# in\n```\n# in\n````\n# B") == ["A", "B"]


def test_underlined_headings_of_markdown_and_rst() -> None:
    assert contexts("Top\n===\none\n\nSub\n---\ntwo\n\nOther\n=====\nthree") == [
        "Top",
        "Top > Sub",
        "Other",
    ]
    assert contexts("Top\n=====\n\nSub\n^^^^^\n\ntext\n\nNext\n~~~~~\nx")[1:] == [
        "Top > Sub",
        "Top > Next",
    ]


def test_a_rule_a_table_and_a_list_are_no_headings() -> None:
    for text in ("one\n\n---\n\ntwo", "| a |\n|---|\n| b |", "- item\n---\n", "> quoted\n---\n"):
        assert contexts(text) == [""]


def test_marks_around_a_title_are_not_part_of_it() -> None:
    assert contexts("##   Two words  ##  \nx") == ["Two words"]
    assert contexts("# C#\nx\n#hashtag\n####### seven\n") == ["C#"]


def test_500_words_and_50_of_them_again() -> None:
    """CC-2."""
    lines = [" ".join(f"w{number * 10 + at}" for at in range(10)) for number in range(120)]
    pieces = cut("\n".join(lines))
    assert [len(piece.text.split()) for piece in pieces] == [500, 500, 300]
    assert pieces[1].text.split()[:50] == pieces[0].text.split()[-50:]
    assert [piece.start_line for piece in pieces] == [1, 46, 91]


def test_size_and_overlap_can_be_set() -> None:
    lines = "\n".join(["five words stand right here"] * 40)
    sizes = [len(item.text.split()) for item in cut(lines, words_per_chunk=50, word_overlap=0)]
    assert sizes == [50] * 4
    assert len(cut(lines, words_per_chunk=50, word_overlap=10)) == 5
    # An overlap as large as the piece would never end.
    assert len(cut(lines, words_per_chunk=50, word_overlap=50)) < 40


@given(TEXT, st.integers(1, 60), st.integers(0, 60))
def test_every_line_that_says_something_is_in_a_piece(text: str, words: int, overlap: int) -> None:
    lines = text.split("\n")
    observed: set[int] = set()
    last = (0, 0)
    for item in cut(text, words_per_chunk=words, word_overlap=overlap):
        whole = "\n".join(lines[item.start_line - 1 : item.end_line])
        # A line of more words than a piece may have is cut, too.
        long = item.start_line == item.end_line and len(whole.split()) > words
        assert item.text in whole if long else item.text == whole
        assert item.text.strip()
        assert (item.start_line, item.end_line) > last or (long and item.start_line == last[1])
        last = (item.start_line, item.end_line)
        observed |= set(range(item.start_line, item.end_line + 1))
    assert {number for number, line in enumerate(lines, 1) if line.strip()} <= observed


@pytest.mark.parametrize(
    "line", ["# a" + " " * 4900 + "b", "# " + "# " * 2400 + "x", "=" * 4900 + "x", "`" * 4900]
)
def test_a_hostile_line_costs_nothing(line: str) -> None:
    begin = time.process_time()
    cut("\n".join([line, "text", line]))
    assert time.process_time() - begin < 1
