"""Front matter: read as far as it can be, and no byte of it lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import InvalidInput
from gitmem.text import front_matter

LINES = st.lists(
    st.sampled_from(
        ("a: b", "c:", "  - d", "- e: f", "# g", "", "h: >", "  i: 'j", 'k: "l', "[m", "---", "n\f")
    ),
    max_size=8,
)


@given(LINES, st.sampled_from(("\n", "\r\n")), st.sampled_from(("", "\ufeff")))
def test_every_byte_is_in_head_or_body(lines: list[str], end: str, mark: str) -> None:
    text = mark + end.join(["---", *lines, "---", "body"])
    found = front_matter.parse_front_matter(text)
    assert found.head + found.body == text
    again = front_matter.parse_front_matter(
        front_matter.set_front_matter_field(found.head, "a", "x: #y") + found.body
    )
    assert (again.fields["a"], again.body) == ("x: #y", found.body)


def test_what_stands_for_a_value() -> None:
    for written, value in (
        ("plain # comment", "plain"),
        ("'it''s'", "it's"),
        ('"a\\tb\\u00e9"', "a\tbé"),
        ("[a, 'b, c', \"d\"]", ["a", "b, c", "d"]),
        ('[{"name": "x"}]', [{"name": "x"}]),
        ("\n  - one\n  - name: two\n    more: 3", ["one", {"name": "two", "more": "3"}]),
        ("\n  x: 1\n  y: 'z'", {"x": "1", "y": "z"}),
        ("|\n  a\n\n    b", "a\n\n  b"),
        (">-\n  a\n  b", "a b"),
        ("", ""),
    ):
        found = front_matter.parse_front_matter(f"---\nkey: {written}\n---\n")
        assert found.fields == {"key": value}, written


def test_what_has_none_and_what_has_no_end() -> None:
    assert front_matter.parse_front_matter("# A\n---\n").head == ""
    assert front_matter.parse_front_matter("\ufeffA").head == "\ufeff"
    with pytest.raises(InvalidInput, match="no end"):
        front_matter.parse_front_matter("---\na: b\n")


def test_words_that_yaml_takes_for_others_are_quoted() -> None:
    for value in ("yes", "null", "No", "1", "a b", ""):
        assert front_matter.as_yaml(value) == f'"{value}"'
    assert front_matter.as_yaml("release-notes") == "release-notes"
