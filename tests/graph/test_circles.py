"""Cycles of imports, of any length, without recursion."""

from __future__ import annotations

from gitmem.graph import circles


def ring(count: int) -> list[tuple[str, str]]:
    """A cycle of so many members."""
    names = [f"f{number:03}" for number in range(count)]
    return list(zip(names, [*names[1:], names[0]], strict=True))


def test_cycles_are_found_whatever_their_length() -> None:
    assert circles.find_cycles([]) == []
    assert circles.find_cycles([("a", "b"), ("b", "c"), ("a", "c")]) == []
    assert circles.find_cycles([("a", "a")]) == [["a"]]
    assert circles.find_cycles([("x", "y"), ("y", "x"), *ring(500)])[0] == sorted(dict(ring(500)))
    assert [len(cycle) for cycle in circles.find_cycles([("x", "y"), ("y", "x"), *ring(500)])] == [
        500,
        2,
    ]


def test_a_way_round_is_a_shortest_one_from_the_first_member() -> None:
    edges = [("b", "c"), ("c", "a"), ("a", "b"), ("a", "c"), ("c", "d"), ("d", "b")]
    (group,) = circles.find_cycles(edges)
    assert group == ["a", "b", "c", "d"]
    assert circles.shortest_cycle(group, edges) == ["a", "c", "a"]
    assert circles.shortest_cycle(["a"], [("a", "a")]) == ["a", "a"]
    assert len(circles.shortest_cycle(dict(ring(500)), ring(500))) == 501


def test_a_long_chain_is_no_matter_of_recursion() -> None:
    chain = [(f"n{number}", f"n{number + 1}") for number in range(20_000)]
    assert circles.find_cycles(chain) == []
