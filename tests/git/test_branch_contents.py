"""Which blobs the ends of local branches hold, however few or many are asked about."""

from __future__ import annotations

import pytest

from gitmem.git import branch_contents
from tests.support.repos import RepoBuilder


@pytest.mark.parametrize("branches", [1, 2, 5])
@pytest.mark.parametrize("more", [0, 40])
def test_what_the_branches_end_in_is_held(repo: RepoBuilder, branches: int, more: int) -> None:
    gone = ["0" * 40, *(f"{number:040x}" for number in range(more))]
    held = []
    for number in range(branches):
        repo.git("checkout", "-q", "--orphan", f"b{number}")
        repo.git("rm", "-rqf", "--ignore-unmatch", ".")
        repo.commit("Old", {f"deep/er/f{number}.py": f"old = {number}\n"})
        gone.append(repo.git("rev-parse", f"HEAD:deep/er/f{number}.py").strip())
        # A name that looks like the id of a blob is none.
        repo.commit("New", {f"deep/er/f{number}.py": f"x = {number}\n", f"{gone[0]} x": "y"})
        held.append(repo.git("rev-parse", f"HEAD:deep/er/f{number}.py").strip())
    found = branch_contents.blobs_in_branches(str(repo.path), 30, {*gone, *held})
    assert found == set(held)
    assert (
        branch_contents.blobs_in_branches(str(repo.path), 1, {*gone, *held}) < {*held}
        or branches == 1
    )
