"""Whether a memory belongs to the checked-out branch, by the commit where it was made. Pure.

Conventions, workflows, global memories and those whose cited code is present are visible on every
branch: ``store.memory.branch_visibility`` decides that.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from gitmem.model.frozen import dataclass
from gitmem.model.memory import WAITING

HERE, ELSEWHERE = "here", "elsewhere"


@dataclass(frozen=True, slots=True)
class CheckoutState:
    """What is checked out: the branch (empty on a detached HEAD), and which commits it lacks.

    ``unreached`` are those commits of memories that HEAD's history does not contain, not even
    rewritten; ``missing`` those of them that git does not have at all. ``trunks`` are the names of
    main branches, ``former`` earlier names of the branch. ``shallow``: the history is cut off.
    """

    branch: str
    unreached: frozenset[str]
    missing: frozenset[str] = frozenset()
    trunks: frozenset[str] = frozenset()
    shallow: bool = False
    former: frozenset[str] = frozenset()


def memory_belongs_to_checkout(
    checkout: CheckoutState, saved_on_branch: str, saved_at_commit: str
) -> bool:
    """Whether a memory saved on a branch at a commit (its id) belongs to what is checked out.

    If git no longer has the commit, a memory of a main branch belongs to every main branch, and in
    a shallow clone to every branch.
    """
    if not saved_at_commit or saved_at_commit not in checkout.unreached:
        return True
    if saved_on_branch and saved_on_branch == checkout.branch:
        return True
    if saved_at_commit.startswith(WAITING):
        return saved_on_branch in checkout.former
    if saved_at_commit not in checkout.missing or saved_on_branch not in checkout.trunks:
        return False
    return checkout.shallow or checkout.branch in checkout.trunks


def commits_reached_by_rewrite(
    rewrites: Iterable[tuple[str, str]], unreached_commits: Container[str]
) -> frozenset[str]:
    """The old commits that are in the history in rewritten form, such as after a rebase.

    ``rewrites`` are pairs (old, new); ``unreached_commits`` are all commits in them that the
    history does not contain. Several rewrites in a row are followed.
    """
    olds: dict[str, list[str]] = {}
    for old, new in rewrites:
        olds.setdefault(new, []).append(old)
    waiting = [new for new in olds if new not in unreached_commits]
    reached_by_rewrite: set[str] = set()
    while waiting:
        for old in olds.get(waiting.pop(), ()):
            if old not in reached_by_rewrite:
                reached_by_rewrite.add(old)
                waiting.append(old)
    return frozenset(reached_by_rewrite)
