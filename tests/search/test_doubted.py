"""What is marked as wrong is behind all others, and never among the first three."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.search import doubted


@given(st.lists(st.booleans(), max_size=12))
def test_none_is_among_the_first_and_none_of_the_others_moves(wrong: list[bool]) -> None:
    hits = list(enumerate(wrong))
    found = doubted.last(hits, lambda hit: hit[1])
    assert not any(hit[1] for hit in found[: doubted.TOP])
    rest = [hit for hit in hits if not hit[1]]
    assert found[: len(rest)] == rest
    if len(rest) >= doubted.TOP:
        assert found[len(rest) :] == [hit for hit in hits if hit[1]]
    else:
        assert found == rest
