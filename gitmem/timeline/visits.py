"""Telling a first visit from a return after a while, and from a second look. Pure."""

from __future__ import annotations

from gitmem.model.frozen import dataclass
from gitmem.model.session import Presence

JUST_HERE_MS = 30_000


@dataclass(frozen=True, slots=True)
class Visit:
    """A visit, and where the period to report begins: ``since`` (milliseconds) and ``since_head``.

    At the first visit these are None and empty. ``gap_ms`` is the time since the last visit, None
    at the first and never negative. ``elsewhere`` is the root of the worktree of the last visit,
    empty if it was this worktree.
    """

    first: bool
    just_here: bool
    gap_ms: int | None
    since: int | None
    since_head: str
    since_branch: str
    elsewhere: str = ""


def begin_visit(last: Presence | None, now: int, elsewhere: str = "") -> Visit:
    """The visit that begins at ``now`` (ms), given the last one to any worktree (None: none).

    ``elsewhere`` is the root of the last visit's worktree, empty if it was this worktree. Within
    thirty seconds of the last orientation the same period is reported again, so that a second look,
    or another program, misses nothing.
    """
    if last is None:
        return Visit(True, False, None, None, "", "")
    # Not negative, even after the clock was put back.
    gap = max(0, now - last.seen_at)
    if gap < JUST_HERE_MS:
        return Visit(False, True, gap, last.base_at, last.base_head, last.branch, elsewhere)
    return Visit(False, False, gap, last.seen_at, last.head, last.branch, elsewhere)


def end_visit(visit: Visit, *, worktree: str, head: str, branch: str, now: int) -> Presence:
    """The presence to store after this visit's orientation; ``now`` is in milliseconds."""
    return Presence(worktree, now, head, branch, visit.since, visit.since_head)
