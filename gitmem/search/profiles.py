"""What counts more for some kinds of question: weights laid over the usual ones. Pure.

The benchmark profile leaves out what depends on the moment and the person: two runs on the same
store give the same order.
"""

from __future__ import annotations

from gitmem.clock import DAY
from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Profile:
    """Changes of the file weights and of the kinds' factors, and whether the moment counts.

    ``half_life_days`` halves the score of commits and memories by their age; 0: age is nothing.
    """

    weights: tuple[tuple[str, float], ...] = ()
    factors: tuple[tuple[str, float], ...] = ()
    moment: bool = True
    half_life_days: float = 0.0
    memories: float = 1.0


PROFILES = {
    "default": Profile(),
    "benchmark": Profile(moment=False),
    "code": Profile(factors=(("docs", 0.1), ("config", 0.1), ("markup", 0.1)), memories=0.7),
    "temporal": Profile(half_life_days=90),
    "preference": Profile(memories=1.5),
}


def aged(at: int, now: int, profile: Profile) -> float:
    """The factor of something that was made at a time (both in milliseconds)."""
    if not profile.half_life_days:
        return 1.0
    days = max(now - at, 0) / DAY
    # Never below a tenth: old is less likely, not wrong.
    return float(max(0.5 ** (days / profile.half_life_days), 0.1))
