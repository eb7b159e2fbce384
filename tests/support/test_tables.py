"""A table checks every row, names those that fail and leaves the fixtures to pytest."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.tables import table

observed: list[tuple[int, str]] = []


@table("number, word", [(1, "one"), (2, "two")])
def _fails_for_odd(number: int, word: str) -> None:
    observed.append((number, word))
    assert number % 2 == 0, word


@table("number", [1, pytest.param(3, id="three"), 5], ids=str)
def _wants_an_error(number: int) -> None:
    with pytest.raises(ValueError):
        assert number


def test_a_failure_names_its_row_and_the_others_are_checked() -> None:
    observed.clear()
    with pytest.raises(BaseExceptionGroup, match="1 of 2 rows") as failed:
        _fails_for_odd()
    (wrong,) = failed.value.exceptions
    assert isinstance(wrong, AssertionError)
    assert wrong.__notes__ == ["in the row (1, 'one')"]
    assert observed == [(1, "one"), (2, "two")]


def test_an_error_that_is_not_raised_fails_with_the_name_of_the_row() -> None:
    with pytest.raises(BaseExceptionGroup, match="3 of 3 rows") as failed:
        _wants_an_error()
    notes = [exception.__notes__[0] for exception in failed.value.exceptions]
    assert notes == ["in the row 1", "in the row three", "in the row 5"]


def test_rows_that_cost_something_are_made_when_the_test_runs() -> None:
    made = []

    def rows() -> list[int]:
        made.append(1)
        return [2, 4]

    check = table("number, word", lambda: [(number, "even") for number in rows()])(_is_even)
    assert made == []
    check()
    assert made == [1]


def _is_even(number: int, word: str) -> None:
    assert number % 2 == 0, word


def test_a_table_that_is_empty_or_of_other_columns_is_refused() -> None:
    with pytest.raises(AssertionError, match="no rows"):
        table("number", [])
    with pytest.raises(AssertionError, match="3 values"):
        table("number, word", [(1, "one", "more")])
    with pytest.raises(AssertionError, match="does not take"):
        table("letter", ["a"])(_fails_for_odd)


def test_marks_under_a_table_stay() -> None:
    @table("number", [1])
    @pytest.mark.usefixtures("tmp_path")
    def marked(number: int) -> None: ...

    assert [mark.name for mark in vars(marked)["pytestmark"]] == ["usefixtures"]


@table("number", [1, 2])
@table("letter", "ab")
def test_tables_are_multiplied_and_fixtures_given(tmp_path: Path, number: int, letter: str) -> None:
    (tmp_path / f"{letter}{number}").touch()
    if (number, letter) == (2, "b"):
        assert {path.name for path in tmp_path.iterdir()} == {"a1", "b1", "a2", "b2"}


@table("number", [1, 2])
@given(text=st.text())
def test_a_row_may_be_a_property(number: int, text: str) -> None:
    assert len(text * number) == number * len(text)
