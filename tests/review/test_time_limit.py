"""A review that takes too long says what it left out."""

from __future__ import annotations

from gitmem.errors import Unavailable
from gitmem.review.time_limit import TimeLimit


class Clock:
    """Seconds that a test decides."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_check_has_half_of_what_is_left() -> None:
    clock = Clock()
    limit = TimeLimit(8.0, clock)

    def walk() -> list[int]:
        done = []
        for item in limit.each(range(9), "names"):
            done.append(item)
            clock.now += 1
        return done

    assert limit.answer("first", walk) == [0, 1, 2, 3, 4]
    assert limit.notes == ["For lack of time 4 files were not searched for names."]
    assert limit.answer("second", walk) == [0, 1]
    clock.now = 9.0
    assert limit.answer("third", walk) is None
    assert limit.notes[-1] == "Not checked, for lack of time: third."


def test_a_check_that_fails_leaves_the_others() -> None:
    limit = TimeLimit(8.0, Clock())

    def fails() -> None:
        raise Unavailable("Git does not answer.", "Try again.")

    assert limit.answer("history", fails) is None
    assert limit.notes == ["Not checked: history. Git does not answer. Try again."]
