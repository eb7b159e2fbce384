"""The index follows the memories and can be made again from them at any time."""

from __future__ import annotations

from gitmem.store import derived, text_index
from gitmem.store.connection import Database
from gitmem.store.filters import Filter
from tests.support.stores import edited, keep, said


def found(database: Database, word: str, column: str = "") -> int:
    return text_index.frequency(database, f"{column}: {word}" if column else word, 100)


def test_words_tags_and_parts_of_identifiers_are_found(database: Database) -> None:
    keep(
        database,
        said(
            "Uses getUserName", title="Redis cache", tags=("deploy",), paths=("src/app_config.py",)
        ),
    )
    assert found(database, "cache", "title") == 1
    assert found(database, "getusername", "body") == 1
    assert found(database, "deploy", "tags") == 1
    assert all(found(database, word, "parts") == 1 for word in ("user", "name", "config"))


def test_an_edit_takes_the_old_words_out(database: Database) -> None:
    stored = keep(database, said("alpha", tags=("one",)))
    edited(database, stored, content="beta", tags=("two",))
    assert [found(database, word) for word in ("alpha", "one", "beta", "two")] == [0, 0, 1, 1]
    assert database.rows("SELECT tag FROM memory_tags") == [("two",)]


def test_building_again_gives_the_same_index(database: Database) -> None:
    for seed in range(30):
        keep(database, said(f"Fact number{seed % 7}", seed=seed, tags=(f"t{seed % 3}",)))
    query = "number3 OR number5"
    before = text_index.match(database, query, Filter(), 50)
    tags = database.rows("SELECT * FROM memory_tags ORDER BY tag, seq")
    with database.write():
        assert derived.rebuild(database) == 30
    assert text_index.match(database, query, Filter(), 50) == before
    assert database.rows("SELECT * FROM memory_tags ORDER BY tag, seq") == tags


def test_a_missing_and_a_stray_row_are_noticed_and_mended(database: Database) -> None:
    stored = keep(database, said())
    assert derived.check(database) == []
    with database.write():
        derived.drop(database, stored.seq)
        database.run("INSERT INTO memory_tags (tag, seq) VALUES ('x', 99)")
    assert len(derived.check(database)) == 2
    with database.write():
        derived.rebuild(database)
    assert derived.check(database) == []


def test_compacting_loses_no_word(database: Database) -> None:
    for seed in range(40):
        keep(database, said(f"Fact number{seed}", seed=seed))
    with database.write():
        derived.compact(database)
    assert all(found(database, f"number{seed}") == 1 for seed in range(40))
