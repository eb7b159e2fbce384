"""Which birth commits make a memory belong to a place; commits that took the place of others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.memory.visibility import (
    CheckoutState,
    commits_reached_by_rewrite,
    memory_belongs_to_checkout,
)

NODES = st.integers(0, 8).map(str)
EDGES = st.lists(st.tuples(NODES, NODES), max_size=20)


def test_a_commit_in_the_history_belongs_here_and_another_does_not() -> None:
    checkout = CheckoutState("main", frozenset({"b"}))
    assert memory_belongs_to_checkout(checkout, "side", "a")
    assert not memory_belongs_to_checkout(checkout, "side", "b")


def test_without_a_commit_there_is_nothing_to_be_elsewhere_of() -> None:
    assert memory_belongs_to_checkout(CheckoutState("main", frozenset({""})), "side", "")


def test_a_branch_keeps_what_was_born_on_it() -> None:
    assert memory_belongs_to_checkout(CheckoutState("side", frozenset({"b"})), "side", "b")
    assert not memory_belongs_to_checkout(CheckoutState("", frozenset({"b"})), "", "b"), (
        "two detached HEADs are no branch"
    )


def test_what_git_lost_stays_on_its_trunk_whatever_that_is_called() -> None:
    trunks = frozenset({"main", "master"})
    lost = frozenset({"b"})
    assert memory_belongs_to_checkout(CheckoutState("main", lost, lost, trunks), "master", "b")
    assert not memory_belongs_to_checkout(CheckoutState("main", lost, lost, trunks), "side", "b")
    assert not memory_belongs_to_checkout(CheckoutState("side", lost, lost, trunks), "master", "b")
    assert not memory_belongs_to_checkout(
        CheckoutState("main", lost, frozenset(), trunks), "master", "b"
    ), "not lost"


def test_a_shallow_clone_gives_the_trunk_the_benefit_of_the_doubt() -> None:
    lost, trunks = frozenset({"b"}), frozenset({"main"})
    assert memory_belongs_to_checkout(
        CheckoutState("side", lost, lost, trunks, shallow=True), "main", "b"
    )
    assert not memory_belongs_to_checkout(
        CheckoutState("side", lost, lost, trunks, shallow=True), "other", "b"
    )


def test_the_way_may_be_long_and_go_in_circles() -> None:
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("x", "y")]
    assert commits_reached_by_rewrite(edges, {"a", "b", "y"}) >= {"a", "b"}
    assert commits_reached_by_rewrite(edges, {"a", "b", "c", "y"}) == frozenset()


@given(EDGES, st.frozensets(NODES))
def test_carried_is_what_a_walk_finds(edges: list[tuple[str, str]], unreached: set[str]) -> None:
    def arrives(start: str) -> bool:
        observed, waiting = set[str](), [start]
        while waiting:
            at = waiting.pop()
            for old, new in edges:
                if old == at and new not in observed:
                    observed.add(new)
                    waiting.append(new)
        return any(item not in unreached for item in observed)

    expected = {old for old, _ in edges if arrives(old)}
    assert commits_reached_by_rewrite(edges, unreached) == expected
