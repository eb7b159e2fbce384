"""Clauses joined into one definition."""

from __future__ import annotations

from gitmem.indexing.syntax import extract
from gitmem.indexing.syntax.values import Definition


def _define(name: str, start: int, container: str = "", doc: str = "") -> Definition:
    return Definition(
        name=name,
        kind="function",
        signature=f"{name} {start}",
        doc=doc,
        container=container,
        start_line=start,
        end_line=start,
        exported=False,
        line=start,
    )


def test_neighbours_of_one_name_become_one_with_the_first_signature() -> None:
    (result,) = extract.join_function_clauses(
        [_define("a", 1), _define("a", 2, doc="Says it."), _define("a", 5)]
    )
    assert (result.signature, result.start_line, result.end_line, result.doc) == (
        "a 1",
        1,
        5,
        "Says it.",
    )


def test_another_name_between_parts_clauses() -> None:
    output = extract.join_function_clauses([_define("a", 1), _define("b", 2), _define("a", 3)])
    assert [(item.name, item.start_line) for item in output] == [("a", 1), ("b", 2), ("a", 3)]


def test_what_a_clause_contains_does_not_part_it_from_the_next() -> None:
    output = extract.join_function_clauses(
        [_define("a", 1), _define("inner", 2, "a"), _define("a", 3)]
    )
    assert [(item.name, item.end_line) for item in output] == [("a", 3), ("inner", 2)]


def test_the_same_name_in_other_containers_stays_apart() -> None:
    assert len(extract.join_function_clauses([_define("a", 1, "X"), _define("a", 2, "Y")])) == 2
