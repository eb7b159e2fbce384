"""Telling a first visit from a return after a while, and from a second look. Pure."""

from __future__ import annotations

from gitmem.model.frozen import dataclass
from gitmem.model.session import LastWorktreeVisit

JUST_HERE_MS = 30_000


@dataclass(frozen=True, slots=True)
class WorktreeVisit:
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


def begin_visit(
    last_visit: LastWorktreeVisit | None, now_ms: int, other_worktree: str = ""
) -> WorktreeVisit:
    """The visit that begins at ``now_ms`` (ms), given the last one to any worktree (None: none).

    ``other_worktree`` is the root of the last visit's worktree, empty if it was this worktree.
    Within thirty seconds of the last orientation the same period is reported again, so that a
    second look, or another program, misses nothing.
    """
    if last_visit is None:
        return WorktreeVisit(True, False, None, None, "", "")
    # Not negative, even after the clock was put back.
    gap = max(0, now_ms - last_visit.seen_at)
    if gap < JUST_HERE_MS:
        return WorktreeVisit(
            False,
            True,
            gap,
            last_visit.base_at,
            last_visit.base_head,
            last_visit.branch,
            other_worktree,
        )
    return WorktreeVisit(
        False, False, gap, last_visit.seen_at, last_visit.head, last_visit.branch, other_worktree
    )


def last_visit_after(
    visit: WorktreeVisit, *, worktree: str, head: str, branch: str, now_ms: int
) -> LastWorktreeVisit:
    """The presence to store after this visit's orientation; ``now_ms`` is in milliseconds."""
    return LastWorktreeVisit(worktree, now_ms, head, branch, visit.since, visit.since_head)
