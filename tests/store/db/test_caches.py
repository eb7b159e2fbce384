"""What a resident process keeps between questions: bounded, four policies, never stale (CE-23)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem import setting_table
from gitmem.store.db.caches import (
    EMBEDDINGS,
    FIFO,
    LFU,
    LRU,
    TTL,
    Cache,
    Caches,
    Limits,
    cache,
)

TTL_MS = 5


class Model:
    """The policies as they are told, with a list and no thought of speed."""

    def __init__(self, policy: str, most: int) -> None:
        self.policy, self.most = policy, most
        # key, value, when it came, when it was asked last, how often: in the order they came.
        self.rows: list[list[int]] = []

    def ask(self, key: int, made: int, at: int, now: int) -> int:
        for row in self.rows:
            if row[0] == key and (self.policy != TTL or now - row[2] < TTL_MS):
                # Of those asked as often the one that got there first goes first.
                row[3], row[4] = at, row[4] + 1
                return row[1]
        self.rows = [row for row in self.rows if row[0] != key]
        if not self.most:
            return made
        if len(self.rows) == self.most:
            orders = {LRU: lambda row: row[3], LFU: lambda row: (row[4], row[3])}
            order = orders.get(self.policy, lambda row: row[5])
            self.rows.remove(min(self.rows, key=order))
        self.rows.append([key, made, now, at, 0, at])
        return made


QUESTIONS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), max_size=60)


@given(QUESTIONS, st.sampled_from(setting_table.CHOICES["cache.policy"]), st.integers(0, 4))
def test_each_policy_keeps_what_its_model_keeps_and_never_more(
    questions: list[tuple[int, int]], policy: str, most: int
) -> None:
    clock = [0]
    kept = Cache(policy, most, ttl_ms=TTL_MS, now=lambda: clock[0])
    model = Model(policy, most)
    for at, (key, later) in enumerate(questions):
        clock[0] += later
        # What is made anew has the number of its question, so a hit tells which one it is from.
        assert kept.through(key, lambda at=at: at) == model.ask(key, at, at, clock[0])
        assert len(kept) <= most
    assert kept.hits + kept.misses == len(questions)
    kept.clear()
    assert len(kept) == 0
    assert kept.through(1, lambda: -1) == -1


def test_what_cannot_be_made_is_not_kept() -> None:
    kept = Cache(FIFO, 2)
    for _ in range(2):
        try:
            kept.through(1, lambda: 1 // 0)
        except ZeroDivisionError:
            continue
        raise AssertionError("nothing was raised")
    assert (len(kept), kept.misses) == (0, 2)


def test_vectors_of_questions_outlive_a_write_and_answers_do_not() -> None:
    limits = Limits(results=3, expansions=3, embeddings=3)
    caches = Caches(limits, lambda: 0, cache(limits, EMBEDDINGS, lambda: 0))
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
