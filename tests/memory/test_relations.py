"""Walks over ties: every hop once, the shortest way, and an end in every cycle (CT-12, CF-48)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gitmem.memory import relations
from gitmem.memory.relations import EdgesOf, WalkedEdge
from gitmem.model.entity import EntityEdge

names = st.sampled_from("abcdefgh")
strengths = st.sampled_from([0.0, 0.25, 0.5, 1.0])
ties = st.lists(st.tuples(names, names, strengths), max_size=16).map(
    lambda found: [link(*item) for item in found if item[0] != item[1]]
)
pairs = st.lists(st.tuples(names, names), max_size=12)


def link(source: str, target: str, strength: float = 0.5, relation: str = "SOLVES") -> EntityEdge:
    return EntityEdge(source, relation, target, None, strength=strength)


def among(links: list[EntityEdge]) -> EdgesOf:
    def links_of(ids: Collection[str]) -> list[EntityEdge]:
        return [link for link in links if link.source in ids or link.target in ids]

    return links_of


def distances(links: list[EntityEdge], start: str) -> dict[str, int]:
    """By brute force: relax every link until nothing changes."""
    found = {start: 0}
    for _ in range(len(links) + 1):
        for link in links:
            for here, there in ((link.source, link.target), (link.target, link.source)):
                if here in found:
                    found[there] = min(found.get(there, 99), found[here] + 1)
    return found


@given(ties, names, st.integers(1, 4))
def test_a_memory_stands_at_its_smallest_hop(
    links: list[EntityEdge], start: str, depth: int
) -> None:
    steps = relations.walk_to_neighbours(start, among(links), max_hops=depth).steps
    expected = {id: hop for id, hop in distances(links, start).items() if 0 < hop <= depth}
    assert {step.key: step.hop for step in steps} == expected
    assert [step.hop for step in steps] == sorted(step.hop for step in steps)


@given(ties, names, names)
def test_a_path_is_the_shortest_and_hangs_together(
    links: list[EntityEdge], start: str, goal: str
) -> None:
    way = relations.shortest_path(start, goal, among(links))
    distance = distances(links, start).get(goal, 99)
    if distance > relations.MAX_HOPS:
        assert way is None
        return
    assert way is not None and [step.hop for step in way] == list(range(1, distance + 1))
    stops = [start, *(step.key for step in way)]
    assert stops[-1] == goal
    assert [(step.via, step.key) for step in way] == list(pairwise(stops))


def report(steps: Sequence[WalkedEdge] | None) -> list[str]:
    return [f"{step.hop} {step.via}>{step.key} {step.direction}" for step in steps or []]


def test_links_in_both_directions_and_of_several_kinds_are_all_reported() -> None:
    links = [link("a", "b", 0.2), link("b", "a", 0.9, "CAUSES"), link("b", "c"), link("c", "a")]
    steps = relations.walk_to_neighbours("a", among(links), max_hops=4).steps
    assert report(steps) == ["1 a>b in", "1 a>c in", "1 a>b out"]


def test_only_the_wanted_relation_is_followed() -> None:
    links = [link("a", "b"), link("b", "c", relation="CAUSES"), link("a", "c", relation="CAUSES")]
    steps = relations.walk_to_neighbours("a", among(links), max_hops=4, relation="CAUSES").steps
    assert report(steps) == ["1 a>c out", "2 c>b in"]


def test_of_two_ways_as_short_the_stronger_is_taken() -> None:
    links = [link("a", "b", 0.1), link("a", "b", 0.9, "CAUSES")]
    (step,) = relations.shortest_path("a", "b", among(links)) or []
    assert step.edge.relation == "CAUSES"


def test_a_path_of_five_links_is_too_long_and_one_to_itself_is_empty() -> None:
    links = [link(one, other) for one, other in pairwise("abcdef")]
    assert report(relations.shortest_path("a", "e", among(links)))[-1] == "4 d>e out"
    assert relations.shortest_path("a", "f", among(links)) is None
    assert relations.shortest_path("a", "a", among(links)) == ()


def test_a_lineage_is_reported_from_the_oldest_to_the_newest() -> None:
    replaced = [("d", "c"), ("c", "b"), ("c", "a"), ("e", "d"), ("y", "x")]
    assert relations.predecessors_and_successors("c", replaced) == [
        (-1, "a"),
        (-1, "b"),
        (0, "c"),
        (1, "d"),
        (2, "e"),
    ]


@given(pairs, names)
def test_a_lineage_of_anything_ends_and_names_each_once(
    replaced: list[tuple[str, str]], start: str
) -> None:
    found = relations.predecessors_and_successors(start, replaced)
    ids = [id for _, id in found]
    assert len(ids) == len(set(ids)) and (0, start) in found


# --- entities: dated ties, and hubs --------------------------------------------------------------

EDGES = [
    EntityEdge("decision:1", "decides_for", "file:a", 10),
    EntityEdge("commit:1", "changed", "file:a", 20),
    EntityEdge("commit:2", "changed", "file:a", 30),
    EntityEdge("commit:2", "changed", "file:b", 30),
    EntityEdge("commit:3", "changed", "file:b", 40),
    EntityEdge("commit:3", "changed", "file:c", 40),
    *(EntityEdge(f"commit:{n}", "made_by", "author:Ada", 10 * n) for n in (1, 2, 3)),
    EntityEdge("commit:1", "mentions", "issue:#1", 20),
    EntityEdge("commit:9", "changed", "file:z", 90),
    EntityEdge("commit:9", "made_by", "author:Ada", 90),
]


def edges_of(keys: Collection[str]) -> list[EntityEdge]:
    return [edge for edge in EDGES if edge.source in keys or edge.target in keys]


def way(start: str, goal: str, depth: int = 4) -> list[str] | None:
    steps = relations.shortest_path(start, goal, edges_of, max_hops=depth)
    return None if steps is None else [step.key for step in steps]


def test_neighbours_are_the_newest_of_each_relation_and_what_is_left_out_is_counted() -> None:
    around = relations.walk_to_neighbours("file:a", edges_of, max_per_relation=1)
    steps, left_out, early = around.steps, around.left_out, around.early
    assert [(step.key, step.direction) for step in steps] == [
        ("commit:2", "in"),
        ("decision:1", "in"),
    ]
    assert (left_out, early) == ({("file:a", "changed", "in"): 2}, False)


def test_a_walk_ends_at_a_hub_and_enters_nothing_twice() -> None:
    steps = relations.walk_to_neighbours("file:a", edges_of, max_hops=4, max_per_relation=10).steps
    assert {step.key for step in steps if step.hop == 2} == {"author:Ada", "file:b", "issue:#1"}
    # Through the author commit:9 would be near.
    assert not {"commit:9", "file:z"} & {step.key for step in steps}
    assert [step.hop for step in steps if step.key == "file:c"] == [4]
    from_hub = relations.walk_to_neighbours(
        "author:Ada", edges_of, max_hops=2, max_per_relation=10
    ).steps
    assert "file:z" in {one.key for one in from_hub if one.hop == 2}  # it begins there


def test_one_relation_and_one_direction() -> None:
    for how, keys in (
        ({"relation": "decides_for"}, ["decision:1"]),
        ({"direction": "out"}, []),
        ({"direction": "in", "relation": "changed"}, ["commit:2", "commit:1"]),
    ):
        steps = relations.walk_to_neighbours("file:a", edges_of, max_per_relation=10, **how).steps  # type: ignore[arg-type]
        assert [step.key for step in steps] == keys, how


def test_the_shortest_way_from_either_end() -> None:
    assert way("issue:#1", "file:b") == ["commit:1", "file:a", "commit:2", "file:b"]
    assert way("file:b", "issue:#1") == ["commit:2", "file:a", "commit:1", "issue:#1"]
    assert way("file:a", "file:a") == []
    assert way("file:a", "author:Ada") == ["commit:2", "author:Ada"]  # a hub may be the end
    hops = relations.shortest_path("issue:#1", "file:b", edges_of)
    assert hops is not None
    assert [(hop.hop, hop.direction) for hop in hops] == [
        (1, "in"), (2, "out"), (3, "in"), (4, "out"),
    ]  # fmt: skip


def test_of_ways_as_short_the_newest_and_the_most_telling_is_taken() -> None:
    old = [EntityEdge("commit:a", "changed", name, 10) for name in ("file:a", "file:b")]
    new = [EntityEdge("commit:z", "changed", name, 90) for name in ("file:a", "file:b")]
    for edges in (old + new, new + old):
        steps = relations.shortest_path("file:a", "file:b", lambda _keys, edges=edges: edges)
        assert steps is not None and steps[0].key == "commit:z"
    weak = [EntityEdge("memory:1", "written_at", f"commit:{name}", 95) for name in "yz"]
    report = [
        EntityEdge("memory:1", "fixed_by", "commit:x", 5),
        EntityEdge("memory:2", "about", "commit:x", 5),
    ]
    weak.append(EntityEdge("memory:2", "written_at", "commit:y", 95))
    steps = relations.shortest_path("memory:1", "memory:2", lambda _keys: [*weak, *report])
    assert steps is not None and steps[0].key == "commit:x"


def test_no_way_that_is_too_long_or_leads_through_a_hub() -> None:
    assert way("issue:#1", "file:c") is None  # six edges
    assert way("issue:#1", "file:b", depth=3) is None
    assert way("file:a", "file:z") is None
    assert way("file:a", "file:nowhere") is None


def test_the_order_in_which_edges_come_changes_nothing() -> None:
    def backwards(keys: Collection[str]) -> list[EntityEdge]:
        return edges_of(keys)[::-1]

    assert relations.shortest_path("decision:1", "file:c", backwards) == relations.shortest_path(
        "decision:1", "file:c", edges_of
    )
    assert relations.walk_to_neighbours(
        "file:b", backwards, max_hops=3
    ) == relations.walk_to_neighbours("file:b", edges_of, max_hops=3)
