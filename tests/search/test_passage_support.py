"""How well passages support an answer."""

from __future__ import annotations

import pytest

from gitmem.search.passage_support import (
    documentation_bonus,
    measure_passage_support,
    passage_support_score,
)

RARITY = {"redis": 3.0, "port": 1.0}


def test_score_words_and_meaning_order_passages() -> None:
    plain = measure_passage_support(0.5, "", "nothing of it", RARITY, cosine=-0.2)
    assert passage_support_score(plain) == 0.5
    assert (
        passage_support_score(measure_passage_support(0.5, "redis", "", RARITY))
        == 0.5 + 0.45 * 0.75
    )
    assert passage_support_score(measure_passage_support(0.5, "", "", RARITY, cosine=0.5)) == 0.7
    assert passage_support_score(
        measure_passage_support(0.5, "", "ports", RARITY)
    ) > passage_support_score(plain)
    # A word in both places counts once.
    twice = measure_passage_support(0.5, "redis", "redis", RARITY)
    assert (twice.share, twice.body, twice.words) == (0.75, 0.75, {"redis"})


def test_a_word_of_the_lines_counts_more_than_one_of_the_path() -> None:
    path = measure_passage_support(0.5, "redis.py", "value", RARITY)
    lines = measure_passage_support(0.5, "pool.py", "redis", RARITY)
    assert passage_support_score(lines) == pytest.approx(passage_support_score(path) + 0.2 * 0.75)


def test_documentation_counts_more_where_it_is_asked_for_and_never_where_the_past_is() -> None:
    assert documentation_bonus("docs/guide.md", {"docs": 0.8}) == pytest.approx(0.15 + 0.32)
    assert documentation_bonus("docs/guide.md", {}) == 0.15
    assert documentation_bonus("docs/licenses-of-users.md", {}) == 0.15
    assert documentation_bonus("README.md", {"history": 1.0}) == 0.0
    for path in (
        "CHANGELOG.md",
        "docs/release-notes.md",
        ".github/PULL_REQUEST_TEMPLATE.md",
        "LICENSE",
        "docs/LICENCE.md",
        "CODE_OF_CONDUCT.md",
        "COPYING",
    ):
        assert documentation_bonus(path, {"docs": 1.0}) == 0.0, path


def test_what_code_calls_the_words_counts_for_the_order_and_is_no_word_of_the_question() -> None:
    meant = measure_passage_support(0.5, "sentinel", "", RARITY, {"sentinel": 2.0})
    assert meant.words == frozenset()
    assert meant.share == 0.6 * 2.0 / 4.0
    assert passage_support_score(meant) == 0.5 + 0.45 * meant.share
