"""Walks over the edges between entities: pure."""

from __future__ import annotations

from collections.abc import Collection

from gitmem.model.entity import Edge
from gitmem.timeline import entity_walks

EDGES = [
    Edge("decision:1", "decides_for", "file:a", 10),
    Edge("commit:1", "changed", "file:a", 20),
    Edge("commit:2", "changed", "file:a", 30),
    Edge("commit:2", "changed", "file:b", 30),
    Edge("commit:3", "changed", "file:b", 40),
    Edge("commit:3", "changed", "file:c", 40),
    *(Edge(f"commit:{n}", "made_by", "author:Ada", 10 * n) for n in (1, 2, 3)),
    Edge("commit:1", "mentions", "issue:#1", 20),
    Edge("commit:9", "changed", "file:z", 90),
    Edge("commit:9", "made_by", "author:Ada", 90),
]


def edges_of(keys: Collection[str]) -> list[Edge]:
    return [edge for edge in EDGES if edge.source in keys or edge.target in keys]


def way(start: str, goal: str, depth: int = 4) -> list[str] | None:
    steps = entity_walks.path(start, goal, edges_of, depth=depth)
    return None if steps is None else [one.key for one in steps]


def test_neighbours_are_the_newest_of_each_relation_and_what_is_left_out_is_counted() -> None:
    steps, left_out, early = entity_walks.neighbours("file:a", edges_of, most=1)
    assert [(one.key, one.direction) for one in steps] == [("commit:2", "in"), ("decision:1", "in")]
    assert (left_out, early) == ({("file:a", "changed", "in"): 2}, False)


def test_a_walk_ends_at_a_hub_and_enters_nothing_twice() -> None:
    steps, *_ = entity_walks.neighbours("file:a", edges_of, depth=4)
    assert {one.key for one in steps if one.hop == 2} == {"author:Ada", "file:b", "issue:#1"}
    # Through the author commit:9 would be near.
    assert not {"commit:9", "file:z"} & {one.key for one in steps}
    assert [one.hop for one in steps if one.key == "file:c"] == [4]
    from_hub, *_ = entity_walks.neighbours("author:Ada", edges_of, depth=2)
    assert "file:z" in {one.key for one in from_hub if one.hop == 2}  # it begins there


def test_one_relation_and_one_direction() -> None:
    for how, keys in (
        ({"relation": "decides_for"}, ["decision:1"]),
        ({"direction": "out"}, []),
        ({"direction": "in", "relation": "changed"}, ["commit:2", "commit:1"]),
    ):
        steps, *_ = entity_walks.neighbours("file:a", edges_of, **how)  # type: ignore[arg-type]
        assert [one.key for one in steps] == keys, how


def test_the_shortest_way_from_either_end() -> None:
    assert way("issue:#1", "file:b") == ["commit:1", "file:a", "commit:2", "file:b"]
    assert way("file:b", "issue:#1") == ["commit:2", "file:a", "commit:1", "issue:#1"]
    assert way("file:a", "file:a") == []
    assert way("file:a", "author:Ada") == ["commit:2", "author:Ada"]  # a hub may be the end
    hops = entity_walks.path("issue:#1", "file:b", edges_of)
    assert hops is not None
    assert [(one.hop, one.direction) for one in hops] == [
        (1, "in"), (2, "out"), (3, "in"), (4, "out"),
    ]  # fmt: skip


def test_of_ways_as_short_the_newest_and_the_most_telling_is_taken() -> None:
    old = [Edge("commit:a", "changed", name, 10) for name in ("file:a", "file:b")]
    new = [Edge("commit:z", "changed", name, 90) for name in ("file:a", "file:b")]
    for edges in (old + new, new + old):
        steps = entity_walks.path("file:a", "file:b", lambda _keys, edges=edges: edges)
        assert steps is not None and steps[0].key == "commit:z"
    weak = [Edge("memory:1", "written_at", f"commit:{name}", 95) for name in "yz"]
    told = [Edge("memory:1", "fixed_by", "commit:x", 5), Edge("memory:2", "about", "commit:x", 5)]
    weak.append(Edge("memory:2", "written_at", "commit:y", 95))
    steps = entity_walks.path("memory:1", "memory:2", lambda _keys: [*weak, *told])
    assert steps is not None and steps[0].key == "commit:x"


def test_no_way_that_is_too_long_or_leads_through_a_hub() -> None:
    assert way("issue:#1", "file:c") is None  # six edges
    assert way("issue:#1", "file:b", depth=3) is None
    assert way("file:a", "file:z") is None
    assert way("file:a", "file:nowhere") is None


def test_the_order_in_which_edges_come_changes_nothing() -> None:
    def backwards(keys: Collection[str]) -> list[Edge]:
        return edges_of(keys)[::-1]

    assert entity_walks.path("decision:1", "file:c", backwards) == entity_walks.path(
        "decision:1", "file:c", edges_of
    )
    assert entity_walks.neighbours("file:b", backwards, depth=3) == entity_walks.neighbours(
        "file:b", edges_of, depth=3
    )
