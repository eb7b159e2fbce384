"""Lists of hits and their pages: laws for any list (CE-9, CF-9)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import InvalidInput
from gitmem.search import pages

HITS = st.lists(st.integers(0, 40), unique=True, max_size=40)
SOURCES = ("code", "notes", "commits", "memories")


@given(hits=HITS, limit=st.integers(1, 9))
def test_pages_join_to_the_whole_list(hits: list[int], limit: int) -> None:
    joined: list[int] = []
    more = True
    while more:
        page, more = pages.page_of_hits(hits, len(joined), limit)
        assert len(page) <= limit and (len(page) == limit or not more)
        joined += page
    assert joined == hits


@given(first=HITS, longer=HITS)
def test_a_longer_list_goes_on_where_the_first_ends(first: list[int], longer: list[int]) -> None:
    whole = pages.append_new_hits(first, longer, lambda item: item)
    assert whole[: len(first)] == first
    assert len(set(whole)) == len(whole) and set(whole) == {*first, *longer}


@given(lists=st.lists(HITS, min_size=1, max_size=5))
def test_merging_repeats_nothing_and_loses_nothing(lists: list[list[int]]) -> None:
    merged = pages.merge_hit_lists(lists, lambda item: item)
    assert sorted(hit for hit, _ in merged) == sorted(set().union(*lists))
    best = [min(some.index(hit) for some in lists if hit in some) for hit, _ in merged]
    assert best == sorted(best)
    for hit, numbers in merged:
        assert numbers and all(hit in lists[number] for number in numbers)
        among_first = {n for n, some in enumerate(lists) if hit in some[: pages.FIRST]}
        assert among_first <= set(numbers)


def test_the_questions_take_turns() -> None:
    merged = pages.merge_hit_lists([["a", "b"], ["c", "a"], ["d"]], lambda item: item)
    assert merged == [("a", (0, 1)), ("c", (1,)), ("d", (2,)), ("b", (0,))]
    # What stands far down in a list does not answer its question.
    many = [str(number) for number in range(pages.FIRST)]
    assert pages.merge_hit_lists([["a"], [*many, "a"]], lambda item: item)[0] == ("a", (0,))


@given(hits=HITS, most=st.dictionaries(st.integers(0, 2), st.integers(0, 5)))
def test_limits_by_group_only_take_away(hits: list[int], most: dict[int, int]) -> None:
    by_name = {str(group): limit for group, limit in most.items()}
    saved = pages.limit_hits_per_source(hits, by_name, lambda hit: str(hit % 3))
    assert saved == [hit for hit in hits if hit in saved]
    for group in range(3):
        there = [hit for hit in hits if hit % 3 == group]
        assert [hit for hit in saved if hit % 3 == group] == there[: most.get(group, len(there))]
    each = pages.limit_hits_per_group(hits, 2, lambda hit: hit % 3)
    assert each == pages.limit_hits_per_source(
        hits, dict.fromkeys("012", 2), lambda hit: str(hit % 3)
    )


def test_limits_are_read_and_wrong_ones_refused() -> None:
    assert pages.parse_source_limits(("code=5, commits=2", "notes=0"), SOURCES) == {
        "code": 5,
        "commits": 2,
        "notes": 0,
    }
    assert pages.parse_source_limits((), SOURCES) == {}
    for wrong in ("code", "code=", "code=-1", "code=x", "files=3", "code=²", "=3"):
        with pytest.raises(InvalidInput, match="is not a limit"):
            pages.parse_source_limits((wrong,), SOURCES)


def test_a_thousand_questions_are_refused_in_a_sentence() -> None:
    queries = [f"question {number}" for number in range(1000)]
    with pytest.raises(InvalidInput, match=r"There are 1,000 questions; at most 20"):
        pages.unique_questions(queries[0], queries[1:])
    assert len(pages.unique_questions(queries[0], queries[1:20])) == 20
    with pytest.raises(InvalidInput):
        pages.unique_questions(queries[0], queries[1:21])
    assert pages.unique_questions("a", ["b", "a", " "]) == ("a", "b")
    assert pages.unique_questions("", ["b"]) == ("b",)
    assert pages.unique_questions("", []) == ("",)


def test_two_questions_in_one_count_as_two_while_there_is_room() -> None:
    both = "where is the key kept and who may read a token"
    halves = ("where is the key kept", "who may read a token")
    assert pages.unique_questions(both, (halves[0], "a"), split_paired_questions=True) == (
        *halves,
        "a",
    )
    assert pages.unique_questions(both, ()) == (both,)
    many = tuple(f"{both} {number}" for number in range(pages.MOST_QUESTIONS))
    assert pages.unique_questions(many[0], many[1:], split_paired_questions=True) == many


@given(st.lists(st.booleans(), max_size=12))
def test_no_doubted_hit_is_among_the_first_and_none_of_the_others_moves(wrong: list[bool]) -> None:
    hits = list(enumerate(wrong))
    found = pages.move_doubted_hits_last(hits, lambda hit: hit[1])
    assert not any(hit[1] for hit in found[: pages.TRUSTED])
    rest = [hit for hit in hits if not hit[1]]
    assert found[: len(rest)] == rest
    if len(rest) >= pages.TRUSTED:
        assert found[len(rest) :] == [hit for hit in hits if hit[1]]
    else:
        assert found == rest
