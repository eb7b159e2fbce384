"""CPU time of work, for tests that compare it with other work of the same run.

A limit in seconds holds for one machine on one day. How time grows with the input, and how it
compares with something simple, is the same everywhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(work: Callable[[], object], *, times: int = 1, tries: int = 3) -> float:
    """The least CPU time of several tries, each of ``times`` calls."""
    best = float("inf")
    for _ in range(tries):
        begin = time.process_time()
        for _ in range(times):
            work()
        best = min(best, time.process_time() - begin)
    return best


def assert_linear(work: Callable[[int], object], size: int, *, most: float = 3.0) -> None:
    """Twice the size costs twice the time; a square would cost four times as much.

    What takes less than a tenth of a second is all one: there is nothing to measure.
    """
    for _ in range(3):
        half, whole = (
            seconds(lambda: work(size // 2), tries=2),
            seconds(lambda: work(size), tries=2),
        )
        if whole < max(0.1, most * half):
            return
    raise AssertionError(f"{whole:.3f} s for {size}, {half:.3f} s for half of it")
