"""Commits of one issue: they come right behind the one that answers, and nothing falls."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.search import commit_affinity


def test_the_others_of_its_issue_come_right_behind_the_one_that_answers() -> None:
    scores, by = commit_affinity.raise_scores_by_issue({1: 1.0, 2: 0.8, 3: 0.1}, {"#7": [1, 3, 4]})
    assert sorted(scores, key=lambda item: -scores[item]) == [1, 3, 4, 2]
    assert by == {3: "#7", 4: "#7"}


def test_an_issue_that_the_question_names_answers_fully() -> None:
    scores, by = commit_affinity.raise_scores_by_issue({1: 0.4}, {"#7": [5]}, ["#7"])
    assert scores[5] > scores[1] and by == {5: "#7"}


def test_the_better_of_two_issues_counts() -> None:
    scores, by = commit_affinity.raise_scores_by_issue(
        {1: 1.0, 2: 0.5}, {"#1": [1, 9], "#2": [2, 9]}
    )
    assert by[9] == "#1" and scores[9] > scores[2]


def test_issues_of_the_best_are_followed() -> None:
    scores = {number: number / 100 for number in range(1, 100)}
    assert commit_affinity.best_scored_commit_rows(scores) == list(
        range(99, 99 - commit_affinity.FIRST, -1)
    )


NUMBERS = st.integers(0, 20)


@given(
    st.dictionaries(NUMBERS, st.floats(0.01, 1)),
    st.dictionaries(st.sampled_from(["#1", "#2", "A-3"]), st.lists(NUMBERS, unique=True)),
)
def test_no_score_falls_and_none_passes_the_best(
    scores: dict[int, float], members: dict[str, list[int]]
) -> None:
    lifted, by = commit_affinity.raise_scores_by_issue(scores, members)
    assert all(lifted[number] >= score for number, score in scores.items())
    assert max(lifted.values(), default=0) == max(scores.values(), default=0)
    assert {number for number in lifted if lifted[number] != scores.get(number)} == set(by)


def test_where_meaning_counts_too_a_commit_comes_right_behind_the_best_by_both() -> None:
    cosines, meaning = {1: 0.6, 2: 0.5, 3: 0.1}, 0.5
    scores, _ = commit_affinity.raise_scores_by_issue(
        {1: 0.8, 2: 0.8}, {"#7": [1, 3]}, (), cosines, meaning
    )

    def whole(number: int) -> float:
        return (1 - meaning) * scores[number] + meaning * cosines[number]

    assert scores[1] == 0.8
    assert whole(1) > whole(3) > 0.9 * whole(1)
