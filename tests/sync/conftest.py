"""Clones of one bare remote, each a device with a home of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gitmem.operations.maintenance.sync import SyncResult
from gitmem.store.db.connection import Database
from gitmem.store.file import registration
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder


class Clone(Desk):
    """A clone of the remote, set up and sharing."""

    def __init__(self, place: Path, home: Path, **more: str) -> None:
        super().__init__(place, home, **more)
        self.git_env = RepoBuilder(place, init=False, home=home).env

    def git(self, *args: str) -> str:
        """What git prints in the clone."""
        words = ["git", *args]
        done = subprocess.run(
            words, cwd=self.place, env=self.git_env, check=True, capture_output=True
        )
        return done.stdout.decode()

    def remember(self, text: str, **more: Any) -> str:
        """The id of a new memory."""
        self.clock.advance(1000)
        return str(self.run("remember", text=text, **more).id)

    def revise(self, id: str, text: str) -> None:
        """Change the text of a memory."""
        self.clock.advance(1000)
        self.run("revise", id=id, text=text)

    def sync(self, action: str = "now", **more: Any) -> SyncResult:
        """The result of `gitmem sync`."""
        result: SyncResult = self.run("sync", action=action, **more)
        return result

    def contents(self) -> dict[str, str]:
        """The text of each memory in force, by id."""
        return {item.id: item.content for item in self.run("list", limit=1000).memories}

    def tiers(self) -> dict[str, str]:
        """How far each memory is trusted, by id."""
        return {item.id: item.trust for item in self.run("list", limit=1000).memories}

    @property
    def records(self) -> Path:
        """The repository of records of this device."""
        app = self.app()
        try:
            return Path(
                registration.store_data_folder(app.keys.stores_folder, app.store.store), "sync.git"
            )
        finally:
            app.close()


@contextmanager
def store_of(clone: Clone) -> Iterator[Database]:
    """The store of a clone, open."""
    app = clone.app()
    try:
        yield app.store
    finally:
        app.close()


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """A bare remote with one commit."""
    origin = RepoBuilder(tmp_path / "origin")
    origin.commit("Start", {"README.md": "# Shop\n"})
    origin.git("clone", "-q", "--bare", str(origin.path), str(tmp_path / "hub.git"))
    return tmp_path / "hub.git"


@pytest.fixture
def clone(hub: Path, tmp_path: Path) -> Callable[..., Clone]:
    """Make a clone by name; unless ``enabled`` is false it shares."""

    def make(name: str, *, enabled: bool = True, options: tuple[str, ...] = ()) -> Clone:
        home = tmp_path / f"home-{name}"
        env = RepoBuilder(tmp_path / "origin", init=False).env | {"HOME": str(home)}
        home.mkdir()
        words = ["git", "clone", "-q", *options, f"file://{hub}", str(tmp_path / name)]
        subprocess.run(words, env=env, check=True)
        made = Clone(tmp_path / name, home)
        made.git("config", "user.name", name.capitalize())
        made.git_env["GIT_AUTHOR_NAME"] = name.capitalize()
        made.env["GIT_AUTHOR_NAME"] = name.capitalize()
        made.run("init")
        if enabled:
            made.sync("enable", yes=True)
        return made

    return make
