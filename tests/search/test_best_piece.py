"""Which piece of a file answers best: what it holds of the question, its heading, its meaning."""

from __future__ import annotations

import pytest

from gitmem.search import best_piece
from gitmem.search.question import parse_question

RARITY = {"redis": 3.0, "port": 1.0, "nowhere": 0.0}


def value(text: str, heading: str = "", alike: float = 0.0, bm25: float = 0.0) -> float:
    return best_piece.chunk_score(text, heading, RARITY, cosine=alike, bm25=bm25, related_idf={})


def test_words_count_by_their_rarity_once_however_often_they_stand_there() -> None:
    for text, expected in (
        ("the redis port", 1.0),
        ("redis redis redis", 0.75),
        ("ports", 0.25),
        ("nowhere", 0.0),
        ("", 0.0),
    ):
        assert value(text) == pytest.approx(expected), text


def test_a_heading_counts_half_as_much_again_as_the_text() -> None:
    assert value("", "Redis") == pytest.approx(0.75 * 1.5)
    # A word that stands in both is held once, and named once more.
    assert value("redis", "Redis") == value("", "Redis")
    assert value("port", "Redis") == pytest.approx(1.0 + 0.5 * 0.75)


def test_a_section_is_called_by_its_own_heading_and_not_by_those_above_it() -> None:
    for symbol, context, prose, expected in (
        ("", "Guide > Redis > Ports", True, "Ports"),
        ("", "Guide", True, "Guide"),
        ("", "", True, ""),
        ("acquire", "class Pool > def outer", False, "acquire class Pool > def outer"),
        ("acquire", "", False, "acquire"),
    ):
        assert best_piece.chunk_heading(symbol, context, is_prose=prose) == expected, context


def test_the_share_counts_for_places_and_where_more_than_code_is_asked_for() -> None:
    """Of a few words a little: those are mostly answered by a file named after them."""
    for text, expected in (
        ("where is the port of redis chosen", best_piece.HELD_BY_PLACE),
        ("Which function opens redis?", best_piece.HELD_BY_PLACE),
        ("how does redis choose ports", best_piece.HELD_BY_FEW),
        ("redis port", best_piece.HELD_BY_FEW),
        ("redis", 0.0),
        ("RedisPort", 0.0),
        ("where", 0.0),
        ("why was redis chosen", best_piece.HELD),
        ("which of one two three four five six seven eight nine ten ports", best_piece.HELD),
    ):
        assert best_piece.question_coverage_weight(parse_question(text)) == expected, text


def test_meaning_adds_and_never_takes_away() -> None:
    assert value("port", alike=0.5) == pytest.approx(0.75)
    assert value("port", alike=-0.5) == value("port")


def test_bm25_decides_only_between_pieces_that_hold_as_much() -> None:
    assert value("port", bm25=1.0) > value("port", bm25=0.5)
    assert value("redis port") > value("redis", bm25=1.0)


def test_a_question_whose_words_are_all_unknown_goes_by_meaning_and_bm25() -> None:
    assert best_piece.chunk_score(
        "text", "", {"x": 0.0}, cosine=0.4, bm25=0.0, related_idf={}
    ) == pytest.approx(0.4)
    assert (
        best_piece.chunk_score("text", "", {}, cosine=0.0, bm25=1.0, related_idf={})
        == best_piece.TIE
    )


def test_the_share_of_a_question_is_by_rarity_and_not_of_words_that_are_nowhere() -> None:
    for text, expected in (("Redis", 0.75), ("ports of redis", 1.0), ("", 0.0), ("nowhere", 0.0)):
        assert best_piece.question_coverage(text, RARITY, {}) == pytest.approx(expected), text
    assert best_piece.question_coverage("redis", {}, {}) == 0.0


def test_what_code_calls_a_word_counts_less_than_the_word() -> None:
    related = {"6380": 3.0}

    def both(text: str) -> tuple[float, float]:
        value = best_piece.chunk_score(text, "", RARITY, cosine=0.0, bm25=0.0, related_idf=related)
        return value, best_piece.question_coverage(text, RARITY, related)

    assert both("6380") == pytest.approx((0.6 * 0.75, 0.6 * 0.75))
    assert both("6380")[0] < both("redis")[0] < both("redis 6380")[0]
    assert both("redis port 6380")[1] == 1.0
