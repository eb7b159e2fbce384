"""Operations run in this process, against real repositories, at a time the test decides.

    desk = Desk(repo.path, repo.home)
    desk.run("init")
    desk.run("remember", text="Redis is on 6380", agent="codex")
    desk.clock.advance(HOUR)
    assert "Redis" in desk.text("orient")

Each ``run`` opens and closes an ``App`` of its own, as each command does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gitmem import operations
from gitmem.app import App
from gitmem.clock import FixedClock
from gitmem.operations.registry import request_fields
from gitmem.settings import Settings
from gitmem.store.db import seals
from gitmem.store.file import registration
from tests.support import trees
from tests.support.cli import environment
from tests.support.repos import RepoBuilder

SECOND = 1000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
NOW = 1_795_248_222_000  # 2026-11-21T08:03:42Z, a Saturday


class Desk:
    """A place in a repository, a home folder and a clock that stands still."""

    def __init__(self, place: Path, home: Path, *, now: int = NOW, **more: str) -> None:
        self.place = place
        self.home = home
        self.clock = FixedClock(now)
        self.env = environment(home, GITMEM_TIMEZONE="UTC") | more

    def app(self, *, agent: str = "", place: Path | None = None) -> App:
        """An App as one command has it; the caller closes it."""
        return App(Settings(self.env), self.clock, str(place or self.place), agent=agent)

    def run(
        self, operation_name: str, *, by: str = "", place: Path | None = None, **values: Any
    ) -> Any:
        """The result of one operation; ``by`` is the agent."""
        operation = operations.load_operation(operation_name)
        for field in request_fields(operation.request_class):
            if field.many and isinstance(values.get(field.name), str):
                values[field.name] = (values[field.name],)  # as every surface takes it
        app = self.app(agent=by, place=place)
        try:
            return operation.run_request(app, operation.request_class(**values))
        finally:
            app.close()

    def text(self, operation_name: str, **values: Any) -> str:
        """What a person reads of the result."""
        return operations.load_operation(operation_name).view(self.run(operation_name, **values))

    def at(self, place: Path) -> Desk:
        """The same desk, moved: clock and home are shared."""
        other = Desk(place, self.home)
        other.clock, other.env = self.clock, self.env
        return other

    @property
    def key(self) -> bytes:
        """The key of the store that stands here."""
        app = self.app()
        try:
            return app.signing_key
        finally:
            app.close()

    @property
    def token(self) -> str:
        """The word by which lines of its spool are known."""
        return seals.derive_log_line_token(self.key)

    @property
    def store(self) -> Path:
        """Where the store of an ordinary repository lies."""
        return self.place / ".gitmem" / "memory.db"

    @property
    def settings_file(self) -> Path:
        """Where the settings of an ordinary repository lie, once it has a store."""
        stores = Settings(self.env).stores_folder
        return Path(
            registration.project_settings_path(
                stores, registration.store_id_at(stores, str(self.place))
            )
        )


def small_repo(folder: Path) -> RepoBuilder:
    """A repository with three commits by two people, the last three minutes into 2024."""
    repo = RepoBuilder(folder / "repo")
    repo.git("remote", "add", "origin", "https://github.com/acme/shop.git")
    repo.commit("Start", {"README.md": "# Shop\n"})
    repo.commit("Add the cart", {"src/cart/cart.py": "x = 1\n"}, author="Grace <g@example.org>")
    repo.commit("Mend the cart", {"src/cart/cart.py": "x = 2\n"})
    return repo


def copy_of(repo: RepoBuilder, folder: Path, saved: trees.Kept | None = None) -> RepoBuilder:
    """A byte-for-byte copy: much faster than building the same again.

    ``kept`` is the repository's folder, of one that is copied often and changed by nobody.
    """
    if saved:
        saved.write(folder / "repo")
    else:
        trees.copy(repo.path, folder / "repo")
    copied = RepoBuilder(folder / "repo", init=False)
    copied._now = repo._now
    return copied


def indexed_copy(desk: Desk, folder: Path) -> Desk:
    """A copy to write to of a prepared desk's repository and home, indexed where it lies now."""
    from tests.support import moved  # which needs this module

    moved.copy(desk.place.parent, folder, now=desk.clock.now())
    return Desk(folder / desk.place.name, folder / desk.home.name, GITMEM_MODEL="hashed")
