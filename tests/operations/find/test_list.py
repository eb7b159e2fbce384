"""Listing: order, pages, filters, and two stores as one list."""

from __future__ import annotations

import pytest

from gitmem.errors import InvalidInput
from gitmem.operations.registry import as_json_values
from gitmem.store.memory.filters import TIERS
from tests.support.apps import DAY, SECOND, Desk


@pytest.fixture
def filled(desk: Desk) -> Desk:
    for number in range(5):
        desk.run("remember", text=f"fact {number}", tag=("even",) if number % 2 == 0 else ())
        desk.clock.advance(SECOND)
    desk.run("remember", text="tabs", scope="global", pin=True)
    return desk


def contents(desk: Desk, **values: object) -> list[str]:
    return [memory.content for memory in desk.run("list", **values).memories]


def test_the_newest_comes_first_from_both_stores(filled: Desk) -> None:
    assert contents(filled) == ["tabs", "fact 4", "fact 3", "fact 2", "fact 1", "fact 0"]
    assert contents(filled, scope="global") == ["tabs"]
    assert "tabs" not in contents(filled, scope="project")


def test_pages_join_to_the_whole(filled: Desk) -> None:
    pages = [contents(filled, limit=2, offset=start) for start in (0, 2, 4)]
    assert [item for page in pages for item in page] == contents(filled)
    answer = as_json_values(filled.run("list", limit=2, offset=2))
    assert (answer["total"], answer["offset"], len(answer["memories"])) == (6, 2, 2)


def test_a_page_says_how_many_follow(filled: Desk) -> None:
    assert filled.text("list", limit=4).splitlines()[-1] == "… 2 more: --offset 4"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"tag": ("even",)}, ["fact 4", "fact 2", "fact 0"]),
        ({"pinned": True}, ["tabs"]),
        ({"since": "2026-11-21T08:03:45Z"}, ["tabs", "fact 4", "fact 3"]),
        ({"until": "2026-11-21T08:03:43Z"}, ["fact 0"]),
        ({"kind": ("decision",)}, []),
        ({"agent": "codex"}, []),
    ],
)
def test_filters_narrow_the_list(
    filled: Desk, values: dict[str, object], expected: list[str]
) -> None:
    assert contents(filled, **values) == expected


def test_an_empty_list_says_how_to_begin(desk: Desk) -> None:
    assert "gitmem remember" in desk.text("list")


def test_an_item_has_the_shape_that_recall_gives(filled: Desk) -> None:
    listed = as_json_values(filled.run("list"))["memories"][0]
    recalled = as_json_values(filled.run("recall", query="tabs"))["memories"][0]
    assert set(listed) == set(recalled)
    assert (listed["score"], listed["similarity"], listed["why"]) == (None, None, [])


def test_a_handle_is_a_unique_beginning_of_the_id(filled: Desk) -> None:
    for memory in filled.run("list").memories:
        assert memory.id.startswith(memory.handle)
        assert filled.run("show", id=memory.handle).memory.id == memory.id


def test_a_length_of_time_means_that_long_ago(filled: Desk) -> None:
    filled.clock.advance(2 * DAY)
    filled.run("remember", text="late")
    assert contents(filled, since="1d") == ["late"]
    assert contents(filled, since="1 day ago") == ["late"]


@pytest.mark.parametrize("since", ["soon", "2026-13-01", "-1d", "no-such-tag", "--all"])
def test_a_date_nobody_knows_is_refused(filled: Desk, since: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        filled.run("list", since=since)
    assert refused.value.hint


def test_what_does_not_hold_now_is_left_out_as_what_was_replaced_is(desk: Desk) -> None:
    """CF-45."""
    desk.run("remember", text="Deploys were blue", valid_until="2026-03-01")
    desk.run("remember", text="Deploys will be green", valid_from="2027-01-01")
    desk.run("remember", text="Deploys are grey", valid_from="2026-03-01")
    assert contents(desk) == ["Deploys are grey"]
    assert contents(desk, as_of="2026-04-01") == ["Deploys are grey"]
    later = contents(desk, as_of="2027-02-01")
    assert sorted(later) == ["Deploys are grey", "Deploys will be green"]
    assert len(contents(desk, state=("any",))) == 3


def test_other_branches_are_not_other_sessions(desk: Desk) -> None:
    desk.run("session start", goal="one", by="codex")
    desk.run("remember", text="A passing thought", layer="working", by="codex")
    assert contents(desk, by="codex") == ["A passing thought"]
    assert contents(desk, all_branches=True) == []


@pytest.mark.parametrize("trust", TIERS)
def test_a_list_by_trust_is_what_each_memory_says_of_itself(filled: Desk, trust: str) -> None:
    filled.run("remember", by="codex", text="an agent said so")
    every = filled.run("list", limit=100).memories
    named = [memory.content for memory in every if memory.trust == trust]
    assert contents(filled, trust=trust, limit=100) == named
    assert trust not in ("person", "agent") or named
