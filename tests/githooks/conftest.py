"""A repository with gitmem's folder in it, and a look at everything below a folder."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gitmem.git import layout as git_layout
from gitmem.git import runner
from gitmem.git.layout import RepositoryLayout
from gitmem.githooks import hook_script, installer
from gitmem.githooks.plan import HookState
from gitmem.spool import event_log, git_events
from gitmem.spool.git_events import Event, WorktreeNamedEvent
from gitmem.store.db import preflight
from tests.support import trees
from tests.support.repos import RepoBuilder

NOWHERE = ("/nonexistent/gitmem-for-tests",)
TOKEN = "0123abcd"
OLD_GIT, NEW_GIT = (2, 39), (2, 54)


class Site:
    """A repository whose hooks are under test. ``command`` is what the hooks start."""

    def __init__(self, repo: RepoBuilder, command: tuple[str, ...] = NOWHERE) -> None:
        self.repo = repo
        self.command = command
        self.trees: list[str] = []  # linked worktrees named by what ``events`` took last
        preflight.create_store_folder(installer.store_folder_path(self.layout))

    @property
    def layout(self) -> RepositoryLayout:
        return git_layout.find_repository(str(self.repo.path))

    @property
    def git_dir(self) -> Path:
        return Path(self.layout.common_dir)

    @property
    def spool(self) -> Path:
        return Path(installer.store_folder_path(self.layout)) / git_events.SPOOL

    def hook(self, event: str) -> Path:
        return self.git_dir / "hooks" / event

    @property
    def script(self) -> Path:
        return Path(hook_script.hook_script_path(self.layout))

    def install(self, version: tuple[int, int] = OLD_GIT) -> tuple[HookState, ...]:
        return installer.install_hooks(
            self.layout, self.command, known_git_version=version, token=TOKEN
        )

    def uninstall(self) -> tuple[HookState, ...]:
        return installer.uninstall_hooks(self.layout)

    def status(self, version: tuple[int, int] = OLD_GIT) -> tuple[HookState, ...]:
        return installer.read_hook_states(
            self.layout, self.command, known_git_version=version, token=TOKEN
        )

    def events(self, token: str = TOKEN) -> tuple[Event, ...]:
        """What the hooks noted since the last call, but in which worktree: see ``trees``."""
        now = time.monotonic_ns() // 1_000_000
        events, batch = git_events.take_git_events(str(self.spool), token, now_ms=now, pid=1)
        event_log.discard_line_batch(str(self.spool), batch, now_ms=now)
        assert batch.invalid_line_count == 0
        self.trees = [event.worktree for event in events if isinstance(event, WorktreeNamedEvent)]
        return tuple(event for event in events if not isinstance(event, WorktreeNamedEvent))


def states(hooks: tuple[HookState, ...]) -> dict[str, str]:
    """Event to state."""
    return {hook.event: hook.state for hook in hooks}


def tree(folder: Path) -> dict[str, tuple[int, bytes | str]]:
    """Every path below a folder with its mode and content."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for path in sorted(folder.rglob("*")):
        content: bytes | str = ""
        if path.is_symlink():
            content = f"-> {path.readlink()}"
        elif path.is_file():
            content = path.read_bytes()
        found[str(path.relative_to(folder))] = (path.lstat().st_mode, content)
    return found


def script(path: Path, text: str, mode: int = 0o755) -> Path:
    """An executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def make_template(folder: Path) -> Path:
    """A repository with one commit and no folder of hooks, to be copied."""
    repo = RepoBuilder(folder / "repo")
    repo.commit("Start", {"a.txt": "1\n"})
    shutil.rmtree(repo.path / ".git" / "hooks", ignore_errors=True)
    return repo.path


@contextmanager
def site_in(folder: Path, template: Path) -> Iterator[Site]:
    """A copy of the template with an empty hooks folder, whose environment git calls get."""
    trees.copy(template, folder / "repo")
    (folder / "repo" / ".git" / "hooks").mkdir()
    repo = RepoBuilder(folder / "repo", init=False)
    runner.configure_git_environment(repo.env)
    try:
        yield Site(repo)
    finally:
        runner.configure_git_environment({})


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit; nobody writes to it."""
    return make_template(tmp_path_factory.mktemp("template"))


@pytest.fixture
def site(tmp_path: Path, template: Path) -> Iterator[Site]:
    """An ordinary repository with an empty hooks folder."""
    with site_in(tmp_path, template) as made:
        yield made
