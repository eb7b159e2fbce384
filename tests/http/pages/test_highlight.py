"""Code as HTML: marked, but the same text, and never markup of its own."""

from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from gitmem.http.pages import highlight


def marked(text: str, path: str) -> list[str]:
    code = [{"number": at, "text": line} for at, line in enumerate(text.split("\n"), 1)]
    return [str(line["html"]) for line in highlight.highlighted_lines(code, path)]


def test_keywords_strings_comments_and_definitions_are_marked() -> None:
    assert marked('def push():  # <now>\n    return "a"', "src/app.py") == [
        '<i class="k">def</i> <i class="n">push</i>():  <i class="c"># &lt;now&gt;</i>',
        '    <i class="k">return</i> <i class="s">&#34;a&#34;</i>',
    ]


def test_a_string_over_lines_is_marked_on_each() -> None:
    first, second = marked('x = """a\nb"""', "a.py")
    assert 'class="s"' in first and second.startswith('<i class="s">b')


def test_what_is_no_known_code_or_has_huge_lines_stays_plain() -> None:
    assert marked("def <x>", "notes.unknown") == ["def &lt;x&gt;"]
    assert marked("def " + "x" * 3000, "a.py") == ["def " + "x" * 3000]


lines = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
)


@given(st.lists(lines, min_size=1, max_size=5), st.sampled_from(["a.py", "a.js", "a.html", "a.md"]))
def test_the_text_is_the_same_and_no_other_markup_comes_in(some: list[str], path: str) -> None:
    texts = [text.replace("\n", " ") for text in some]
    shown = marked("\n".join(texts), path)
    tags = re.compile(r'<i class="[cskn]">|</i>')
    assert [html.unescape(tags.sub("", line)) for line in shown] == [
        html.unescape(html.escape(text)) for text in texts
    ]
    assert not any(mark in tags.sub("", line) for line in shown for mark in "<>\"'")
