"""Telling a first visit from a return after a while, and from a second look. Pure."""

from __future__ import annotations

from gitmem.model.frozen import dataclass
from gitmem.model.session import LastWorktreeVisit

JUST_HERE_MS = 30_000


@dataclass(frozen=True, slots=True)
class WorktreeVisit:
    """An agent's or person's visit to a worktree, and the period that an orientation reports.

    It begins at ``since`` (ms since 1970) and the commit ``since_head``, None and empty at a first
    visit. ``gap_ms`` is the time since the last visit, None at the first. ``just_here``: that was
    less than thirty seconds ago. ``elsewhere`` is the root of the worktree of the last visit, empty
    if it was this one.
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
    """The WorktreeVisit that begins at ``now_ms``, given the last visit to any worktree, or None.

    ``other_worktree`` is the root of the last visit's worktree, empty if it was this worktree.
    Within thirty seconds of the last visit the same period is reported again.
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
    """The LastWorktreeVisit to store after ``visit``: where it was, and the period it reported.

    ``head`` and ``branch`` are what is checked out.
    """
    return LastWorktreeVisit(worktree, now_ms, head, branch, visit.since, visit.since_head)
