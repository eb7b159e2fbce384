"""Which feature something belongs to (ML-29): the branch, or what somebody named it, by moment."""

from __future__ import annotations

from gitmem.timeline.features import (
    IDLE_MS,
    MOST_FILES,
    BranchFeatureAssignment,
    Feature,
    FileViewOrQuestion,
    feature_assignment_at,
    gather_features,
)

MAIN, SIDE = ("/w", "main"), ("/w", "side")


def test_a_name_holds_from_its_moment_on_in_its_place() -> None:
    namings = [BranchFeatureAssignment(10, MAIN, "pay"), BranchFeatureAssignment(30, MAIN, "")]
    for place, at, name in (
        (MAIN, 9, "main"),
        (MAIN, 10, "pay"),
        (MAIN, 29, "pay"),
        (MAIN, 30, "main"),
        (SIDE, 20, "side"),
        (("/other", "main"), 20, "main"),
    ):
        assert feature_assignment_at(namings, place, at).name == name, (place, at)


def test_views_and_questions_go_to_the_feature_of_their_moment() -> None:
    namings = [BranchFeatureAssignment(10, MAIN, "pay")]
    observed = [
        FileViewOrQuestion(5, MAIN, path="a.py"),
        FileViewOrQuestion(12, MAIN, path="b.py"),
        FileViewOrQuestion(15, MAIN, path="c.py"),
        FileViewOrQuestion(14, MAIN, question="how"),
        FileViewOrQuestion(40, SIDE, path="b.py"),
    ]
    assert gather_features(namings, observed) == [
        Feature("side", False, 40, ("b.py",), ()),
        Feature("pay", True, 15, ("c.py", "b.py"), ("how",)),
        Feature("main", False, 5, ("a.py",), ()),
    ]


def test_it_is_capped_and_without_a_name_nothing() -> None:
    observed = [FileViewOrQuestion(n, MAIN, path=f"{n}.py") for n in range(30)]
    (result,) = gather_features([], [*observed, FileViewOrQuestion(1, ("/w", ""), path="x")])
    assert result.files == tuple(f"{n}.py" for n in range(29, 29 - MOST_FILES, -1))


def test_it_is_idle_after_half_an_hour() -> None:
    result = Feature("pay", True, 100, (), ())
    assert not result.is_idle(100 + IDLE_MS)
    assert result.is_idle(101 + IDLE_MS)
