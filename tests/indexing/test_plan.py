"""What a run has to do, worked out from three tables (CF-9, CF-10)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.indexing.plan import plan_files

TREES = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("1234"))


def test_nothing_changed_is_nothing_to_do() -> None:
    todo = plan_files({"a": "1"}, {"a": "1"}, ["1"])
    assert todo.is_empty
    assert todo.unchanged == ("a",)


def test_a_rename_moves_and_reads_nothing() -> None:
    todo = plan_files({"old": "1"}, {"new": "1"}, ["1"])
    assert (todo.moved, todo.added, todo.dropped) == (("new",), (), ("old",))
    assert not todo.unread


def test_a_file_that_changed_into_another_that_is_gone_was_not_moved() -> None:
    """What is counted as moved is a path that was not there before."""
    todo = plan_files({"a": "1", "b": "2"}, {"b": "1"}, ["1", "2"])
    assert (todo.added, todo.moved, todo.dropped) == (("b",), (), ("a",))
    assert not todo.unread


def test_a_copy_is_added_and_reads_nothing() -> None:
    todo = plan_files({"a": "1"}, {"a": "1", "b": "1"}, ["1"])
    assert (todo.added, todo.moved, todo.unchanged) == (("b",), (), ("a",))
    assert not todo.unread


def test_a_changed_file_is_read() -> None:
    todo = plan_files({"a": "1"}, {"a": "2"}, ["1"])
    assert (todo.added, todo.dropped, todo.unread) == (("a",), (), frozenset("2"))


def test_content_that_comes_back_is_not_read_again() -> None:
    todo = plan_files({"a": "2"}, {"a": "1"}, ["1", "2"])
    assert todo.added == ("a",)
    assert not todo.unread


def test_what_was_shown_but_never_cut_is_read() -> None:
    """A store that lost its chunks mends itself."""
    assert not plan_files({"a": "1"}, {"a": "1"}, []).is_empty


@given(TREES, TREES)
def test_every_path_has_one_fate(before: dict[str, str], now: dict[str, str]) -> None:
    todo = plan_files(before, now, before.values())
    assert sorted(todo.added + todo.moved + todo.unchanged) == sorted(now)
    assert set(todo.dropped) == set(before) - set(now)
    assert todo.unread == set(now.values()) - set(before.values())


@given(TREES, TREES)
def test_after_a_run_there_is_nothing_to_do(before: dict[str, str], now: dict[str, str]) -> None:
    assert plan_files(now, now, {*before.values(), *now.values()}).is_empty
