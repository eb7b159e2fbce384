"""What two memories that say the same become (CT-11)."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from gitmem.memory import merging
from gitmem.memory.merging import merge_by_strategy, merge_sentences
from tests.support.stores import said
from tests.support.timing import LONG, seconds

WORDS = st.lists(st.sampled_from(["cache", "Redis", "6380", "not", "fails", "x.py"]), min_size=1)
TEXTS = st.lists(WORDS.map(" ".join), min_size=1, max_size=4).map(lambda one: ". ".join(one) + ".")


def test_each_sentence_stands_once_and_the_fuller_one_wins() -> None:
    rows = [
        ("Redis is on 6380. It needs a password.", "Redis is on 6380. Restart it with care.",
         "Redis is on 6380. It needs a password.\nRestart it with care."),
        ("The build fails.", "The build often fails.", "The build often fails."),
        ("The build often fails.", "The build fails.", "The build often fails."),
        ("- one thing\n- another thing", "- another thing\n- a third thing",
         "- one thing\n- another thing\n- a third thing"),
        ("Port is 6380.", "Port is 6379.", "Port is 6380.\nPort is 6379."),
        ("It is shared.", "It is not shared.", "It is shared.\nIt is not shared."),
    ]  # fmt: skip
    for old, new, together in rows:
        assert merge_sentences(old, new) == together, (old, new)


def test_code_between_fences_stays_in_one_piece() -> None:
    code = "Run it so:\n```sh\nmake build. Then\nmake test\n```"
    assert merge_sentences(code, code) == code
    assert "```sh\nmake build. Then\nmake test\n```" in merge_sentences("Something else.", code)


@given(TEXTS, TEXTS)
def test_a_union_says_all_that_either_says_and_nothing_twice(old: str, new: str) -> None:
    together = merge_sentences(old, new)
    for word in set(old.split()) | set(new.split()):
        assert word.strip(".") in together
    assert merge_sentences(together, new) == together


def test_thousands_of_sentences_are_merged_at_once() -> None:
    """Each was compared with each, for half a minute, while the store was locked."""
    many = range(2_000)
    old, new = ("\n".join(f"{word}{n} is a part." for n in many) for word in ("Left", "Right"))
    assert seconds(lambda: merge_sentences(old, new), tries=1) < LONG
    assert merge_sentences(old, new) == f"{old}\n{new}"


def test_tags_numbers_and_facts_join_whatever_the_strategy() -> None:
    old = said("Redis is on 6380", tags=("a",), importance=0.9, metadata='{"x": 1}')
    new = said("Redis 7 is on 6380", seed=1, tags=("b",), weight=5, metadata='{"y": 2}')
    for strategy in merging.STRATEGIES:
        result = merge_by_strategy(old, new, strategy, "2026-01-31")
        assert (result.tags, result.importance, result.weight) == (("a", "b"), 0.9, 5), strategy
        assert json.loads(result.metadata) == {"x": 1, "y": 2, "merged_from": [new.id]}
    again = merge_by_strategy(
        merge_by_strategy(old, new, merging.APPEND, "d"), old, merging.APPEND, "d"
    )
    assert json.loads(again.metadata)["merged_from"] == [new.id, old.id]
    left = said("A", metadata='{"merged_from": ["B", 7, "X"]}')
    right = said("C", seed=1, metadata='{"merged_from": ["D", "X"]}')
    both = merge_by_strategy(left, right, merging.SMART, "d")
    assert json.loads(both.metadata)["merged_from"] == ["B", "X", "D", right.id]


def test_text_of_an_agent_makes_it_an_agents_word() -> None:
    old = said("Redis is on 6380", trust="accepted")
    new = said("Redis 7 is on 6380", agent="codex")
    assert merge_by_strategy(old, new, merging.LATEST, "d").trust == "agent"
    assert merge_by_strategy(old, old, merging.SMART, "d").trust == "accepted"
