"""A repository whose jobs run the action."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.action.composite import Project
from tests.support.repos import RepoBuilder


@pytest.fixture
def project(repo: RepoBuilder, tmp_path: Path) -> Project:
    return Project(repo, tmp_path / "runner")
