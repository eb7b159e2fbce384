"""CSS: classes and ids that rules are about, keyframes, custom properties."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, imports, lines, outline, read, uses

SAMPLE = """\
@import url("base.css");
@import "print.css" print;

:root {
  --accent: #fff;
}

/* The button. */
.btn,
a.btn-primary:hover {
  color: var(--accent);
}

#header > .nav li {
  margin: 0;
}

@keyframes spin {
  from { color: red; }
}

@media (max-width: 10px) {
  .btn { color: blue; }
}

.card {
  .title { color: green; }
}
"""


@cache
def sample() -> Parsed:
    return read("css", "style.css", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "property --accent",
        "selector btn",
        "selector btn-primary",
        "selector header",
        "selector nav",
        "section spin",
        "selector btn",
        "selector card",
        "selector card.title",
    ]


def test_a_comment_above_is_the_documentation() -> None:
    assert define(sample(), "btn-primary").doc == "The button."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "header").signature == "#header > .nav li"
    assert define(sample(), "card.title").signature == ".title"


def test_a_definition_covers_its_lines() -> None:
    assert lines(sample(), "btn-primary") == (9, 12)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"--accent"}


def test_imports_name_their_modules() -> None:
    assert imports(sample()) == {"base.css": (), "print.css": ()}


def test_every_class_of_a_joined_selector_is_told() -> None:
    said = read("css", "a.css", ".a > .b + .c:hover .d::before { color: red; }\n")
    assert set(outline(said)) == {"selector a", "selector b", "selector c", "selector d"}
