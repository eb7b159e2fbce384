"""What a resident process keeps between questions: bounded, never stale (CE-23)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.store.db.caches import Cache, CacheLimits, Caches

QUESTIONS = st.lists(st.integers(0, 6), max_size=60)


@given(QUESTIONS, st.integers(0, 4))
def test_what_was_not_asked_for_longest_goes_first(questions: list[int], most: int) -> None:
    saved = Cache(most)
    order: list[int] = []  # what is kept, the last asked for last
    made: dict[int, int] = {}
    for at, key in enumerate(questions):
        # What is made anew has the number of its question, so a hit tells which one it is from.
        expected = made[key] if key in order else at
        assert saved.get_or_compute(key, lambda at=at: at) == expected
        made[key] = expected
        order = [*(item for item in order if item != key), key][-most:] if most else []
        assert len(saved) == len(order)
    assert saved.hits + saved.misses == len(questions)
    saved.clear()
    assert len(saved) == 0
    assert saved.get_or_compute(1, lambda: -1) == -1


def test_what_cannot_be_made_is_not_kept() -> None:
    saved = Cache(2)
    for _ in range(2):
        try:
            saved.get_or_compute(1, lambda: 1 // 0)
        except ZeroDivisionError:
            continue
        raise AssertionError("nothing was raised")
    assert (len(saved), saved.misses) == (0, 2)


def test_vectors_of_questions_outlive_a_write_and_answers_do_not() -> None:
    limits = CacheLimits(results=3, expansions=3, embeddings=3)
    caches = Caches(limits, Cache(3))
    for item in (caches.results, caches.expansions, caches.embeddings):
        for _ in range(2):
            item.get_or_compute("question", lambda: "answer")
    caches.clear_stale_values()
    output = {
        item.name: (item.hits, item.misses, item.kept, item.hit_rate) for item in caches.usage()
    }
    assert output == {
        "results": (1, 1, 0, 0.5),
        "expansions": (1, 1, 0, 0.5),
        "embeddings": (1, 1, 1, 0.5),
    }
