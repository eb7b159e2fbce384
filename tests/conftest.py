"""One small repository, built once and copied for each test; some packages have their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.apps import Desk, copy_of, small_repo
from tests.support.cli import Program
from tests.support.repos import RepoBuilder


@pytest.fixture(scope="session")
def model_repo(tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    """The repository that tests copy; nobody writes to it."""
    return small_repo(tmp_path_factory.mktemp("model"))


@pytest.fixture
def repo(model_repo: RepoBuilder, tmp_path: Path) -> RepoBuilder:
    """A repository of three commits, without gitmem."""
    return copy_of(model_repo, tmp_path)


@pytest.fixture
def bare_desk(repo: RepoBuilder) -> Desk:
    """A desk in the repository, before ``gitmem init``."""
    return Desk(repo.path, repo.home)


@pytest.fixture
def desk(bare_desk: Desk) -> Desk:
    """A desk in the repository, gitmem set up."""
    bare_desk.run("init")
    return bare_desk


@pytest.fixture
def program(desk: Desk) -> Program:
    """The real program where gitmem is set up; no backup in the background."""
    return Program(desk.home, desk.place, GITMEM_BACKUP_INTERVAL_HOURS="0")
