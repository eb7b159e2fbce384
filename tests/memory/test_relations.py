"""Walks over links: every hop once, the shortest way, and an end in every cycle (CT-12)."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.memory import relations
from gitmem.memory.relations import LinksOf, Step
from gitmem.model.memory import Link

names = st.sampled_from("abcdefgh")
strengths = st.sampled_from([0.0, 0.25, 0.5, 1.0])
ties = st.lists(st.tuples(names, names, strengths), max_size=16).map(
    lambda found: [link(*one) for one in found if one[0] != one[1]]
)
pairs = st.lists(st.tuples(names, names), max_size=12)


def link(source: str, target: str, strength: float = 0.5, relation: str = "SOLVES") -> Link:
    return Link(f"{source}{target}{strength}", source, target, relation, strength, "", 0)


def among(links: list[Link]) -> LinksOf:
    def links_of(ids: Collection[str]) -> list[Link]:
        return [one for one in links if one.source in ids or one.target in ids]

    return links_of


def distances(links: list[Link], start: str) -> dict[str, int]:
    """By brute force: relax every link until nothing changes."""
    found = {start: 0}
    for _ in range(len(links) + 1):
        for one in links:
            for here, there in ((one.source, one.target), (one.target, one.source)):
                if here in found:
                    found[there] = min(found.get(there, 99), found[here] + 1)
    return found


@given(ties, names, st.integers(1, 4))
def test_a_memory_stands_at_its_smallest_hop(links: list[Link], start: str, depth: int) -> None:
    steps = relations.neighbours(start, among(links), depth=depth)
    expected = {id: hop for id, hop in distances(links, start).items() if 0 < hop <= depth}
    assert {step.id: step.hop for step in steps} == expected
    assert [step.hop for step in steps] == sorted(step.hop for step in steps)


@given(ties, names, names)
def test_a_path_is_the_shortest_and_hangs_together(
    links: list[Link], start: str, goal: str
) -> None:
    way = relations.path(start, goal, among(links))
    distance = distances(links, start).get(goal, 99)
    if distance > relations.DEEPEST:
        assert way is None
        return
    assert way is not None and [step.hop for step in way] == list(range(1, distance + 1))
    stops = [start, *(step.id for step in way)]
    assert stops[-1] == goal
    assert [(step.via, step.id) for step in way] == list(pairwise(stops))


def told(steps: list[Step] | None) -> list[str]:
    return [f"{step.hop} {step.via}>{step.id} {step.direction}" for step in steps or []]


def test_links_in_both_directions_and_of_several_kinds_are_all_told() -> None:
    links = [link("a", "b", 0.2), link("b", "a", 0.9, "CAUSES"), link("b", "c"), link("c", "a")]
    steps = relations.neighbours("a", among(links), depth=4)
    assert told(steps) == ["1 a>b in", "1 a>c in", "1 a>b out"]


def test_only_the_wanted_relation_is_followed() -> None:
    links = [link("a", "b"), link("b", "c", relation="CAUSES"), link("a", "c", relation="CAUSES")]
    steps = relations.neighbours("a", among(links), depth=4, relation="CAUSES")
    assert told(steps) == ["1 a>c out", "2 c>b in"]


def test_of_two_ways_as_short_the_stronger_is_taken() -> None:
    links = [link("a", "b", 0.1), link("a", "b", 0.9, "CAUSES")]
    (step,) = relations.path("a", "b", among(links)) or []
    assert step.link.relation == "CAUSES"


def test_a_path_of_five_links_is_too_long_and_one_to_itself_is_empty() -> None:
    links = [link(one, other) for one, other in pairwise("abcdef")]
    assert told(relations.path("a", "e", among(links)))[-1] == "4 d>e out"
    assert relations.path("a", "f", among(links)) is None
    assert relations.path("a", "a", among(links)) == []


def test_a_lineage_is_told_from_the_oldest_to_the_newest() -> None:
    replaced = [("d", "c"), ("c", "b"), ("c", "a"), ("e", "d"), ("y", "x")]
    assert relations.lineage("c", replaced) == [(-1, "a"), (-1, "b"), (0, "c"), (1, "d"), (2, "e")]


@given(pairs, names)
def test_a_lineage_of_anything_ends_and_names_each_once(
    replaced: list[tuple[str, str]], start: str
) -> None:
    found = relations.lineage(start, replaced)
    ids = [id for _, id in found]
    assert len(ids) == len(set(ids)) and (0, start) in found


@given(pairs)
def test_what_is_refused_leaves_no_loop(wanted: list[tuple[str, str]]) -> None:
    """CF-45: whatever is asked for, nothing replaces itself in the end."""
    newer: dict[str, set[str]] = {}

    def replacing(ids: Collection[str]) -> set[str]:
        return {new for id in ids for new in newer.get(id, ())}

    for new, old in wanted:
        if not relations.would_loop(new, old, replacing):
            newer.setdefault(old, set()).add(new)
    for id in "abcdefgh":
        assert id not in _after(id, newer)


def _after(start: str, newer: dict[str, set[str]]) -> set[str]:
    found, front = set[str](), set(newer.get(start, ()))
    while front:
        found |= front
        front = {new for id in front for new in newer.get(id, ())} - found
    return found


@pytest.mark.parametrize(("new", "old", "loop"), [("c", "a", False), ("a", "c", True)])
def test_a_loop_is_seen_over_several_steps(new: str, old: str, loop: bool) -> None:
    newer = {"a": {"b"}, "b": {"c"}}
    found = relations.would_loop(
        new, old, lambda ids: {one for id in ids for one in newer.get(id, ())}
    )
    assert found is loop
    assert relations.would_loop("x", "x", lambda _ids: set())
