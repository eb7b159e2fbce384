"""Marks as useful and wrong: the average, what a score is multiplied by, who is doubted (ML-19)."""

from __future__ import annotations

from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from gitmem.memory import feedback
from gitmem.memory.feedback import NONE, USEFUL, WRONG, MemoryFeedback

MARKS = st.lists(st.sampled_from((USEFUL, WRONG)), max_size=30)


def message(marks: list[str]) -> MemoryFeedback:
    return reduce(feedback.add_mark_to_feedback, marks, NONE)


def test_the_average_moves_by_three_tenths() -> None:
    for marks, average, doubted in (
        ([], 0.0, False),
        ([USEFUL], 0.3, False),
        ([USEFUL, USEFUL], 0.51, False),
        ([WRONG], -0.3, True),
        ([WRONG, USEFUL], 0.09, False),
        ([WRONG, WRONG, USEFUL], -0.057, True),
        ([USEFUL] * 5 + [WRONG], 0.2823, True),
    ):
        found = message(marks)
        assert (round(found.average, 4), found.doubted) == (average, doubted), marks
        assert (found.useful, found.wrong) == (marks.count(USEFUL), marks.count(WRONG))


@given(MARKS)
def test_one_more_useful_mark_never_lowers_and_one_more_wrong_never_raises(
    marks: list[str],
) -> None:
    known = message(marks)
    assert feedback.feedback_rank_factor(
        feedback.add_mark_to_feedback(known, USEFUL)
    ) >= feedback.feedback_rank_factor(known)
    assert feedback.feedback_rank_factor(
        feedback.add_mark_to_feedback(known, WRONG)
    ) <= feedback.feedback_rank_factor(known)
    assert known.doubted or not feedback.add_mark_to_feedback(known, USEFUL).doubted
    assert feedback.add_mark_to_feedback(known, WRONG).doubted
    assert 0.5 <= feedback.feedback_rank_factor(known) <= 1.5


def test_each_useful_mark_adds_a_twentieth_up_to_ten() -> None:
    factors = [
        feedback.feedback_rank_factor(message([USEFUL] * count)) for count in (0, 1, 2, 10, 20)
    ]
    assert [round(factor, 4) for factor in factors] == [1.0, 1.05, 1.1, 1.5, 1.5]


def test_what_is_no_feedback_of_ours_counts_for_nothing() -> None:
    for metadata in ("", "{}", '{"feedback": "great"}', '{"feedback": {}}', '{"x": "feedback"}'):
        assert feedback.read_feedback(metadata) == NONE, metadata
    loud = feedback.read_feedback(
        '{"feedback": {"average": 99, "useful": -5, "wrong": "x", "doubted": 1}}'
    )
    assert loud == MemoryFeedback(1.0, 0, 0, False)
