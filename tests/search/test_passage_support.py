"""How well passages support an answer, and when they support none."""

from __future__ import annotations

from gitmem.search.passage_support import Supported, enough, names, support, value

RARITY = {"redis": 3.0, "port": 1.0}


def test_score_words_and_meaning_order_passages() -> None:
    plain = support(0.5, "nothing of it", -0.2, RARITY)
    assert value(plain, RARITY) == 0.5
    assert value(support(0.5, "redis", 0.0, RARITY), RARITY) == 0.5 + 0.3 * 0.75
    assert value(support(0.5, "", 0.5, RARITY), RARITY) == 0.65
    assert value(support(0.5, "ports", 0.0, RARITY), RARITY) > value(plain, RARITY)


def test_a_word_that_is_nowhere_makes_an_answer_unlikely() -> None:
    best = [support(0.4, "redis port", 0.2, RARITY)]
    assert enough(best, RARITY, 5.0)
    assert not enough(best, {**RARITY, "sixel": 5.0}, 5.0)
    # A common word that is missing costs little.
    assert enough(best, {**RARITY, "also": 0.1}, 5.0)


def test_the_first_three_are_looked_at_together() -> None:
    one, other = Supported(0.3, frozenset({"redis"}), 0.1), Supported(0.3, frozenset({"port"}), 0.1)
    empty = Supported(0.3, frozenset(), 0.1)
    words = {"redis": 3.0, "port": 3.0}
    assert enough([one, other], words, 3.0)
    assert not enough([one], words, 3.0)
    assert not enough([one, empty, empty, other], words, 3.0)
    assert not enough([], words, 3.0)


def test_a_name_that_is_nowhere_costs_more_than_a_word() -> None:
    """CE-11: what a repository does not have is asked for by its name."""
    rare = {"exported": 1.0, "session": 3.0, "har": 5.0}
    best = [support(0.4, "the session is exported", 0.5, rare)]
    assert enough(best, rare, 5.0)
    assert not enough(best, rare, 5.0, names("Where is a session exported as HAR?"))
    # A name that many files hold is only missing here.
    assert enough(best, {**rare, "har": 3.0}, 5.0, frozenset({"har"}))
    # One that a passage holds is not missing.
    held = [support(0.5, "the session is exported: har", 0.5, rare)]
    assert enough(held, rare, 5.0, frozenset({"har"}))


def test_names_are_told_from_words() -> None:
    for text, wanted in (
        ("Where is the OpenAPI document made?", {"openapi"}),
        ("How do I sign requests with AWS?", {"aws"}),
        ("markers for Mercurial (or a Subversion)", {"mercurial", "subversion"}),
        ("GeoIP", {"geoip"}),
        ("Where is it. How?", set()),
        ("Redis listens", set()),
        ("Where is A1b2C3d4E5f6 of SHA256?", {"sha256"}),  # what was pasted is no name
    ):
        assert names(text) == wanted, text
