"""Links of many memories at once, and who replaced whom."""

from __future__ import annotations

from gitmem.model.memory import Link
from gitmem.store import graph, revisions
from gitmem.store.connection import Database
from tests.support.stores import START, keep, said

A, B, C = ("A" * 26, "B" * 26, "C" * 26)


def tie(database: Database, source: str, target: str, relation: str = "SOLVES") -> str:
    id = f"{len(graph.links_of(database, (A, B, C))):026d}"
    with database.write():
        revisions.add_link(database, Link(id, source, target, relation, 0.5, "why", START))
    return id


def test_each_link_is_found_once_from_either_end(database: Database) -> None:
    one, two = tie(database, A, B), tie(database, B, C, "CAUSES")
    assert [link.id for link in graph.links_of(database, {A, B})] == [one, two]
    assert [link.id for link in graph.links_of(database, {C})] == [two]
    assert graph.links_of(database, set()) == []
    assert graph.link_between(database, A, B, "SOLVES")
    assert not graph.link_between(database, B, A, "SOLVES")


def test_a_thousand_ids_are_one_question(database: Database) -> None:
    tie(database, A, B)
    assert len(graph.links_of(database, [A, *(f"{n:026d}" for n in range(5000))])) == 1


def test_of_many_ids_those_that_are_here_are_read(database: Database) -> None:
    kept = keep(database, said("Fact", id=A))
    assert graph.memories_of(database, (A, B, "commit:" + "c" * 40)) == {A: kept}


def test_a_replacement_is_known_by_the_memory_or_by_the_link(database: Database) -> None:
    """CF-45."""
    keep(database, said("Old", seed=1, id=A, superseded_by=B))
    keep(database, said("Newer", seed=2, id=B))
    tie(database, C, B, "SUPERSEDES")
    tie(database, C, A, "SOLVES")
    assert graph.replacing(database, {A}) == {B}
    assert graph.replacing(database, {A, B}) == {B, C}
    assert graph.replacing(database, {C}) == set()
    assert sorted(graph.replaced(database)) == [(B, A), (C, B)]
