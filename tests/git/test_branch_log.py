"""What a branch has of its own, as the commands that git's log names tell."""

from __future__ import annotations

import os

from gitmem.git import branch_log
from gitmem.git.layout import RepositoryLayout, find_repository
from tests.support.repos import RepoBuilder

ZERO, OLD, NEW, LAST = "0" * 40, "1" * 40, "2" * 40, "3" * 40


def log(repo: RepoBuilder, *steps: tuple[str, str]) -> RepositoryLayout:
    """A log of ``side`` with these commits and messages."""
    path = repo.path / ".git" / "logs" / "refs" / "heads" / "side"
    path.parent.mkdir(parents=True, exist_ok=True)
    befores = [ZERO, *(commit for commit, _ in steps)]
    path.write_text(
        "".join(
            f"{before} {commit} A U Thor <a@example.org> 1700000000 +0000\t{message}\n"
            for before, (commit, message) in zip(befores, steps, strict=False)
        )
    )
    return find_repository(str(repo.path))


def test_a_commit_is_a_branchs_own_by_the_command_that_brought_it(repo: RepoBuilder) -> None:
    begins = (OLD, "branch: Created from HEAD")
    for message, own in (
        ("commit: Add it", True),
        ("commit (merge): Merge main", True),
        ("cherry-pick: Add it", True),
        ("merge main: Merge made by the 'ort' strategy.", True),
        ("merge main: Fast-forward", False),
        ("merge origin/side: Fast-forward", True),
        ("pull: Fast-forward", True),
        ("pull origin side: Fast-forward", True),
        ("pull origin main: Fast-forward", False),
        (f"rebase (finish): refs/heads/side onto {NEW}", False),
        (f"rebase (finish): refs/heads/side onto {OLD}", True),
        (f"pull --rebase (finish): refs/heads/side onto {NEW}", False),
        ("reset: moving to main", False),
        ("reset: moving to origin/side", True),
        ("branch: Reset to main", False),
    ):
        steps = branch_log.read_branch_reflog(log(repo, begins, (NEW, message)), "side")
        assert [step.made_on_branch for step in steps] == [False, own], message
    for message, own in (
        ("branch: Created from origin/side", True),
        ("branch: Created from refs/remotes/origin/side", True),
        ("branch: Created from origin/main", False),
        ("branch: Created from v1.0", False),
        ("clone: from https://example.org/x.git", True),
        ("", True),
    ):
        assert [
            step.made_on_branch
            for step in branch_log.read_branch_reflog(log(repo, (OLD, message)), "side")
        ] == [own]
    assert branch_log.read_branch_reflog(find_repository(str(repo.path)), "nowhere") == []


def test_who_goes_back_to_where_the_branch_began_has_nothing_of_its_own(repo: RepoBuilder) -> None:
    rows = ((OLD, "branch: Created from HEAD"), (NEW, "commit: Add it"))
    back = log(repo, *rows, (OLD, "reset: moving to HEAD~1"))
    assert not branch_log.read_branch_reflog(back, "side")[-1].made_on_branch
    again = log(repo, *rows, (OLD, "reset: moving to HEAD~1"), (NEW, "reset: moving to HEAD@{1}"))
    assert branch_log.read_branch_reflog(again, "side")[-1].made_on_branch


def test_the_first_own_commit_is_what_amends_left_of_it(repo: RepoBuilder) -> None:
    begins, first = (OLD, "branch: Created from HEAD"), (NEW, "commit: Add it")
    amended = (LAST, "commit (amend): Add it well")
    for rows, found in (
        ((begins,), ""),
        ((begins, first), NEW),
        ((begins, first, amended), LAST),
        ((begins, first, (LAST, "commit: More")), NEW),
        ((begins, first, (LAST, "commit: More"), (ZERO, "commit (amend): More")), NEW),
    ):
        steps = branch_log.read_branch_reflog(log(repo, *rows), "side")
        assert branch_log.first_commit_made_after(steps, OLD) == found, rows
        assert branch_log.first_commit_made_after(steps, LAST) == ""


def test_a_log_that_is_none_is_not_waited_for_and_tells_nothing(repo: RepoBuilder) -> None:
    layout = log(repo, (OLD, "branch: Created from HEAD"))
    path = repo.path / ".git" / "logs" / "refs" / "heads" / "side"
    for text in ("", "\n", "a b\n", f"{ZERO} {OLD[1:]} x\tcommit: y\n", "\0\xff" * 50):
        path.write_text(text)
        assert branch_log.read_branch_reflog(layout, "side") == []
        assert branch_log.former_branch_names(layout, "side") == frozenset()
    path.unlink()
    if hasattr(os, "mkfifo"):
        os.mkfifo(path)
        assert branch_log.read_branch_reflog(layout, "side") == []
