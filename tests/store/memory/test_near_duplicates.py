"""Memories that share most of the rare words of a text."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.store.db.connection import Database
from gitmem.store.memory import near_duplicates
from tests.support.stores import keep, make_store, said


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return make_store(tmp_path / "memory.db")


def number(database: Database, text: str, seed: int) -> int:
    return keep(database, said(text, seed=seed)).seq


def query(database: Database, text: str, share: float = 0.6) -> list[int]:
    return near_duplicates.duplicate_candidate_rows(
        database, [f'"{word}"' for word in text.split()], share, 20
    )


def test_who_shares_most_comes_first_and_who_shares_little_is_left_out(database: Database) -> None:
    two = number(database, "redis port kafka", 1)
    all_of_them = number(database, "redis port tests 6380", 2)
    number(database, "redis is fast", 3)
    assert query(database, "redis port tests 6380", 0.5) == [all_of_them, two]


def test_words_that_no_memory_holds_end_the_search(database: Database) -> None:
    number(database, "redis port", 1)
    assert query(database, "redis port alpha beta gamma") == []


def test_where_few_words_are_rare_all_must_be_held(database: Database) -> None:
    for seed in range(near_duplicates.COMMON + 5):
        keep(database, said(f"the cache of worker w{seed}", seed=seed))
    seq = number(database, "cache worker redis", 9_999)
    assert query(database, "cache worker redis") == [seq]
    assert len(query(database, "cache worker")) == 20


def test_of_nothing_there_is_none(database: Database) -> None:
    assert near_duplicates.duplicate_candidate_rows(database, [], 0.6, 20) == []
