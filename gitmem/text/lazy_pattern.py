"""Regular expressions that are compiled on first use: most commands never need them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial


def lazy_pattern(source: str, flags: int = 0) -> Callable[[], re.Pattern[str]]:
    """A function that returns the compiled pattern; it compiles it at its first call."""
    return cache(partial(re.compile, source, flags))
