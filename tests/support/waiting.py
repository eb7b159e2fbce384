"""Waiting for what happens in another process, as long as a busy machine may need.

A drain runs at nice 19: beside twenty busy processes it takes a minute to get its turn. The
patience costs nothing where things go well.
"""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 120.0  # seconds


def wait_until(true: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Look again until it is so; fails the test where it never is."""
    end, pause = time.monotonic() + seconds, 0.005
    while not true():
        assert time.monotonic() < end, f"it did not happen in {seconds:g} seconds"
        time.sleep(pause)
        pause = min(2 * pause, 0.1)
