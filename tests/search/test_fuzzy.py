"""How alike two names are (CE-26)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.search.fuzzy import ALIKE, jaro_winkler

NAMES = st.text("abcdef", max_size=12)


@given(NAMES, NAMES)
def test_a_share_the_same_from_both_sides(one: str, other: str) -> None:
    there, back = jaro_winkler(one, other), jaro_winkler(other, one)
    assert 0 <= there <= 1 + 1e-9
    # Letters are paired greedily from the left, so that the two sides may differ a little.
    assert there == pytest.approx(back, abs=0.1)


@given(NAMES)
def test_a_name_is_wholly_like_itself_and_only_itself(name: str) -> None:
    assert jaro_winkler(name, name) == 1
    assert jaro_winkler(name, name + "x") < 1


@given(NAMES.filter(bool), st.text("uvwxyz", max_size=12))
def test_names_without_a_common_letter_are_not_alike(one: str, other: str) -> None:
    assert jaro_winkler(one, other) == 0


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [("martha", "marhta", 0.961), ("dixon", "dicksonx", 0.813), ("dwayne", "duane", 0.84)],
)
def test_the_examples_of_the_paper(text: str, other: str, expected: float) -> None:
    """Winkler 1990."""
    assert jaro_winkler(text, other) == pytest.approx(expected, abs=0.001)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("sesionstore", "sessionstore"), ("sessionstroe", "sessionstore"), ("confg", "config")],
)
def test_what_is_typed_wrong_is_alike_enough(typed: str, meant: str) -> None:
    assert jaro_winkler(typed, meant) >= ALIKE
