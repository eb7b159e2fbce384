"""A repository whose jobs run the action."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.action.composite import Project
from tests.support.apps import copy_of
from tests.support.moved import rename_places
from tests.support.repos import RepoBuilder


@pytest.fixture
def project(repo: RepoBuilder, tmp_path: Path) -> Project:
    return Project(repo, tmp_path / "runner")


@pytest.fixture(scope="package")
def first_run(model_repo: RepoBuilder, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose first job has saved its store; nobody runs another in it."""
    folder = tmp_path_factory.mktemp("first")
    made = Project(copy_of(model_repo, folder), folder / "runner")
    made.run()
    return made


@pytest.fixture
def cached(project: Project, first_run: Project) -> Project:
    """A project as its first job left it; that job was run elsewhere."""
    (key,) = first_run.cache.keys
    project.cache.save(key, sorted((first_run.cache.folder / key).iterdir()))
    database = apsw.Connection(str(project.cache.folder / key / "0"))
    rename_places(database, str(first_run.repo.path.parent), str(project.repo.path.parent))
    database.close()
    project.jobs = first_run.jobs
    return project
