"""How many commits made something so, and what each of them did to its lines."""

from __future__ import annotations

from gitmem.git.log_output import Commit
from gitmem.history import reasons
from gitmem.history.target import CodeTarget


def test_where_git_was_stopped_the_authors_of_its_lines_count_too() -> None:
    for changed, wrote, whole, expected in (
        (["a", "b"], ["b", "moved-here"], True, 2),
        (["a", "b"], ["b", "c"], False, 3),
        ([], ["b", "c"], False, 2),
        ([], [], False, 0),
    ):
        assert reasons.count_commits_of_target(changed, wrote, whole_file=whole) == expected


def test_a_commit_newer_than_the_history_behind_its_lines_moved_them() -> None:
    old, split = (
        Commit(sha, (), "Ada", at, at, "Subject", "") for sha, at in (("old", 100), ("split", 200))
    )
    target = CodeTarget("app.py", (5, 5))
    assert reasons._why(split, 1, 1, [old], "", target) == ("moved the line",)
    assert reasons._why(split, 3, 4, [old], "", target) == ("moved 3 of 4 lines",)
    assert reasons._why(old, 0, 1, [old], "", target) == ("changed it last",)
    assert reasons._why(split, 1, 1, [split, old], "", target) == (
        *("wrote the line", "changed it last"),
    )
    # The log was cut short: it says nothing of what is older than its end.
    assert reasons._why(old, 1, 1, [split], "", target) == ("wrote the line",)
