"""From one store to another: nothing is lost, and what was interrupted is known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.model.frozen import replace
from gitmem.model.memory import Link, Memory
from gitmem.store.db.connection import Database
from gitmem.store.file import integrity
from gitmem.store.memory import memories, memory_writes, move_memory
from tests.support.stores import START, edited, keep, make_store, said

LINK = "{:026d}"


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Database]:
    """The other store."""
    made = make_store(tmp_path / "shared" / "memory.db", seed=1)
    made.scope = "global"
    yield made
    made.close()


def move(source: Database, target: Database, memory: Memory) -> Memory:
    new = replace(memory, scope=target.scope)
    with target.write():
        stored = move_memory.copy_memory_between_stores(
            target,
            source,
            memory,
            new,
            at_ms=START + 9,
            action="promoted",
            agent="",
        )
    with source.write():
        memory_writes.remove_memory(source, memory.id)
    return stored


def tie(database: Database, number: int, source: str, target: str) -> Link:
    link = Link(LINK.format(number), source, target, "SOLVES", 0.7, "because", START)
    with database.write():
        memory_writes.add_link(database, link)
    return link


def test_history_use_and_anchors_come_with_it(database: Database, shared: Database) -> None:
    """CF-40."""
    first = keep(database, said(paths=("src/app.py",)))
    memory = edited(database, first, content="Redis listens on 6381")
    with database.write():
        memory_writes.increment_access_counts(database, [memory.id], START + 3)
        database.run(
            "INSERT INTO anchors VALUES (?, 1, 'src/app.py', 'src/app.py', NULL, NULL, '', 'b', "
            "'c', 'p', 5, 'd', 6)",
            (memory.id,),
        )
    stored = move(database, shared, memory)
    assert memories.get_memory(shared, memory.id) == stored
    assert (stored.id, stored.version, stored.content) == (memory.id, 3, memory.content)
    found = [
        (item.memory.content, item.action) for item in memories.earlier_versions(shared, memory.id)
    ]
    assert found == [(first.content, "revised"), (memory.content, "promoted")]
    assert memories.access_count_and_time(shared, memory.id) == (1, START + 3)
    assert shared.rows("SELECT memory, path, at FROM anchors") == [(memory.id, "src/app.py", 5)]


def test_the_first_store_forgets_it_without_a_tombstone(
    database: Database, shared: Database
) -> None:
    """A tombstone would keep it from ever coming back."""
    memory = keep(database, said())
    move(database, shared, memory)
    assert memories.get_memory(database, memory.id) is None
    assert not memory_writes.is_memory_purged(database, memory.id)
    for table in ("versions", "usage", "anchors", "links", "memory_tags", "memory_marks"):
        assert database.value(f"SELECT count(*) FROM {table}") == 0
    assert integrity.index_problems(database) == integrity.index_problems(shared) == []


def test_there_and_back_again_it_says_the_same(database: Database, shared: Database) -> None:
    memory = keep(database, said(metadata='{"k": 1}'))
    there = move(database, shared, memory)
    back = move(shared, database, there)
    assert replace(back, seq=0, version=1, updated_at=memory.updated_at) == replace(memory, seq=0)
    assert len(memories.earlier_versions(database, memory.id)) == 2


def test_a_link_is_noted_while_its_ends_are_apart(database: Database, shared: Database) -> None:
    result, other = (keep(database, said(f"Fact {seed}", seed=seed)) for seed in range(2))
    link = tie(database, 1, result.id, other.id)
    there = move(database, shared, result)
    assert (
        memories.links_of_memory(database, other.id)
        == memories.links_of_memory(shared, result.id)
        == []
    )
    assert "because" in there.metadata
    back = move(shared, database, there)
    assert memories.links_of_memory(database, other.id) == [link]
    assert back.metadata == "{}"


def test_a_link_goes_along_where_both_ends_are_there(database: Database, shared: Database) -> None:
    result, other = (keep(database, said(f"Fact {seed}", seed=seed)) for seed in range(2))
    link = tie(database, 1, result.id, other.id)
    move(database, shared, result)
    move(database, shared, other)
    assert (
        memories.links_of_memory(shared, result.id)
        == memories.links_of_memory(shared, other.id)
        == [link]
    )


def test_a_link_to_a_commit_is_one_only_in_the_repository(
    database: Database, shared: Database
) -> None:
    memory = keep(database, said())
    link = tie(database, 1, memory.id, "commit:" + "a" * 40)
    there = move(database, shared, memory)
    assert memories.links_of_memory(shared, memory.id) == []
    move(shared, database, there)
    assert memories.links_of_memory(database, memory.id) == [link]


def test_moves_on_their_way_are_noted_until_they_are_settled(database: Database) -> None:
    with database.write():
        move_memory.record_memory_move(database, "A", "project")
        move_memory.record_memory_move(database, "B", "global")
    assert move_memory.pending_memory_moves(database) == {"A": "project", "B": "global"}
    with database.write():
        move_memory.clear_memory_move_record(database, "A")
        move_memory.clear_memory_move_record(database, "never noted")
    assert move_memory.pending_memory_moves(database) == {"B": "global"}
    with database.write():
        move_memory.clear_memory_move_record(database, "B")
    assert database.value("SELECT count(*) FROM meta WHERE key = 'moving'") == 0


@pytest.mark.parametrize("noted", ["7", "[7]", '[{"id": "x"}]', '{"a": 1}', '"text"'])
def test_nonsense_in_the_note_of_links_does_no_harm(
    database: Database, shared: Database, noted: str
) -> None:
    """Anybody can write metadata."""
    memory = keep(database, said(metadata=f'{{"links elsewhere": {noted}}}'))
    there = move(database, shared, memory)
    assert memories.links_of_memory(shared, there.id) == []
