"""Finding the commits that were made on a branch itself, from git's reflogs.

A branch starts at a commit of another branch, and may follow that one for a while (by a fast-
forward, or a rebase with nothing to do). Its reflog says by which command each commit came. Files
are read, git is not run. Without reflogs nothing is known.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress

from gitmem.files.plain_file import open_regular_file
from gitmem.git.head import is_commit_id
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.layout import RepositoryLayout

# Bytes read from the end of a reflog.
_MOST = 1 << 20


@dataclass(frozen=True, slots=True)
class BranchReflogEntry:
    """A commit that a branch moved to, as its reflog records it.

    ``made_on_branch``: the commit was made on the branch, not taken over from another one.
    ``amends``: it replaced the commit before.
    """

    commit: str
    made_on_branch: bool
    amends: bool


def read_branch_reflog(
    layout: RepositoryLayout, branch: str, *, is_branch_deleted: bool = False
) -> list[BranchReflogEntry]:
    """The BranchMoves (commits it moved to) in a branch's reflog, oldest first; empty if unknown.

    ``is_branch_deleted``: if the branch has no reflog any more, HEAD's is read in its place.
    """
    lines: Iterable[str] = _lines(_path(layout, branch))
    if is_branch_deleted and not lines:
        lines = _on_branch(_lines(os.path.join(layout.git_dir, "logs", "HEAD")), branch)
    return list(_read(lines, branch))


def former_branch_names(layout: RepositoryLayout, branch: str) -> frozenset[str]:
    """The names that a branch had before it was renamed; empty if it never was."""
    names = {branch}
    for line in reversed(_lines(_path(layout, branch))):
        old, new = _renamed_branch(line)
        if new in names:
            names.add(old)
    return frozenset(names - {branch})


def first_commit_made_after(reflog_entries: Iterable[BranchReflogEntry], commit: str) -> str:
    """The id of the first commit made on a branch itself after ``commit``; empty if there is none.

    If that was amended since, the id of its replacement. ``reflog_entries`` are the oldest first.
    """
    first, waits = "", False
    for step in reflog_entries:
        if first and not step.amends:
            break
        if first or (waits and step.made_on_branch):
            first = step.commit
        waits = waits or (not step.made_on_branch and step.commit == commit)
    return first


def _path(layout: RepositoryLayout, branch: str) -> str:
    return os.path.join(layout.common_dir, "logs", "refs", "heads", *branch.split("/"))


def _lines(path: str) -> list[str]:
    with (
        suppress(OSError),
        open_regular_file(path, extra_flags=getattr(os, "O_NOFOLLOW", 0)) as file,
    ):
        file.seek(max(0, os.fstat(file.fileno()).st_size - _MOST))
        return file.read().decode("utf-8", "replace").splitlines()
    return []


def _read(lines: Iterable[str], branch: str) -> Iterator[BranchReflogEntry]:
    known: dict[str, bool] = {}
    is_own = True
    for line in lines:
        hashes, _, message = line.partition("\t")
        commit = hashes[hashes.find(" ") + 1 :].partition(" ")[0]
        if is_commit_id(commit):
            is_own = known.setdefault(commit, _is_own(message, commit, branch, before=is_own))
            yield BranchReflogEntry(commit, is_own, message.startswith("commit (amend)"))


def _is_own(message: str, commit: str, branch: str, *, before: bool) -> bool:
    """Whether a command gave a branch an own commit; ``before``: whether it had one already."""
    command, _, rest = message.partition(": ")
    *_, last = ["", *rest.split()]
    if command == "branch":
        return _is_named(last, branch)
    if rest.lower().endswith("fast-forward"):
        # "pull" alone brings commits of the same branch from elsewhere.
        return command == "pull" or _is_named(command.split(" ")[-1], branch)
    if command == "rebase (start)" or (command == "checkout" and rest.startswith("moving ")):
        return False
    if command.partition(" ")[0] in ("rebase", "pull") and " onto " in rest:
        return last != commit
    if command == "reset":
        return _is_named(last, branch) or before
    # A rename does not move the branch; git logs it as moving away and back.
    return before if command == "Branch" else True


def _is_named(source: str, branch: str) -> bool:
    """Whether a ref is this branch of a remote."""
    return f"/{source}".endswith(f"/{branch}")


def _on_branch(lines: Iterable[str], branch: str) -> Iterator[str]:
    """The lines of HEAD's log while a branch was checked out, under that name or a later one."""
    checked_out = False
    for line in lines:
        _, _, message = line.partition("\t")
        if message.startswith("checkout: moving from "):
            checked_out = message.endswith(f" to {branch}")
        old, new = _renamed_branch(line)
        branch = new if old == branch else branch
        if checked_out:
            yield line


def _renamed_branch(line: str) -> tuple[str, str]:
    """The old and the new name of the branch where a line logs a rename; else empty."""
    renaming = line.partition("\tBranch: renamed refs/heads/")[2]
    old, _, new = renaming.partition(" to refs/heads/")
    return old, new
