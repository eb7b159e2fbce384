"""Ids sort by time, any beginning names a range of them, look-alikes are forgiven."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.model import ids
from tests.support.tables import table

times = st.integers(0, (1 << 48) - 1)
draws = st.binary(min_size=10, max_size=10)
made = st.builds(ids.new_ulid, times, draws)


def test_known_value_of_the_specification() -> None:
    assert ids.new_ulid(1_469_918_176_385, bytes(10)) == "01ARYZ6S41" + "0" * 16


@given(times, times, draws, draws)
def test_order_as_text_is_order_in_time(one: int, other: int, left: bytes, right: bytes) -> None:
    assert (ids.new_ulid(one, left) < ids.new_ulid(other, right)) or one >= other


@given(times, draws, draws)
def test_within_a_millisecond_entropy_decides(ms: int, left: bytes, right: bytes) -> None:
    assert (ids.new_ulid(ms, left) < ids.new_ulid(ms, right)) == (left < right)


@given(made, st.integers(1, ids.LENGTH))
def test_an_id_lies_between_each_of_its_beginnings_and_its_upper_bound(id: str, size: int) -> None:
    prefix = id[:size]
    assert prefix <= id <= ids.largest_id_with_prefix(prefix)


@given(made, made, st.integers(1, ids.LENGTH))
def test_an_id_outside_the_range_of_a_beginning_does_not_start_with_it(
    id: str, other: str, size: int
) -> None:
    prefix = id[:size]
    assert other.startswith(prefix) == (prefix <= other <= ids.largest_id_with_prefix(prefix))


@given(made)
def test_normalising_an_id_changes_nothing_and_forgives_case_and_space(id: str) -> None:
    assert ids.normalise_id_prefix(f"  {id.lower()}\n") == id


@given(made, st.sampled_from(["I", "i", "l", "L"]))
def test_look_alikes_are_read_as_the_digits_they_resemble(id: str, one: str) -> None:
    assert ids.normalise_id_prefix(id.replace("1", one).replace("0", "o")) == id


@table("text", ["", "   ", "U1", "01M6-ZK3P", "0" * 27, "é", "01M6\x00", "１"])
def test_what_cannot_be_an_id_is_none(text: str) -> None:
    assert ids.normalise_id_prefix(text) is None


@pytest.mark.parametrize("ms", [-1, -(10**30)])
def test_a_time_before_1970_counts_as_1970(ms: int) -> None:
    assert ids.new_ulid(ms, bytes(10)) == "0" * 26


def test_a_time_beyond_48_bits_is_the_last_one() -> None:
    assert ids.new_ulid(1 << 60, b"\xff" * 10) == "7" + "Z" * 25


@pytest.mark.parametrize("size", [0, 9, 11])
def test_entropy_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="ten bytes"):
        ids.new_ulid(0, bytes(size))
