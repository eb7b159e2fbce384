"""Go: types, functions with and without receivers, values of the package."""

from __future__ import annotations

from tests.support.syntax import outline, read, uses


def test_fields_of_types_within_functions_and_plain_words_are_left_out() -> None:
    source = (
        "package a\nfunc f() {\n\tfor _, t := range []struct{ n int }{{1}} {\n\t\tlen(t)\n\t}\n}\n"
    )
    message = read("go", "a.go", source)
    assert outline(message) == ["function f"]
    assert uses(message, "call") == set()
    assert uses(message, "type") == set()
