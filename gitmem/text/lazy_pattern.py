"""Regular expressions that are compiled on first use: most commands never need them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial


def lazy_pattern(source: str, flags: int = 0) -> Callable[[], re.Pattern[str]]:
    """Return a function that gives the compiled regular expression, compiled at its first call."""
    return cache(partial(re.compile, source, flags))
