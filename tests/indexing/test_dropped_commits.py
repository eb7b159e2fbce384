"""Commits that no branch holds any more leave answers at once, and the index with its next run."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.indexing import dropped_commits
from gitmem.store.code import commits
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    """Two commits of a branch, squashed into one of main; the branch is there."""
    made = RepoBuilder(tmp_path / "repo")
    made.commit("Start", {"a.py": "x = 1\n"})
    made.git("checkout", "-q", "-b", "work")
    made.commit("Walrus step one", {"walrus.py": "one = 1\n"})
    made.commit("Walrus step two", {"walrus.py": "two = 2\n"})
    return made


def subjects(desk: Desk) -> set[str]:
    hits = desk.run("search", query="walrus", sources=("commits",)).hits
    return {hit.title for hit in hits}


def report(desk: Desk) -> int:
    count: int = desk.run("changes", since="2000-01-01").commits
    return count


def test_after_a_squash_and_the_end_of_its_branch_they_are_reported_no_more(
    repo: RepoBuilder,
) -> None:
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    main = repo.git("branch", "--format=%(refname:short)").split()[0]
    repo.git("checkout", "-q", main)
    repo.git("merge", "-q", "--squash", "work")
    repo.commit("Walrus whole")
    desk.run("index")
    assert subjects(desk) == {"Walrus whole", "Walrus step one", "Walrus step two"}
    assert report(desk) == 4
    repo.git("branch", "-q", "-D", "work")
    app = desk.app()
    gone = dropped_commits.find_dropped_commits(app)
    assert len(gone) == 2
    assert gone <= commits.indexed_commit_ids(app.store)
    app.close()
    assert subjects(desk) == {"Walrus whole"}
    assert report(desk) == 2
    desk.run("index")
    app = desk.app()
    assert not gone & commits.indexed_commit_ids(app.store)
    assert dropped_commits.find_dropped_commits(app) == frozenset()
    app.close()
    assert report(desk) == 2


def test_commits_of_branches_that_stay_stay(repo: RepoBuilder) -> None:
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    repo.git("checkout", "-q", "-b", "other", "HEAD~2")
    repo.commit("Otter", {"b.py": "y = 1\n"})
    desk.run("index")
    repo.git("branch", "-q", "-m", "work", "kept")
    assert report(desk) == 4
    desk.run("index")
    repo.commit("Otter two", {"b.py": "y = 2\n"})
    assert report(desk) == 4
    desk.run("index")
    assert report(desk) == 5
