"""What changes together, and by whom."""

from __future__ import annotations

from gitmem.timeline.co_change import (
    FADING,
    SWEEPING,
    co_change_likelihoods,
    co_change_strengths,
    files_changed_together,
    rank_file_owners,
)


def test_files_are_reported_by_how_often_they_changed_with_one() -> None:
    changes = [["a", "b"], ["a", "b", "c"], ["a", "c"], ["a", "d"], ["b", "c"], ["a"]]
    found = [
        (item.path, item.commits, item.share) for item in files_changed_together("a", changes, 5)
    ]
    assert found == [("b", 2, 0.4), ("c", 2, 0.4)]  # d only once
    assert [item.path for item in files_changed_together("a", changes, 1)] == ["b"]


def test_a_sweeping_commit_and_none_at_all_say_nothing() -> None:
    sweep = [f"file_{n}" for n in range(SWEEPING)]
    assert files_changed_together("a", [["a", *sweep]] * 3, 5) == []
    assert files_changed_together("a", [], 5) == []


def test_a_commit_says_more_the_newer_and_the_smaller_it_is() -> None:
    found = co_change_strengths("a", [["b", "a"], ["x", "y"], ["a", "c", "d"], ["a", "b", "d"]])
    assert found == {
        "b": 1 + FADING**2 / 2,
        "c": FADING / 2,
        "d": FADING / 2 + FADING**2 / 2,
    }
    sweep = [f"file_{n}" for n in range(SWEEPING)]
    assert co_change_strengths("a", [["a", *sweep], ["a"], ["a", "b"]]) == {"b": FADING}


def test_a_small_new_commit_says_more_than_two_old_large_ones() -> None:
    large = ["a", "old", *(f"file_{n}" for n in range(8))]
    changes = [["a", "new"], ["a"], ["a"], large, large]
    assert [item.path for item in files_changed_together("a", changes, 1)] == ["file_0"]
    found = co_change_likelihoods("a", changes)
    assert max(found, key=lambda other: found[other]) == "new"
    # The first has the part of the commits that it was in, the others less.
    assert found["new"] == 1 / 5 and 0 < found["old"] < 1 / 5
    assert co_change_likelihoods("a", [["a"], ["b", "c"]]) == co_change_likelihoods("a", []) == {}


def test_owners_are_those_who_made_most_of_the_commits() -> None:
    log = [("Ada", 5_000), ("Grace", 9_000), ("Ada", 7_000), ("Alan", 9_000)]
    found = [
        (owner.name, owner.commits, owner.share, owner.last[-3:])
        for owner in rank_file_owners(log, 2)
    ]
    assert found == [("Ada", 2, 0.5, "07Z"), ("Alan", 1, 0.25, "09Z")]
    assert rank_file_owners([], 3) == []
