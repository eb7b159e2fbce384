"""What may say the same in other words, and what surely does not."""

from __future__ import annotations

import pytest

from gitmem.memory import paraphrase

TEXT = "Fix content-length calculation in Response#write"
ANSWERS = "Incorrect content-length was emitted when Response#write was used in some situations"
# Each pair says the same, to a reader, or nearly so; what tells the second ones apart decides.
APART = (
    ("Retry the upload 3 times", "Try the upload again 5 times"),
    ("Bump redis from 4.1.0 to 4.2.0", "Bump redis from 4.2.0 to 4.3.0"),
    ("Quote shell arguments", 'Revert "Quote shell arguments"'),
    ("Load max_size from the settings", "Load minSize from the settings"),
    ("The cache is cleared", "The cache is not cleared"),
)
ALIKE = (
    (TEXT, ANSWERS),
    ("Retry the upload 3 times", "An upload is tried again"),
    ("Drop Python 3.7", "Python 3.7 is not supported any more"),
)


def rare(_stem: str, _word: str) -> float:
    return 1.0


def test_numbers_names_and_reverts_tell_two_texts_apart() -> None:
    for item, other in APART:
        assert paraphrase.are_about_different_things(item, other), item
        assert paraphrase.are_about_different_things(other, item), other
    for item, other in ALIKE:
        assert not paraphrase.are_about_different_things(item, other), item


def test_what_is_shared_counts_by_how_rare_it_is() -> None:
    common = dict.fromkeys(paraphrase.words_by_stem("fix was in when used some"), 0.0)

    def rarity(stem: str, _word: str) -> float:
        return common.get(stem, 1.0)

    much = paraphrase.paraphrase_score(TEXT, ANSWERS, 0.6, rarity)
    assert paraphrase.SUGGEST_FROM < much < 2.3
    assert much == paraphrase.paraphrase_score(ANSWERS, TEXT, 0.6, rarity)
    assert paraphrase.paraphrase_score(TEXT, "Fix the order of templates", 0.6, rarity) < 0.3
    assert paraphrase.paraphrase_score(TEXT, ANSWERS, 0.6, lambda *_: 0.0) == pytest.approx(0.18)


def test_a_word_or_two_in_common_are_not_enough_however_short_a_text() -> None:
    """All of a short text stands in many a long one."""
    assert (
        paraphrase.paraphrase_score("Fix cart", "Fix cart and price and order of it", 0.9, rare)
        < 1.7
    )
    assert paraphrase.paraphrase_score("Cart prices", "Prices: cart", 1.0, rare) == pytest.approx(
        1.7
    )


def test_parts_of_names_and_other_endings_are_the_same_word() -> None:
    assert set(paraphrase.words_by_stem("HTTPServers")) >= set(paraphrase.words_by_stem("server"))
    assert set(paraphrase.words_by_stem("allowing")) == set(paraphrase.words_by_stem("allowed"))
