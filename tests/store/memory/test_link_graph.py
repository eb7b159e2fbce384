"""Links of many memories at once, and who replaced whom."""

from __future__ import annotations

from gitmem.model.memory import Link
from gitmem.store.db.connection import Database
from gitmem.store.memory import link_graph, memory_writes
from tests.support.stores import START, keep, said

A, B, C = ("A" * 26, "B" * 26, "C" * 26)


def tie(database: Database, source: str, target: str, relation: str = "SOLVES") -> str:
    id = f"{len(link_graph.links_of_memories(database, (A, B, C))):026d}"
    with database.write():
        memory_writes.add_link(database, Link(id, source, target, relation, 0.5, "why", START))
    return id


def test_each_link_is_found_once_from_either_end(database: Database) -> None:
    item, two = tie(database, A, B), tie(database, B, C, "CAUSES")
    assert [link.id for link in link_graph.links_of_memories(database, {A, B})] == [item, two]
    assert [link.id for link in link_graph.links_of_memories(database, {C})] == [two]
    assert link_graph.links_of_memories(database, set()) == []
    assert link_graph.has_link(database, A, B, "SOLVES")
    assert not link_graph.has_link(database, B, A, "SOLVES")


def test_a_thousand_ids_are_one_question(database: Database) -> None:
    tie(database, A, B)
    assert (
        len(link_graph.links_of_memories(database, [A, *(f"{n:026d}" for n in range(5000))])) == 1
    )


def test_of_many_ids_those_that_are_here_are_read(database: Database) -> None:
    saved = keep(database, said("Fact", id=A))
    assert link_graph.memories_by_id(database, (A, B, "commit:" + "c" * 40)) == {A: saved}


def test_a_replacement_is_known_by_the_memory_or_by_the_link(database: Database) -> None:
    """CF-45."""
    keep(database, said("Old", seed=1, id=A, superseded_by=B))
    keep(database, said("Newer", seed=2, id=B))
    tie(database, C, B, "SUPERSEDES")
    tie(database, C, A, "SOLVES")
    assert link_graph.replacing_memory_ids(database, {A}) == {B}
    assert link_graph.replacing_memory_ids(database, {A, B}) == {B, C}
    assert link_graph.replacing_memory_ids(database, {C}) == set()
    assert sorted(link_graph.replacement_pairs(database)) == [(B, A), (C, B)]
