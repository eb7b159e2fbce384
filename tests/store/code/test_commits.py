"""Commits in the store: once each, without secrets, searchable."""

from __future__ import annotations

from gitmem.store.code import code_search, commits
from gitmem.store.code.commits import IndexedCommit
from gitmem.store.db.connection import Database
from gitmem.store.db.content_hash import hash_text
from tests.support.secrets import SECRET, leaked


def made(number: int, subject: str = "Mend the cart", **fields: object) -> IndexedCommit:
    values = {"author": "Ada", "at": number * 1000, "body": "", "paths": ("src/cart.py",)} | fields
    return IndexedCommit(sha=f"{number:040x}", subject=subject, hash=hash_text(subject), **values)  # type: ignore[arg-type]


def add(database: Database, *every: IndexedCommit) -> int:
    with database.write():
        return commits.add_commits(database, every)


def finds(database: Database, expression: str) -> int:
    return code_search.count_full_text_matches(database, "commit", expression, 100)


def test_a_commit_is_stored_once(database: Database) -> None:
    assert add(database, made(1), made(2)) == 2
    assert add(database, made(2), made(3)) == 1
    assert commits.count_commits(database) == 3
    assert commits.indexed_commit_ids(database) == {f"{number:040x}" for number in (1, 2, 3)}
    assert finds(database, "cart") == 3


def test_it_comes_back_as_it_was(database: Database) -> None:
    result = made(1, body="Two\nlines", paths=("a b.py", "größe.py"))
    none = made(2, paths=())
    add(database, result, none)
    found = commits.commits_by_row_number(database, [1, 2, 99])
    assert found[1].paths == result.paths and found[1].body == result.body
    assert found[2].paths == ()
    assert set(found) == {1, 2}


def test_no_secret_is_stored(database: Database) -> None:
    add(database, made(1, f"Use {SECRET}", body=f"token = {SECRET}"))
    assert not leaked(repr(database.rows("SELECT * FROM commits")).encode())
    assert finds(database, f'"{SECRET}"') == 0
    assert finds(database, "redacted") == 1


def test_dropped_is_not_found(database: Database) -> None:
    add(database, made(1), made(2))
    with database.write():
        assert commits.delete_commits(database, [f"{1:040x}", "f" * 40]) == 1
    assert finds(database, "cart") == 1
    assert code_search.count_full_text_matches(database, "message", "cart", 9) == 1
    assert commits.count_commits(database) == 1


def test_a_message_is_found_without_its_paths(database: Database) -> None:
    add(database, made(1, "Mend getPrice", body="and more", paths=("src/shelf.py",)))
    found = [
        code_search.count_full_text_matches(database, "message", word, 9)
        for word in ("price", "more")
    ]
    assert found == [1, 1]
    assert code_search.count_full_text_matches(database, "message", "shelf", 9) == 0
    assert finds(database, "shelf") == 1


def test_commits_that_name_an_issue_are_known_by_it(database: Database) -> None:
    add(database, made(1, "Mend #7"), made(2, body="See #7 and SHOP-12"), made(3, "Tidy"))
    assert commits.issues_of_commits(database, [1, 2, 3]) == ["#7", "SHOP-12"]
    assert commits.issues_of_commits(database, [3]) == []
    assert commits.commit_row_numbers_by_issue(database, ["#7", "SHOP-12", "#8"], 9) == {
        "#7": [1, 2],
        "SHOP-12": [2],
    }
    assert commits.commit_row_numbers_by_issue(database, ["#7", "SHOP-12"], 1) == {"SHOP-12": [2]}
    with database.write():
        commits.delete_commits(database, [f"{2:040x}"])
    assert commits.commit_row_numbers_by_issue(database, ["#7", "SHOP-12"], 9) == {"#7": [1]}


def test_by_time_and_author(database: Database) -> None:
    add(database, made(1), made(2, author="Grace Hopper"), made(3, author="ÉMILE"))
    assert commits.commit_row_numbers_in_period(database, 2000, "") == {2, 3}
    assert commits.commit_row_numbers_in_period(database, 0, "hopper") == {2}
    assert commits.commit_row_numbers_in_period(database, 0, "émile") == {3}
    assert commits.commit_row_numbers_in_period(database, 3000, "grace") == set()
