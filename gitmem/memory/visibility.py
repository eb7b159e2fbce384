"""Whether a memory belongs to what is checked out, judged by where it was born. Pure.

Conventions, workflows and global memories are seen everywhere, and so is one whose anchored content
is present: the store's condition (``store.memory.branch_visibility``) sees to those. Here are the
commits.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from gitmem.model.frozen import dataclass
from gitmem.model.memory import WAITING

HERE, ELSEWHERE = "here", "elsewhere"


@dataclass(frozen=True, slots=True)
class Checkout:
    """A checked-out HEAD, and what is known of its history.

    ``branch`` is empty on a detached HEAD. ``unreached`` are the birth commits that are not in its
    history, nor those that took their places; of these ``missing`` is what git does not have at
    all. ``trunks`` are the names of the branches that others grow on. ``former`` are the names
    that the branch had before.
    """

    branch: str
    unreached: frozenset[str]
    missing: frozenset[str] = frozenset()
    trunks: frozenset[str] = frozenset()
    shallow: bool = False
    former: frozenset[str] = frozenset()


def born_here(checkout: Checkout, branch: str, commit: str) -> bool:
    """Whether a memory born on ``branch`` at ``commit`` belongs to this checkout.

    Where git no longer has the commit, a trunk takes in what was born on a trunk, whatever it was
    called then; and in a shallow clone, whose past was cut off, so does every branch.
    """
    if not commit or commit not in checkout.unreached:
        return True
    if branch and branch == checkout.branch:
        return True
    if commit.startswith(WAITING):
        return branch in checkout.former
    if commit not in checkout.missing or branch not in checkout.trunks:
        return False
    return checkout.shallow or checkout.branch in checkout.trunks


def carried(edges: Iterable[tuple[str, str]], unreached: Container[str]) -> frozenset[str]:
    """Old commits that something reached took the place of, at once or step by step.

    ``edges`` are pairs (old, new); all of them must have been asked about. Loops do no harm.
    """
    olds: dict[str, list[str]] = {}
    for old, new in edges:
        olds.setdefault(new, []).append(old)
    waiting = [new for new in olds if new not in unreached]
    found: set[str] = set()
    while waiting:
        for old in olds.get(waiting.pop(), ()):
            if old not in found:
                found.add(old)
                waiting.append(old)
    return frozenset(found)
