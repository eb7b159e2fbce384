"""Words to rows, with scores; narrowed before the best are taken."""

from __future__ import annotations

from gitmem.store.code import code_search, commits
from gitmem.store.db.connection import Database
from tests.store.code.test_commits import made
from tests.store.code.test_indexed_files import HERE, blob, show


def filled(database: Database) -> None:
    show(database, HERE, redis=blob(database, "a" * 40, "a cache"))
    show(database, HERE, cache=blob(database, "b" * 40, "talks to redis", "redis redis"))
    with database.write():
        commits.add_commits(
            database,
            [
                made(1, "Use redis", paths=()),
                made(2, "x", body="redis"),
                made(3, "y", paths=("redis",)),
            ],
        )


def test_the_path_says_more_than_the_text(database: Database) -> None:
    filled(database)
    found = code_search.best_matching_rows(database, "chunk", "redis", 9)
    assert found[0][0] == 1
    assert all(score > 0 for _, score in found)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_the_subject_says_more_than_the_body_and_the_body_more_than_paths(
    database: Database,
) -> None:
    filled(database)
    assert [
        number for number, _ in code_search.best_matching_rows(database, "commit", "redis", 9)
    ] == [1, 2, 3]


def test_other_weights_give_another_order(database: Database) -> None:
    filled(database)
    found = code_search.best_matching_rows(
        database, "commit", "redis", 9, column_weights=(0.1, 0.5, 9, 1)
    )
    assert [number for number, _ in found] == [3, 2, 1]


def test_a_limit_takes_the_best(database: Database) -> None:
    filled(database)
    every = code_search.best_matching_rows(database, "chunk", "redis", 9)
    assert code_search.best_matching_rows(database, "chunk", "redis", 1) == every[:1]


def test_narrowing_comes_before_the_limit(database: Database) -> None:
    filled(database)
    assert [n for n, _ in code_search.best_matching_rows(database, "chunk", "redis", 1, [2])] == [2]
    assert code_search.best_matching_rows(database, "chunk", "redis", 9, []) == []


def test_frequency_stops_at_its_cap(database: Database) -> None:
    filled(database)
    assert code_search.count_full_text_matches(database, "chunk", "redis", 99) == 3
    assert code_search.count_full_text_matches(database, "chunk", "redis", 2) == 2
    assert code_search.count_full_text_matches(database, "chunk", "nothing", 9) == 0


def test_each_row_says_which_words_it_holds(database: Database) -> None:
    filled(database)
    terms = {"Redis": '"redis"', "talks": '"talks"'}
    assert code_search.matching_expression_labels_by_row(database, "chunk", terms, [1, 2, 3]) == {
        1: ["Redis"],
        2: ["Redis", "talks"],
        3: ["Redis"],
    }
