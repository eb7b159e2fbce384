"""Which files come next (ML-17): from views, questions, imports and commits, without any store."""

from __future__ import annotations

from gitmem.timeline.prediction import (
    MAX_PREDICTED_FILES,
    WINDOW_MS,
    co_view_fractions,
    files_viewed_after_similar_questions,
    rank_predicted_files,
)


def test_views_within_five_minutes_count_by_session() -> None:
    views = [
        ("s", "a", 1000),
        ("s", "b", 1000 + WINDOW_MS),
        ("s", "c", 1001 + WINDOW_MS),
        ("t", "a", 5),
        ("t", "d", 3),
        ("t", "b", 9),
        ("u", "e", 5),
    ]
    assert co_view_fractions("a", views) == {"b": 1.0, "d": 0.5}
    assert co_view_fractions("x", views) == {}


def test_what_followed_a_question_alike_is_named() -> None:
    queries = [
        ("s", frozenset(("lock", "pool")), 100),
        ("t", frozenset(("colour", "theme")), 100),
        ("u", frozenset(("lock", "a", "b")), 100),
    ]
    views = [
        ("s", "before.py", 99),
        *(("s", f"{n}.py", 100 + n) for n in range(5)),
        ("t", "theme.py", 110),
        ("u", "u.py", 120),
    ]
    assert files_viewed_after_similar_questions(("lock", "pool"), queries, views) == {
        "0.py": 1.0,
        "1.py": 1.0,
        "2.py": 1.0,
    }
    assert files_viewed_after_similar_questions((), queries, views) == {}


def test_the_sources_are_added_capped_and_only_files_that_are_there_are_named() -> None:
    votes = {
        "changed together": {"b": 0.5, "gone": 1.0},
        "imports": {"b": 1.0, "c": 1.0},
    }
    first, second = rank_predicted_files(votes, "abc")
    assert (first.path, first.why) == ("b", ("changed together", "imports"))
    assert second.path == "c" and first.score > second.score
    many = {"changed together": {f"{n:02}": 1.0 for n in range(30)}}
    assert len(rank_predicted_files(many, many["changed together"])) == MAX_PREDICTED_FILES
    both = rank_predicted_files({**many, "imports": {"29": 1.0}}, many["changed together"])
    assert (both[0].path, both[0].why) == ("29", ("changed together", "imports"))
    views = {"viewed together": {f"{n:02}": 1.0 for n in range(30)}}
    assert len(rank_predicted_files(views, views["viewed together"])) == 5
