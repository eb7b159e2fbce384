"""A number and what it counts."""

from gitmem.text.quantity import quantity


def test_the_last_word_agrees_with_the_number() -> None:
    for count, thing, expected in (
        (0, "file", "0 files"),
        (1, "file", "1 file"),
        (2, "file", "2 files"),
        (1, "memory", "1 memory"),
        (3, "new memory", "3 new memories"),
        (2, "day", "2 days"),
        (2, "branch", "2 branches"),
        (2, "index", "2 indexes"),
        (9_999, "line", "9999 lines"),
        (10_000, "line", "10,000 lines"),
    ):
        assert quantity(count, thing) == expected


def test_a_verb_agrees_too() -> None:
    assert quantity(1, "memory cites", "memories cite") == "1 memory cites"
    assert quantity(2, "memory cites", "memories cite") == "2 memories cite"
