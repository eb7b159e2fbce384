"""Lines for a terminal: none wider than it, and no word lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.text.wrapping import NARROWEST, display_width, wrap, wrap_to_max_lines

WORDS = st.text(
    st.sampled_from("abcdé日本e\u0301-\t ") | st.characters(codec="utf-8"), max_size=300
)


@given(text=WORDS, width=st.integers(1, 130))
def test_no_line_is_wider_than_the_terminal_and_no_letter_is_lost(text: str, width: int) -> None:
    output = wrap(text, width)
    # Characters that break a line elsewhere than at \n never come here: views are neutralised.
    assert all(display_width(line) <= max(width, NARROWEST) for line in output.split("\n"))
    assert "".join(output.split()) == "".join(text.split())


@given(lines=st.lists(st.text("ab ", max_size=90), max_size=30), most=st.integers(2, 14))
def test_what_is_folded_away_is_counted(lines: list[str], most: int) -> None:
    text = "\n".join(lines)
    whole, output = (
        wrap(text, 30).split("\n"),
        wrap_to_max_lines(text, 30, most, "… {n} more").split("\n"),
    )
    assert len(output) == min(len(whole), most)
    if output != whole:
        assert output == [*whole[: most - 1], f"… {len(whole) - most + 1} more"]


def test_a_line_goes_on_below_its_words() -> None:
    for text, expected in (
        ("short", "short"),
        ("one two three four five six", "one two three four\n    five six"),
        ("- one two three four five", "- one two three four\n  five"),
        ("  12:04 note   one two three", "  12:04 note   one\n    two three"),
        ("id  one two three four five", "id  one two three\n    four five"),
        ("x" * 25, "x" * 20 + "\n    " + "x" * 5),
        ("日本" * 8, "日本" * 5 + "\n    " + "日本" * 3),
    ):
        assert wrap(text, NARROWEST) == expected, text
