"""The order of hits: how well they answer, weight, and then the newest."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.clock import parse_iso
from gitmem.model.memory import Memory
from gitmem.search.rank import (
    MemoryCandidate,
    fractions_of_largest,
    memory_word_score,
    rank_factors_of_turns,
    rank_memories,
)


def memory(id: str, weight: int = 3, updated: int = 0) -> Memory:
    return Memory(
        id, "project", "p", "note", "", id, (), (), weight, 0.5, 0.8, False, "user_explicit", "",
        "", "", "", "", "", "{}", None, None, None, "", 0, updated, 1,
    )  # fmt: skip


def ranked(*candidates: MemoryCandidate, limit: int = 10) -> list[str]:
    return [hit.memory.id for hit in rank_memories(candidates, limit)]


def test_the_one_that_answers_better_comes_first() -> None:
    good, better = (
        MemoryCandidate(memory("a"), 0.8, ("x", "y")),
        MemoryCandidate(memory("b"), 0.9, ("x",)),
    )
    assert ranked(good, better) == ["b", "a"]


def test_the_share_of_the_question_that_is_held_tells_how_good_an_answer_is() -> None:
    assert memory_word_score(("x", "y"), 2, 1.0) == 1.0
    assert memory_word_score(("x",), 2, 1.0) == 0.75
    assert memory_word_score((), 2, 0.5) == 0.25


def test_weight_multiplies() -> None:
    """CF-15."""
    heavy, light = (
        MemoryCandidate(memory("a", 5), 0.5, ("x",)),
        MemoryCandidate(memory("b", 1), 1.0, ("x",)),
    )
    assert ranked(light, heavy) == ["a", "b"]
    hits = rank_memories([heavy, MemoryCandidate(memory("c"), 0.5, ("x",))], 10)
    assert abs(hits[0].score - hits[1].score * 5 / 3) < 0.001
    assert hits[0].why == ("matches x", "weight 5")
    assert hits[1].why == ("matches x",)


def test_a_turn_that_holds_no_word_itself_says_why_it_is_there() -> None:
    (hit,) = rank_memories([MemoryCandidate(memory("a"), 0.3, ())], 10)
    assert hit.why == ("next to a matching message",)
    (alike,) = rank_memories([MemoryCandidate(memory("a"), 0.0, (), similarity=0.7)], 10)
    assert alike.why == ()


def test_equal_scores_show_the_newer_first_and_then_have_one_order() -> None:
    old, new = (
        MemoryCandidate(memory("a", updated=1), 1, ("x",)),
        MemoryCandidate(memory("b", updated=2), 1, ("x",)),
    )
    twin = MemoryCandidate(memory("c", updated=2), 1, ("x",))
    assert ranked(old, twin, new) == ranked(new, old, twin) == ["b", "c", "a"]


def test_a_limit_keeps_the_best() -> None:
    found = [MemoryCandidate(memory(str(n)), n / 10, ("x",)) for n in range(10)]
    assert ranked(*found, limit=3) == ["9", "8", "7"]


@given(st.dictionaries(st.integers(0, 50), st.floats(0.001, 1e6), min_size=1))
def test_shares_are_of_the_largest(scores: dict[int, float]) -> None:
    found = fractions_of_largest(scores)
    assert max(found.values()) == 1.0
    assert all(0 < share <= 1 for share in found.values())
    assert sorted(scores, key=scores.__getitem__)[-1] in [k for k, v in found.items() if v == 1.0]


def test_no_scores_and_scores_of_nothing_are_no_division() -> None:
    assert fractions_of_largest({}) == {}
    assert fractions_of_largest({1: 0.0}) == {1: 0.0}
    assert rank_memories([], 5) == []


def test_a_turn_that_asks_counts_less_and_one_that_tells_of_who_is_named_more() -> None:
    turns = (
        "Ada: Which port does redis use?",
        "Ada: It has been 6380 since last week.",
        "Bob: It has been 6380 since last week.",
    )
    for question, factors in (
        ("redis port", (0.7, 1.0, 1.0)),
        ("Which port did Ada tell?", (0.7 * 1.1, 1.1, 1.0)),
        ("Which port did Ada tell Bob?", (0.7, 1.0, 1.0)),
        ("When did the port change?", (0.7, 1.1, 1.1)),
        ("When did Bob change it?", (0.7, 1.1, 1.1 * 1.1)),
    ):
        found = rank_factors_of_turns(question, [(turn, 0) for turn in turns])
        assert all(abs(a - b) < 1e-9 for a, b in zip(found, factors, strict=True)), question


def test_who_asks_a_program_tells_it_something() -> None:
    turns = [("user: we use pnpm, how do I add a package?", 0), ("Ann: which one is it?", 0)]
    query, waited = rank_factors_of_turns("package manager", turns)
    assert query == 1.0
    assert waited < 1.0


def test_what_a_turn_is_moves_it_and_is_reported() -> None:
    asks = MemoryCandidate(memory("a"), 0.8, ("x",), turn=0.7)
    tells = MemoryCandidate(memory("b"), 0.7, ("x",), similarity=0.5, smoothed=0.4)
    hits = rank_memories([asks, tells], 2)
    assert [hit.memory.id for hit in hits] == ["b", "a"]
    assert dict(hits[1].parts)["turn"] == 0.7
    assert dict(hits[0].parts)["beside"] == 0.4
    assert "turn" not in dict(hits[0].parts)


def test_what_was_stated_in_the_month_or_on_the_day_that_is_named_counts_more() -> None:
    messages = [("Ada: Yes.", parse_iso(day)) for day in ("2023-05-07", "2023-05-08", "2023-06-08")]
    for question, factors in (
        ("What did Eve say in May 2023?", (1.2, 1.2, 1.0)),
        ("What did Eve say on 8 May?", (1.2, 1.4, 1.0)),
        ("What did Eve say in May 2022?", (1.0, 1.0, 1.0)),
        ("What did Eve say?", (1.0, 1.0, 1.0)),
    ):
        found = rank_factors_of_turns(question, messages)
        assert all(abs(a - b) < 1e-9 for a, b in zip(found, factors, strict=True)), question
