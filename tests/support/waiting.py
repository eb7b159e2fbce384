"""Waiting for what happens in another process, as long as a busy machine may need.

A drain runs at nice 19: beside twenty busy processes it takes a minute to get its turn. The
patience costs nothing where things go well. Where it takes long, looking is rarer: what looks is
often a command, which takes the turn of what is waited for.
"""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 120.0  # seconds


def take_time_to_look(patch: Callable[[object, str, float], None]) -> None:
    """Have this process look at files as long as a test waits.

    Nobody waits for an answer here, and on a busy machine a look would end without a verdict.
    """
    from gitmem.agents.events import messages
    from gitmem.retrieval import annotate

    for module in (annotate, messages):
        patch(module, "PATIENCE_MS", PATIENCE * 1000)


def wait_until(true: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Look again until it is so; fails the test where it never is."""
    begin, pause = time.monotonic(), 0.005
    while not true():
        waited = time.monotonic() - begin
        assert waited < seconds, f"it did not happen in {seconds:g} seconds"
        time.sleep(pause)
        pause = min(2 * pause, max(0.1, waited / 5))
