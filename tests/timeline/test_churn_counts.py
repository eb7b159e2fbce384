"""Hotspots, bus factor, and pairs of files that change together."""

from __future__ import annotations

from gitmem.timeline import churn_counts
from gitmem.timeline.churn_counts import CoChangedFiles


def test_a_hotspot_changes_often_and_is_large() -> None:
    changes = [("a.py", "b.py"), ("a.py",), ("a.py", "gone.py"), ("b.py",), ("c.py", "c.py")]
    found = churn_counts.find_hotspots(changes, {"a.py": 100, "b.py": 1000, "c.py": 1}, 10)
    assert [(item.path, item.commits, item.lines) for item in found] == [
        ("a.py", 3, 100),
        ("b.py", 2, 1000),
        ("c.py", 1, 1),
    ]
    assert (found[0].score, found[1].score) == (1.0, 0.996)
    # Twice as many changes count more than ten times the lines.
    assert (
        churn_counts.find_hotspots([("x",), ("x",), ("y",)], {"x": 50, "y": 500}, 1)[0].path == "x"
    )
    assert churn_counts.find_hotspots([], {"a": 1}, 5) == []


def test_the_bus_factor_is_how_few_made_more_than_half() -> None:
    for authors, factor in (
        ("", 0),
        ("a", 1),
        ("aab", 1),
        ("ab", 2),  # half is not more than half
        ("aabbcc", 2),
        ("abcd", 3),
    ):
        assert churn_counts.bus_factor(authors) == factor, authors


def test_a_pair_has_support_confidence_and_lift() -> None:
    changes = [("a", "b"), ("a", "b"), ("a",), ("c",), ("c",), ("d",)]
    assert churn_counts.find_co_changed_files(changes, 5, {"a"}) == [
        CoChangedFiles("a", "b", 2, 0.3333, 1.0, 2.0)
    ]
    assert churn_counts.find_co_changed_files(
        changes, 5, {"b"}
    ) == churn_counts.find_co_changed_files(changes, 5, {"a"})
    assert churn_counts.find_co_changed_files(changes, 5, {"c"}) == []


def test_what_changes_in_every_commit_is_no_pair_and_neither_is_a_clean_up() -> None:
    always = [("log", name) for name in "abab"]
    assert churn_counts.find_co_changed_files(always, 5, {"log"}) == []
    sweeping = [tuple(f"f{number}" for number in range(churn_counts.SWEEPING + 1))] * 3
    assert churn_counts.find_co_changed_files([*sweeping, ("x",)], 5, {"f0"}) == []
    just = [tuple(f"f{number}" for number in range(churn_counts.SWEEPING))] * 3
    assert (
        len(churn_counts.find_co_changed_files([*just, ("x",)], 500, {"f0"}))
        == churn_counts.SWEEPING - 1
    )
    assert (
        churn_counts.find_co_changed_files([("a", "b"), ("c",)], 5, {"a"}) == []
    )  # once is an accident
