"""Ranking profiles: changes of the usual weights for some kinds of question. Pure.

The benchmark profile leaves out everything that depends on time and person.
"""

from __future__ import annotations

from gitmem.clock import DAY
from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class RankingProfile:
    """A way of ranking: changes of file ``weights`` and of ``factors`` of kinds of file.

    ``uses_context``: what somebody works on counts. After ``half_life_days`` the score of commits
    and memories is halved; 0: age does not count. ``memories`` is a factor of memories beside code;
    among memories ``kinds`` has the factors of some kinds, ``citing_factor`` that of those that
    cite code.
    """

    weights: tuple[tuple[str, float], ...] = ()
    factors: tuple[tuple[str, float], ...] = ()
    uses_context: bool = True
    half_life_days: float = 0.0
    memories: float = 1.0
    kinds: tuple[tuple[str, float], ...] = ()
    citing_factor: float = 1.0


PROFILES = {
    "default": RankingProfile(),
    "benchmark": RankingProfile(uses_context=False),
    "code": RankingProfile(
        factors=(("docs", 0.1), ("config", 0.1), ("markup", 0.1)), memories=0.7, citing_factor=1.2
    ),
    "temporal": RankingProfile(half_life_days=90),
    "preference": RankingProfile(memories=1.5, kinds=(("convention", 1.2), ("relationship", 1.2))),
}


def memory_rank_factor(
    kind: str, cites_code: bool, created_ms: int, now_ms: int, profile: RankingProfile
) -> float:
    """The factor of a memory's rank by kind, age and whether it ``cites_code``, by the profile.

    ``created_ms`` is when it was made, ``now_ms`` the present time (milliseconds since 1970).
    """
    factor = dict(profile.kinds).get(kind, 1.0) * (profile.citing_factor if cites_code else 1.0)
    return factor * age_rank_factor(created_ms, now_ms, profile)


def age_rank_factor(timestamp_ms: int, now_ms: int, profile: RankingProfile) -> float:
    """The factor (0.1 to 1) by which the profile lowers the rank of an old commit or memory."""
    if not profile.half_life_days:
        return 1.0
    days = max(now_ms - timestamp_ms, 0) / DAY
    # Never below a tenth: old is less likely, not wrong.
    return float(max(0.5 ** (days / profile.half_life_days), 0.1))
