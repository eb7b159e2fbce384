"""What code calls the everyday words of a question."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.search import related_words
from gitmem.search.related_words import MOST, related_code_words
from tests.support.timing import assert_linear


def test_words_and_pairs_of_words_lead_to_what_code_says() -> None:
    for text, meant in (
        ("Where is the body made SMALLER?", "gzip"),
        ("where is a request sent again", "resend"),
        ("which code waits before the next attempt", "backoff"),
        ("two tests of the same name", "duplicate"),
        ("the folder of the log", "directory"),
        ("how do I stop it", "cancel"),  # "stops" is in the table
        ("colouring a line", "color"),
        ("the behaviour of it", "behavior"),
        ("where are they labelled", "labeled"),
        ("where is it canceled in a catalogue", "catalog"),
        ("normalize the size", "normalise"),
    ):
        assert meant in related_code_words(text), text


def test_what_a_question_says_itself_is_not_reported_again() -> None:
    assert "retry" in related_code_words("sent again")
    assert "retry" not in related_code_words("retry what is sent again")
    assert related_code_words("the same things happen") == ()  # one word of a pair is not the pair
    assert related_code_words("") == ()
    assert related_code_words("our four rise") == ()  # too short to be spelt in two ways


def test_a_line_names_no_word_twice_and_nothing_by_itself() -> None:
    for message, meant in related_words._CODE_WORDS.items():
        assert message not in meant and 1 <= len(message.split()) <= 2, message
        assert meant and all(word == word.lower() and " " not in word for word in meant), message


_KNOWN = st.lists(st.sampled_from(sorted(related_words._CODE_WORDS)))


@given(st.text(max_size=300) | _KNOWN.map(" ".join))
def test_any_text_has_few_related_words(text: str) -> None:
    found = related_code_words(text)
    assert len(found) == len(set(found)) <= MOST


def test_time_grows_as_the_text_does() -> None:
    assert_linear(lambda size: related_code_words("same time " * (size // 10)), 50_000)
