"""CSS: classes and ids that rules are about, keyframes, custom properties."""

from __future__ import annotations

from tests.support.syntax import outline, read


def test_every_class_of_a_joined_selector_is_reported() -> None:
    message = read("css", "a.css", ".a > .b + .c:hover .d::before { color: red; }\n")
    assert set(outline(message)) == {"selector a", "selector b", "selector c", "selector d"}
