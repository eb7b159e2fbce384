"""Dividing a budget: each part its share, and what one does not need to those that do. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def allot(needs: Sequence[int], shares: Sequence[float], budget: int) -> list[int]:
    """What each part gets: its share of the budget at most, then in order what is left over.

    ``shares`` are parts of a whole. Together never more than the budget, none more than it needs.
    """
    whole = sum(shares) or 1.0
    given = [
        min(need, int(budget * share / whole)) for need, share in zip(needs, shares, strict=True)
    ]
    left = budget - sum(given)
    for place, need in enumerate(needs):
        more = min(need - given[place], left)
        given[place] += more
        left -= more
    return given
