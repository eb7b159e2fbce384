"""What a resident process keeps between questions: bounded, never stale (CE-23)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.store.db.caches import Cache, Caches, Limits

QUESTIONS = st.lists(st.integers(0, 6), max_size=60)


@given(QUESTIONS, st.integers(0, 4))
def test_what_was_not_asked_for_longest_goes_first(questions: list[int], most: int) -> None:
    kept = Cache(most)
    order: list[int] = []  # what is kept, the last asked for last
    made: dict[int, int] = {}
    for at, key in enumerate(questions):
        # What is made anew has the number of its question, so a hit tells which one it is from.
        expected = made[key] if key in order else at
        assert kept.through(key, lambda at=at: at) == expected
        made[key] = expected
        order = [*(one for one in order if one != key), key][-most:] if most else []
        assert len(kept) == len(order)
    assert kept.hits + kept.misses == len(questions)
    kept.clear()
    assert len(kept) == 0
    assert kept.through(1, lambda: -1) == -1


def test_what_cannot_be_made_is_not_kept() -> None:
    kept = Cache(2)
    for _ in range(2):
        try:
            kept.through(1, lambda: 1 // 0)
        except ZeroDivisionError:
            continue
        raise AssertionError("nothing was raised")
    assert (len(kept), kept.misses) == (0, 2)


def test_vectors_of_questions_outlive_a_write_and_answers_do_not() -> None:
    limits = Limits(results=3, expansions=3, embeddings=3)
    caches = Caches(limits, Cache(3))
    for one in (caches.results, caches.expansions, caches.embeddings):
        for _ in range(2):
            one.through("question", lambda: "answer")
    caches.forget()
    told = {one.name: (one.hits, one.misses, one.kept, one.hit_rate) for one in caches.use()}
    assert told == {
        "results": (1, 1, 0, 0.5),
        "expansions": (1, 1, 0, 0.5),
        "embeddings": (1, 1, 1, 0.5),
    }
