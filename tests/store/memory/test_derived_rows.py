"""The index follows the memories and can be made again from them at any time."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.store.db import full_text
from gitmem.store.db.connection import Database
from gitmem.store.memory import derived_rows, memory_search
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.memory.memory_writes import purge_memory
from tests.support.amounts import examples
from tests.support.stores import edited, keep, make_store, said


def found(database: Database, word: str, column: str = "") -> int:
    return full_text.count_matching_rows(
        database, "memory_text", f"{column}: {word}" if column else word, 100
    )


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


def say(database: Database, seed: int, text: str, session: str = "s", **fields: object) -> Memory:
    item = replace(said(text, seed=seed, kind="conversation"), session=session, created_at=seed)
    return keep(database, replace(item, **fields))


def heard(database: Database, word: str) -> list[int]:
    """The turns beside which a word was said."""
    rows = database.rows(f"SELECT rowid FROM memory_text WHERE memory_text MATCH 'near: {word}'")
    return [row[0] for row in rows]


def test_a_turn_of_a_conversation_is_found_by_its_neighbours_words(database: Database) -> None:
    turns = [say(database, seed, f"word{seed}").seq for seed in range(1, 7)]
    for at, seq in enumerate(turns):
        beside = [*turns[max(at - 2, 0) : at], *turns[at + 1 : at + 3]]
        assert heard(database, f"word{at + 1}") == beside, seq


def test_neighbours_are_reported_in_the_order_they_were_stated(database: Database) -> None:
    late, _ = say(database, 9, "late"), say(database, 1, "early")
    middle = say(database, 5, "middle")
    for seed in (6, 7):
        say(database, seed, "between")
    assert heard(database, "early") == sorted([middle.seq, middle.seq + 1])
    assert late.seq not in heard(database, "middle")


def test_only_turns_of_one_session_are_neighbours(database: Database) -> None:
    say(database, 1, "alpha", session="one")
    say(database, 2, "beta", session="two")
    say(database, 3, "gamma", session="")
    say(database, 4, "delta", session="")
    say(database, 5, "epsilon", session="one", kind="note")
    for word in ("alpha", "beta", "gamma", "delta", "epsilon"):
        assert heard(database, word) == []


def test_what_is_edited_or_taken_out_is_reported_no_more_beside_its_neighbours(
    database: Database,
) -> None:
    first, second, third = (say(database, seed, f"word{seed}") for seed in (1, 2, 3))
    edited(database, second, content="changed")
    assert heard(database, "word2") == []
    assert heard(database, "changed") == [first.seq, third.seq]
    with database.write():
        purge_memory(database, second.id, at_ms=9)
    assert heard(database, "changed") == []
    assert heard(database, "word1") == [third.seq]


@settings(max_examples=examples(12), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["say", "edit", "purge"]), st.integers(1, 9), st.sampled_from("ab")
        ),
        max_size=14,
    )
)
def test_neighbours_are_the_same_after_any_writes_and_after_building_again(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, str]]
) -> None:
    database = make_store(tmp_path_factory.mktemp("turns") / "memory.db")
    there: dict[int, Memory] = {}
    for number, (what, at, session) in enumerate(steps):
        if what == "say" or not there:
            result = say(database, 100 * at + number, f"new{number}", session)
            there[result.seq] = result
            continue
        seq = sorted(there)[at % len(there)]
        if what == "edit":
            there[seq] = edited(database, there[seq], content=f"edit{number}", session=session)
        else:
            with database.write():
                purge_memory(database, there.pop(seq).id, at_ms=1)
    words = [f"{kind}{number}" for kind in ("new", "edit") for number in range(len(steps))]
    before = [heard(database, word) for word in words]
    with database.write():
        derived_rows.rebuild_derived_rows(database)
    assert [heard(database, word) for word in words] == before
    database.close()


def test_building_again_gives_the_same_index(database: Database) -> None:
    for seed in range(30):
        keep(database, said(f"Fact number{seed % 7}", seed=seed, tags=(f"t{seed % 3}",)))
    query = "number3 OR number5"
    before = memory_search.best_matching_memories(database, query, MemoryFilter(), 50)
    tags = database.rows("SELECT * FROM memory_tags ORDER BY tag, seq")
    with database.write():
        assert derived_rows.rebuild_derived_rows(database) == 30
    assert memory_search.best_matching_memories(database, query, MemoryFilter(), 50) == before
    assert database.rows("SELECT * FROM memory_tags ORDER BY tag, seq") == tags


def test_a_missing_and_a_stray_row_are_noticed_and_mended(database: Database) -> None:
    stored = keep(database, said())
    assert derived_rows.derived_row_problems(database) == []
    with database.write():
        derived_rows.delete_derived_rows(database, stored.seq)
        database.run("INSERT INTO memory_tags (tag, seq) VALUES ('x', 99)")
    assert len(derived_rows.derived_row_problems(database)) == 2
    with database.write():
        derived_rows.rebuild_derived_rows(database)
    assert derived_rows.derived_row_problems(database) == []


def test_compacting_loses_no_word(database: Database) -> None:
    for seed in range(40):
        keep(database, said(f"Fact number{seed}", seed=seed))
    with database.write():
        derived_rows.merge_memory_text_index(database)
    assert all(found(database, f"number{seed}") == 1 for seed in range(40))
