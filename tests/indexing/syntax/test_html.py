"""HTML: what has an id, headings, elements with names of one's own."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, imports, lines, outline, read, uses

SAMPLE = """\
<!DOCTYPE html>
<html>
<head>
  <title>The shop</title>
  <link rel="stylesheet" href="style.css">
  <script src="app.js"></script>
</head>
<body>
  <!-- Where one looks first. -->
  <header id="top" class="wide">
    <h1>Hello <b>you</b></h1>
  </header>
  <shop-cart id='cart'>
    <h2 id="lines">Lines</h2>
  </shop-cart>
  <input id=search />
</body>
</html>
"""


@cache
def sample() -> Parsed:
    return read("html", "index.html", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "section The shop",
        "section top",
        "section top.Hello",
        "section shop-cart",
        "section cart",
        "section cart.lines",
        "section cart.Lines",
        "section search",
    ]


def test_a_comment_above_is_the_documentation() -> None:
    assert define(sample(), "top").doc == "Where one looks first."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "top").signature == '<header id="top" class="wide">'


def test_a_definition_covers_its_lines() -> None:
    assert lines(sample(), "top") == (10, 12)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "type") == set()


def test_imports_name_their_modules() -> None:
    assert imports(sample()) == {"style.css": (), "app.js": ()}


def test_words_of_a_template_do_not_hide_ids() -> None:
    source = '{% extends "base.html" %}\n{% block a %}<div id="b">{{ c }}</div>{% endblock %}\n'
    assert outline(read("html", "a.html", source)) == ["section b"]
