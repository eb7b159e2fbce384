"""What one memory may replace: nothing that replaced it (CF-45)."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.capture.supersede import would_make_supersession_loop

names = st.sampled_from("abcdefgh")
pairs = st.lists(st.tuples(names, names), max_size=12)


@given(pairs)
def test_what_is_refused_leaves_no_loop(wanted: list[tuple[str, str]]) -> None:
    """Whatever is asked for, nothing replaces itself in the end."""
    newer: dict[str, set[str]] = {}

    def replacing(ids: Collection[str]) -> set[str]:
        return {new for id in ids for new in newer.get(id, ())}

    for new, old in wanted:
        if not would_make_supersession_loop(new, old, replacing):
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
    found = would_make_supersession_loop(
        new, old, lambda ids: {item for id in ids for item in newer.get(id, ())}
    )
    assert found is loop
    assert would_make_supersession_loop("x", "x", lambda _ids: set())
