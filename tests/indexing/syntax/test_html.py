"""HTML: what has an id, headings, elements with names of one's own."""

from __future__ import annotations

from tests.support.syntax import outline, read


def test_words_of_a_template_do_not_hide_ids() -> None:
    source = '{% extends "base.html" %}\n{% block a %}<div id="b">{{ c }}</div>{% endblock %}\n'
    assert outline(read("html", "a.html", source)) == ["section b"]
