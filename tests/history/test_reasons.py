"""How many commits made something so, as far as git could tell in its time."""

from __future__ import annotations

from gitmem.history import reasons


def test_where_git_was_stopped_the_authors_of_its_lines_count_too() -> None:
    for changed, wrote, whole, expected in (
        (["a", "b"], ["b", "moved-here"], True, 2),
        (["a", "b"], ["b", "c"], False, 3),
        ([], ["b", "c"], False, 2),
        ([], [], False, 0),
    ):
        assert reasons.counted(changed, wrote, whole=whole) == expected
