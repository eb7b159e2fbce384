"""Which changes are news for the index (CF-32, CE-31)."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.git import layout as git_layout
from gitmem.git import runner
from gitmem.indexing import watcher
from gitmem.indexing.watcher import WatchedPaths
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder
from tests.support.tables import table

MAIN = WatchedPaths("/r", "/r/.git", "/r/.git", "/r/.gitmem/memory.db")
LINKED = WatchedPaths("/w", "/r/.git/worktrees/w", "/r/.git", "/r/.gitmem/memory.db")
BARE = WatchedPaths("", "/b.git", "/b.git", "/b.git/.gitmem/memory.db")


@table(
    "path",
    [
        "/r/a.py",
        "/r/src/deep/file.py",
        "/r/.gitignore",
        "/r/.gitmemignore",
        "/r/.github/workflows/ci.yml",
        "/r/.git/HEAD",
        "/r/.git/index",
        "/r/.git/refs/heads/main",
        "/r/.git/refs/heads/feature/x",
        "/r/.git/packed-refs",
        "/r/.git/reftable/0x01.ref",
    ],
)
def test_files_and_the_branch_count(path: str) -> None:
    assert watcher.may_change_index(path, MAIN)


@table(
    "path",
    [
        "/r",
        "/elsewhere/a.py",
        "/r2/a.py",
        "/r/.gitmem/memory.db",
        "/r/.gitmem/memory.db-wal",
        "/r/.gitmem/backups/one.db",
        "/r/.git",
        "/r/.git/index.lock",
        "/r/.git/HEAD.lock",
        "/r/.git/refs/heads/main.lock",
        "/r/.git/refs/remotes/origin/main",
        "/r/.git/objects/ab/cdef",
        "/r/.git/logs/HEAD",
        "/r/.git/worktrees/other/HEAD",
        "/r/vendor/lib/.git/HEAD",
        "/r/node_modules/left-pad/index.js",
        "/r/src/__pycache__/a.cpython-311.pyc",
        "/r/logo.png",
        "/r/.env",
        "/r/id_rsa",
        "/r/poetry.lock",
    ],
)
def test_the_store_git_and_what_is_never_indexed_do_not_count(path: str) -> None:
    assert not watcher.may_change_index(path, MAIN)


def test_a_store_inside_the_work_tree_by_setting_does_not_count() -> None:
    own = WatchedPaths("/r", "/r/.git", "/r/.git", "/r/state/index.gm")
    assert not watcher.may_change_index("/r/state/index.gm-wal", own)
    assert watcher.may_change_index("/r/state/other.txt", own)


def test_of_a_linked_work_tree_its_own_head_counts_and_the_shared_branches() -> None:
    assert watcher.may_change_index("/w/a.py", LINKED)
    assert watcher.may_change_index("/r/.git/worktrees/w/HEAD", LINKED)
    assert watcher.may_change_index("/r/.git/refs/heads/main", LINKED)
    assert not watcher.may_change_index("/r/.git/HEAD", LINKED)
    assert not watcher.may_change_index("/r/a.py", LINKED)
    assert not watcher.may_change_index("/w/.git", LINKED)


def test_of_a_bare_repository_the_branch_counts_and_nothing_else() -> None:
    assert watcher.may_change_index("/b.git/HEAD", BARE)
    assert watcher.may_change_index("/b.git/refs/heads/main", BARE)
    assert not watcher.may_change_index("/b.git/.gitmem/memory.db", BARE)
    assert not watcher.may_change_index("/b.git/config", BARE)


@pytest.mark.parametrize(
    ("at", "roots"), [(MAIN, ("/r",)), (LINKED, ("/w", "/r/.git")), (BARE, ("/b.git",))]
)
def test_the_fewest_folders_are_watched(at: WatchedPaths, roots: tuple[str, ...]) -> None:
    assert watcher.folders_to_watch(at) == roots


class TestNews:
    """What git and .gitmemignore say of changed paths."""

    @pytest.fixture(autouse=True)
    def project(self, repo: RepoBuilder) -> None:
        runner.configure_git_environment(repo.env)
        repo.commit(
            "Ignore",
            {
                ".gitignore": "build/\n*.log\n",
                ".gitmemignore": "drafts/\n",
                "drafts/tracked.md": "draft\n",
                "kept.log.txt": "x\n",
            },
        )
        self.repo = repo
        self.layout = git_layout.find_repository(str(repo.path))
        self.at = watcher.watched_paths(self.layout, f"{repo.path}/.gitmem/memory.db")

    def news(self, *names: str) -> bool:
        paths = []
        for name in names:
            place = Path(self.at.worktree) / name
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.is_dir() and ".git/" not in name:
                place.write_text("changed\n")
            paths.append(str(place))
        return watcher.has_indexable_path(self.layout, self.at, paths)

    def test_a_new_and_a_tracked_file_are_news(self) -> None:
        assert self.news("new.py")
        assert self.news("kept.log.txt")

    def test_ignored_files_are_no_news(self) -> None:
        assert not self.news("build/made.py", "debug.log")

    def test_what_gitmemignore_leaves_out_is_no_news_tracked_or_not(self) -> None:
        assert not self.news("drafts/tracked.md", "drafts/new.md")

    def test_one_file_that_is_not_ignored_is_enough(self) -> None:
        assert self.news("debug.log", "new.py")

    def test_a_file_that_is_gone_is_news(self) -> None:
        gone = Path(self.at.worktree) / "kept.log.txt"
        gone.unlink()
        assert watcher.has_indexable_path(self.layout, self.at, [str(gone)])

    def test_the_branch_is_news_among_ignored_files(self) -> None:
        assert self.news("debug.log", ".git/HEAD")

    def test_many_paths_are_news_without_asking(self) -> None:
        assert self.news(*(f"build/{number}" for number in range(watcher.MOST_CHECKED + 1)))

    def test_no_change_is_no_news(self) -> None:
        assert not self.news()

    def test_a_name_that_looks_like_an_option_or_a_pattern_is_a_name(self) -> None:
        assert self.news("-o")
        assert self.news("*.log*")

    def test_where_git_fails_the_refresh_is_to_tell(self) -> None:
        (Path(self.at.worktree) / ".git/HEAD").write_text("nonsense\n")
        assert self.news("debug.log")


def test_a_plain_folder_has_ignored_files_too(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "notes"
    folder.mkdir()
    Desk(folder, home).run("init", folder=True, no_index=True)
    for name in (".gitignore", "draft.log", "plan.md"):
        (folder / name).write_text("*.log\n")
    layout = git_layout.find_repository(str(folder))
    at = watcher.watched_paths(layout, str(folder / ".gitmem/memory.db"))
    assert watcher.folders_to_watch(at) == (str(folder),)
    assert not watcher.has_indexable_path(layout, at, [str(folder / "draft.log")])
    assert watcher.has_indexable_path(layout, at, [str(folder / "plan.md")])
    assert not watcher.may_change_index(str(folder / ".gitmem/plain.git/config"), at)
