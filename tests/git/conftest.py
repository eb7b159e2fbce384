"""Every test here runs git in an empty home, and mostly in one small repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.git import runner
from tests.support.repos import RepoBuilder, isolated_environment


@pytest.fixture(autouse=True)
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    runner.configure_git_environment(isolated_environment(folder))
    return folder


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    return RepoBuilder(tmp_path / "repo")


@pytest.fixture
def born(repo: RepoBuilder) -> RepoBuilder:
    repo.commit("First", {"a.txt": "a\n", "src/b.txt": "b\n"})
    return repo
