"""Which words of a question a text holds."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gitmem.search.matched_words import words_in_text
from gitmem.text import identifiers
from gitmem.text.stem import stem

COMMON = ("redis", "port", "absent", "pool")
WORDS = st.lists(st.sampled_from(COMMON) | st.text(max_size=12).map(str.lower), max_size=8)


@example(["port", "redis", "absent"], "redis", ["port"])
@given(WORDS, st.text(max_size=200), st.lists(st.sampled_from(COMMON), max_size=4))
def test_held_words_are_some_of_those_asked_in_their_order(
    words: list[str], text: str, present: list[str]
) -> None:
    there = words_in_text(words, " ".join([text, *present]))
    rest = iter(words)
    assert all(word in rest for word in there)
    assert set(present).intersection(words) <= set(there)


@given(st.text("abcdefg", min_size=1, max_size=12), st.text(max_size=50))
def test_a_word_that_stands_there_is_held(word: str, text: str) -> None:
    assert words_in_text([word], f"{text} {word}") == (word,)


@pytest.mark.parametrize(
    ("word", "text"),
    [("listens", "def listen():"), ("parse", "ParserError parsing"), ("server", "HTTPServer")],
)
def test_a_word_is_held_by_its_other_forms_and_inside_names(word: str, text: str) -> None:
    assert words_in_text([word], text) == (word,)


@pytest.mark.parametrize("around", ["Python {}, ü", "rich>={}", "v{}", "{}.1", "\u4e2d {}"])
def test_a_version_is_held_as_it_is_written_or_as_the_beginning_of_another(around: str) -> None:
    assert words_in_text(["3.8"], around.format("3.8")) == ("3.8",)
    for other in ("13.8", "2.3.8", "3.80", "3 of 8"):
        assert words_in_text(["3.8"], around.format(other)) == ()


def test_a_word_inside_another_word_is_not_held() -> None:
    assert words_in_text(["port"], "report important") == ()


@given(st.text(max_size=20))
def test_a_stem_begins_its_word_and_is_not_shorter_than_three(word: str) -> None:
    assert word.startswith(stem(word))
    assert len(stem(word)) >= min(3, len(word))


NAMES = st.text("aAbBsSeE_19 .(-", max_size=40)
# A letter with its accent beside it, and letters whose lower case is longer, or hangs on others.
MARKED = st.text("aBsé\u0301_1 -—İΣK中文🎉", max_size=40)


@given(st.lists(st.text("abseék中_19+ ", max_size=6), max_size=5), NAMES | MARKED)
def test_looking_around_each_stem_finds_what_taking_all_apart_finds(
    words: list[str], text: str
) -> None:
    there = {stem(term) for term in identifiers.words_and_identifier_parts(text)}
    assert words_in_text(words, text) == tuple(word for word in words if stem(word) in there)
