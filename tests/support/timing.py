"""CPU time of work, for tests that compare it with other work of the same run.

A limit in seconds holds for one machine on one day. How time grows with the input, and how it
compares with something simple, is the same everywhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable

MOMENT, LONG = 0.03, 10.0


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
    """Twice the size costs about twice the time; a square would cost four times as much.

    Once in three tries is enough: a machine that is busy with something else measures badly. What
    is done in a moment needs no comparison, and nothing may take long.
    """
    for _ in range(3):
        whole = seconds(lambda: work(size), tries=1)
        assert whole < LONG, f"{whole:.1f} s for {size}"
        if whole < MOMENT:
            return
        half = seconds(lambda: work(size // 2), tries=1)
        if whole < most * half:
            return
    raise AssertionError(f"{whole:.3f} s for {size}, {half:.3f} s for half of it")
