"""How much the tests try of what has no end: enough to notice, in CI and before a release more.

    KILLS = amount(12, thorough=100)
    @settings(max_examples=examples(30))

``GITMEM_TEST_THOROUGH=1`` asks for the larger amounts, ``GITMEM_TEST_EXAMPLES=1000`` for so many
examples of each property, or as many times more as it has of its own.
"""

from __future__ import annotations

import os

THOROUGH = os.environ.get("GITMEM_TEST_THOROUGH", "0") not in ("", "0")
USUAL = 20  # examples of a property that says nothing else
EXAMPLES = int(os.environ.get("GITMEM_TEST_EXAMPLES", 2.5 * USUAL if THOROUGH else USUAL))


def amount(usual: int, *, thorough: int) -> int:
    """The one or the other."""
    return thorough if THOROUGH else usual


def examples(usual: int) -> int:
    """How many examples of a property of which ``usual`` are tried without being asked for more."""
    return max(1, usual * EXAMPLES // USUAL)
