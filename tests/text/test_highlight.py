"""Words set off for a terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.text.wrapping import highlight


def bold(text: str, *words: str) -> str:
    return highlight(text, words).replace("\x1b[1m", "<").replace("\x1b[22m", ">")


def test_words_are_set_off_where_they_begin() -> None:
    for text, words, expected in (
        ("Redis port, redis_pool", ("redis",), "<Redis> port, <redis>_pool"),
        ("open_redis predis", ("redis",), "open_<redis> predis"),
        ("port ports", ("port", "ports"), "<port> <ports>"),
        ("a.b (x)", ("a.b", "(x"), "<a.b> <(x>)"),
        ("a b", ("a",), "a b"),
        ("nothing", (), "nothing"),
    ):
        assert bold(text, *words) == expected, text


@given(st.text(), st.lists(st.text(max_size=5), max_size=4))
def test_nothing_but_the_marks_is_added(text: str, words: list[str]) -> None:
    marked = highlight(text, words)
    if "\x1b" not in text:
        assert marked.replace("\x1b[1m", "").replace("\x1b[22m", "") == text
