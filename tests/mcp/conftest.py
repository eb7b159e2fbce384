"""A repository with a store, and how to start programs that know nothing of the user's home."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support import moved
from tests.support.cli import Program
from tests.support.repos import RepoBuilder

COMMITS = 2


@dataclass(frozen=True)
class Site:
    """A repository that gitmem is set up in; ``gitmem`` runs the command line there."""

    repo: RepoBuilder
    gitmem: Program

    @property
    def path(self) -> Path:
        """The work tree."""
        return self.repo.path

    @property
    def env(self) -> dict[str, str]:
        """The environment of every process."""
        return self.gitmem.env

    @property
    def store(self) -> Path:
        """The store's file."""
        return self.path / ".gitmem" / "memory.db"


def make_site(folder: Path, *, init: bool = True) -> Site:
    """A site in an empty folder; no background work is started in it.

    The first one of each kind is really made, the others are copies of it.
    """
    model = _model(init)
    moved.copy(Path(model.name), folder)
    repo = RepoBuilder(folder / "repo", init=False)
    repo.go_on_after(COMMITS)
    gitmem = Program(
        folder / "home", repo.path, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
    )
    return Site(repo, gitmem)


@cache
def _model(init: bool) -> TemporaryDirectory[str]:
    saved = TemporaryDirectory(prefix="gitmem-test-")
    folder = Path(saved.name)
    repo = RepoBuilder(folder / "repo")
    repo.commit("Start the shop", {"README.md": "# Shop\n"})
    repo.commit("Add the cart", {"src/cart.py": "x = 1\n"})
    if init:
        Program(
            folder / "home", repo.path, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
        )("init")
    return saved


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A site of this test's own."""
    return make_site(tmp_path)


@pytest.fixture(scope="module")
def shared_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site that the tests of a module share: what one wrote, others may see."""
    return make_site(tmp_path_factory.mktemp("site"))
