"""How well passages support an answer."""

from __future__ import annotations

from gitmem.search.passage_support import support, value

RARITY = {"redis": 3.0, "port": 1.0}


def test_score_words_and_meaning_order_passages() -> None:
    plain = support(0.5, "nothing of it", -0.2, RARITY)
    assert value(plain, RARITY) == 0.5
    assert value(support(0.5, "redis", 0.0, RARITY), RARITY) == 0.5 + 0.3 * 0.75
    assert value(support(0.5, "", 0.5, RARITY), RARITY) == 0.65
    assert value(support(0.5, "ports", 0.0, RARITY), RARITY) > value(plain, RARITY)
