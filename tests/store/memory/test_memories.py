"""What is read is what was written, or it is reported as damaged."""

from __future__ import annotations

import pytest

from gitmem.model.frozen import replace
from gitmem.model.memory import Link, Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes, near_duplicates
from gitmem.store.memory.filters import MemoryFilter
from tests.support.stores import START, edited, keep, said

ALL = MemoryFilter(states=())


def fill(database: Database, count: int) -> list[Memory]:
    return [keep(database, said(f"Fact {seed}", seed=seed)) for seed in range(count)]


def test_a_memory_comes_back_as_it_was_stored(database: Database) -> None:
    given = said(
        "Body\nwith lines",
        title="Title",
        tags=("a", "b"),
        paths=("src/a.py:1-2",),
        importance=1,
        confidence=0,
        pinned=True,
        metadata='{"k": [1, {"deep": null}]}',
        ttl_ms=5,
        expires_at=START + 5,
    )
    stored = keep(database, given)
    assert memories.get_memory(database, given.id) == stored
    assert replace(stored, seq=0) == given


def test_an_unknown_id_is_none(database: Database) -> None:
    assert memories.get_memory(database, "0" * 26) is None


def test_the_newest_come_first_and_pages_meet(database: Database) -> None:
    stored = fill(database, 7)
    pages = [
        memory
        for offset in (0, 3, 6)
        for memory in memories.select_memories(database, ALL, limit=3, offset=offset)
    ]
    assert pages == stored[::-1]
    assert memories.count_filtered_memories(database, ALL) == 7


def test_ordered_by_the_last_edit(database: Database) -> None:
    first, second = fill(database, 2)
    edited(database, first, content="Edited")
    found = memories.select_memories(database, ALL, limit=9, order="updated_at")
    assert [memory.id for memory in found] == [first.id, second.id]


def test_by_seq_keeps_to_the_filter(database: Database) -> None:
    result, two, three = fill(database, 3)
    edited(database, two, archived_at=START)
    found = memories.memories_by_row_number(database, [result.seq, two.seq], MemoryFilter())
    assert [memory.id for memory in found] == [result.id]
    assert three.id not in {memory.id for memory in found}


@pytest.mark.parametrize(
    "change", [{"archived_at": 1}, {"superseded_by": "0" * 26}, {"status": "deprecated"}]
)
def test_only_a_living_memory_says_the_same(database: Database, change: dict[str, object]) -> None:
    stored = keep(database, said())
    assert near_duplicates.find_identical_memory(database, stored) == stored
    edited(database, stored, **change)
    assert near_duplicates.find_identical_memory(database, stored) is None


def test_a_proposal_says_the_same_as_well(database: Database) -> None:
    """Repeated, it is not stored a second time."""
    proposed = keep(database, said(status="proposed"))
    assert near_duplicates.find_identical_memory(database, proposed) == proposed


def test_every_memory_once_in_order_of_id(database: Database) -> None:
    with database.write():
        for seed in range(2003):
            memory = said(f"Fact {seed}", seed=seed)
            memory_writes.insert_memory(database, memory)
    found = [memory.id for memory in memories.all_memories(database)]
    assert len(found) == 2003
    assert found == sorted(set(found))


def test_history_tells_the_earlier_versions_oldest_first(database: Database) -> None:
    first = keep(database, said("One"))
    second = edited(database, first, "revised", content="Two")
    edited(database, second, "archived", archived_at=START)
    output = memories.earlier_versions(database, first.id)
    assert [(item.memory.content, item.memory.version, item.action) for item in output] == [
        ("One", 1, "revised"),
        ("Two", 2, "archived"),
    ]


DAMAGE = {
    "content": "content = 'other'",
    "title": "title = 'x'",
    "a number": "weight = 5",
    "tags that are no list": "tags = '[\"a\"'",
    "tags that are a number": "tags = '7'",
    "text that is not UTF-8": "content = CAST(x'ff41' AS TEXT)",
    "its id": "id = '01ARYZ6S410000000000000000'",
    "the hash": "hash = x'00'",
}
READS = (
    lambda database: memories.select_memories(database, ALL, limit=9),
    lambda database: memories.memories_by_row_number(database, [1, 2], ALL),
    lambda database: list(memories.all_memories(database)),
    lambda database: filter(
        None, [memories.get_undamaged_memory(database, row[0]) for row in _ids(database)]
    ),
)


def _ids(database: Database) -> list[tuple[str]]:
    return database.rows("SELECT id FROM memories")


@pytest.mark.parametrize("how", DAMAGE)
def test_a_row_that_was_changed_behind_our_back_is_never_shown(
    database: Database, how: str
) -> None:
    stored, other = fill(database, 2)
    database.run(f"UPDATE memories SET {DAMAGE[how]} WHERE seq = ?", (stored.seq,))
    for read in READS:
        database.left_out.clear()
        assert [item.id for item in read(database)] == [other.id]
        assert list(database.left_out.values()) == ["damaged"]
    assert memories.get_memory(database, other.id) == other


@pytest.mark.parametrize("how", ["{", "{}", "[]", "7", '{"hash": "x"}'])
def test_an_earlier_version_that_was_changed_is_never_shown(database: Database, how: str) -> None:
    stored = keep(database, said())
    edited(database, stored, content="Two")
    database.run("UPDATE versions SET snapshot = ?", (how,))
    assert memories.earlier_versions(database, stored.id) == []
    assert database.left_out == {stored.id: "damaged"}


def test_of_several_earlier_versions_one_that_is_no_text_hides_no_other(
    database: Database,
) -> None:
    stored = keep(database, said("One"))
    for text in ("Two", "Three", "Four"):
        stored = edited(database, stored, content=text)
    database.run("UPDATE versions SET snapshot = CAST(x'ff' AS TEXT) WHERE version = 2")
    output = memories.earlier_versions(database, stored.id)
    assert [item.memory.content for item in output] == ["One", "Three"]
    assert database.left_out == {stored.id: "damaged"}


def test_a_word_changed_in_an_earlier_version_is_noticed(database: Database) -> None:
    stored = keep(database, said("Port 6380"))
    edited(database, stored, content="Two")
    database.run("UPDATE versions SET snapshot = replace(snapshot, '6380', '6381')")
    assert memories.earlier_versions(database, stored.id) == []
    assert database.left_out == {stored.id: "damaged"}


def test_links_from_and_to_a_memory(database: Database) -> None:
    result, two, three = fill(database, 3)
    made = [
        Link("A" * 26, result.id, two.id, "SOLVES", 0.5, "", START),
        Link("B" * 26, three.id, result.id, "CAUSES", 1.0, "why", START),
        Link("C" * 26, three.id, two.id, "CAUSES", 1.0, "", START),
    ]
    with database.write():
        assert all(memory_writes.add_link(database, link) for link in made)
    assert memories.links_of_memory(database, result.id) == made[:2]
    assert memories.all_links(database) == made
