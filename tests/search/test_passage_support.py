"""How well passages support an answer."""

from __future__ import annotations

from gitmem.search.passage_support import support, value

RARITY = {"redis": 3.0, "port": 1.0}


def test_score_words_and_meaning_order_passages() -> None:
    plain = support(0.5, "nothing of it", -0.2, RARITY)
    assert value(plain) == 0.5
    assert value(support(0.5, "redis", 0.0, RARITY)) == 0.5 + 0.3 * 0.75
    assert value(support(0.5, "", 0.5, RARITY)) == 0.65
    assert value(support(0.5, "ports", 0.0, RARITY)) > value(plain)


def test_what_code_calls_the_words_counts_for_the_order_and_is_no_word_of_the_question() -> None:
    meant = support(0.5, "sentinel", 0.0, RARITY, {"sentinel": 2.0})
    assert meant.words == frozenset()
    assert meant.share == 0.6 * 2.0 / 4.0
    assert value(meant) == 0.5 + 0.3 * meant.share
