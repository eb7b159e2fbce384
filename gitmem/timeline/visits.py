"""Who comes back to what: the first session, a return after a while, or still here.

Pure: the last presence and the present in, the stretch of time to tell about out.
"""

from __future__ import annotations

from gitmem.model.frozen import dataclass
from gitmem.model.session import Presence

JUST_HERE_MS = 30_000  # CF-28


@dataclass(frozen=True, slots=True)
class Visit:
    """``since`` and ``since_head`` are where the untold stretch begins; None and empty: nowhere.

    ``gap_ms`` is how long nobody was seen, None at the first session and never negative.
    ``elsewhere`` is the root of the other worktree where that was, empty where it was this one.
    """

    first: bool
    just_here: bool
    gap_ms: int | None
    since: int | None
    since_head: str
    since_branch: str
    elsewhere: str = ""


def arrive(last: Presence | None, now: int, elsewhere: str = "") -> Visit:
    """What kind of arrival this is; ``elsewhere`` is as in ``Visit``.

    Within thirty seconds of the last orientation the same stretch is told again, so that a second
    look, or a second program that looks, loses nothing.
    """
    if last is None:
        return Visit(True, False, None, None, "", "")
    # A clock that went back tells nothing about the gap; call it none.
    gap = max(0, now - last.seen_at)
    if gap < JUST_HERE_MS:
        return Visit(False, True, gap, last.base_at, last.base_head, last.branch, elsewhere)
    return Visit(False, False, gap, last.seen_at, last.head, last.branch, elsewhere)


def leave(visit: Visit, *, worktree: str, head: str, branch: str, now: int) -> Presence:
    """The presence to remember after this orientation."""
    return Presence(worktree, now, head, branch, visit.since, visit.since_head)
