"""Whether what was found answers a question, or is only the nearest there is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.search.answered import Found, answers
from gitmem.search.query import rarity

TOTAL = 4_000
MOST = rarity(0, TOTAL)
WORDS = {"csrf": MOST, "tokens": rarity(200, TOTAL), "forms": rarity(90, TOTAL)}


def test_what_holds_the_rare_words_answers_in_every_mode() -> None:
    hit = Found("csrf tokens of forms", 0.6)
    for mode in ("keyword", "semantic", "hybrid"):
        assert answers(WORDS, MOST, [hit], mode), mode


def test_a_repository_that_lacks_the_thing_asked_for_does_not_answer() -> None:
    hit = Found("tokens of a parser", 0.25)
    for mode in ("keyword", "semantic", "hybrid"):
        assert not answers(WORDS, MOST, [hit], mode), mode
    assert not answers(WORDS, MOST, [], "hybrid")


def test_meaning_makes_up_for_other_words_and_not_where_only_words_are_asked() -> None:
    hit = Found("forgery protection", 0.75)
    assert answers(WORDS, MOST, [hit], "hybrid") and answers(WORDS, MOST, [hit], "semantic")
    assert not answers(WORDS, MOST, [hit], "keyword")


def test_what_one_hit_lacks_another_may_hold() -> None:
    apart = [Found("csrf", 0.1), Found("tokens forms", 0.1)]
    assert answers(WORDS, MOST, apart, "hybrid")
    assert not answers(WORDS, MOST, apart[1:], "hybrid")


@given(
    st.dictionaries(st.text("abc", min_size=3, max_size=5), st.floats(0, 9), max_size=5),
    st.lists(st.builds(Found, st.text("abc ", max_size=30), st.none() | st.floats(-1, 1))),
)
def test_a_hit_more_never_makes_an_answer_less_sure(
    words: dict[str, float], found: list[Found]
) -> None:
    for mode in ("keyword", "semantic", "hybrid"):
        if answers(words, 9.0, found[:-1], mode):
            assert answers(words, 9.0, found, mode)
