"""Each test here has a repository and an application of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.app import App
from tests.support import moved
from tests.support.apps import Desk
from tests.support.stores import make_app


@pytest.fixture(scope="session")
def set_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``make_app`` leaves in a folder; nobody writes to it."""
    folder = tmp_path_factory.mktemp("set-up")
    make_app(folder).close()
    return folder


@pytest.fixture
def app(set_up: Path, tmp_path: Path) -> Iterator[App]:
    """An application in a small repository that is set up."""
    moved.copy(set_up, tmp_path)
    moved.recognise(Desk(tmp_path / "repo", tmp_path / "home"))
    made = make_app(tmp_path, ready=False)
    yield made
    made.close()
