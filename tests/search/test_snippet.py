"""The lines of a piece that answer best."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.search.snippet import LINES, LONGEST, best_line_with_context, choose_snippet

TEXT = "\n".join(
    ["import os", "", "def port():", "    # the redis port", "    return 6380", "", "x"]
)


def test_the_line_with_most_of_the_words_and_what_is_around_it() -> None:
    assert choose_snippet(TEXT, ["redis", "port"]) == (
        "def port():\n    # the redis port\n    return 6380"
    )


def test_without_a_match_it_begins_where_text_does() -> None:
    assert choose_snippet("\n\n\nfirst\nsecond", ["nothing"]).startswith("first")
    assert choose_snippet(TEXT, []).startswith("import os")


def test_capitals_do_not_matter() -> None:
    assert "REDIS" in choose_snippet("a\n" * 20 + "REDIS\n" + "b\n" * 20, ["Redis"])


def test_nothing_gives_nothing() -> None:
    assert choose_snippet("", ["x"]) == choose_snippet("\n\n", []) == ""


@given(st.text(), st.lists(st.text(min_size=1), max_size=4))
def test_it_is_a_short_part_of_the_text(text: str, labels: list[str]) -> None:
    found = choose_snippet(text, labels)
    assert found.count("\n") < LINES
    lines = [line.rstrip() for line in text.split("\n")]
    assert found in "\n".join(lines)


def test_lines_that_hold_more_of_the_words_together_come_before_one_that_holds_one_often() -> None:
    text = "port port port\n" + "x\n" * 6 + "the redis host\n" + "y\n" + "has a port\n"
    assert choose_snippet(text, ["redis", "port"]) == "x\nthe redis host\ny\nhas a port"


def test_of_a_long_line_what_stands_around_the_first_label() -> None:
    line = "a" * 900 + " Redis " + "b" * 900
    for found in (
        choose_snippet(line, ["redis"]),
        best_line_with_context(f"x\n{line}\ny", ["redis"], 0),
    ):
        assert "Redis" in found and found[0] == found[-1] == "…"
        assert len(found) == LONGEST + 2
    assert choose_snippet(line, []) == "a" * LONGEST + "…"
    assert choose_snippet("x" * LONGEST, []) == "x" * LONGEST


def test_a_word_in_another_form_is_shown_as_the_reason_counts_it() -> None:
    text = "a\n" * 20 + "the daemon deploys\n" + "b\n" * 20
    assert "deploys" in choose_snippet(text, ["deploying"])
    assert "deploys" in best_line_with_context(text, ["deploying"], 0)
    assert "was sent" in choose_snippet("a\n" * 20 + "was sent\n" + "b\n" * 20, ["sent"])
