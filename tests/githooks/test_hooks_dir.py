"""Where hooks lie, and where nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.git import layout as git_layout
from gitmem.githooks import hooks_dir
from tests.githooks.conftest import Site
from tests.support.repos import RepoBuilder
from tests.support.tables import table


def test_without_a_setting_it_is_the_common_folder(site: Site, tmp_path: Path) -> None:
    site.repo.git("worktree", "add", "-q", str(tmp_path / "other"))
    for top in (site.repo.path, tmp_path / "other"):
        found = hooks_dir.find_hooks_folder(git_layout.find_repository(str(top)))
        assert found == hooks_dir.HooksFolder(str(site.git_dir / "hooks"), "")


@pytest.mark.parametrize("folder", [".husky/_", ".githooks", "."])
def test_a_folder_in_the_work_tree_is_shared(site: Site, folder: str) -> None:
    site.repo.git("config", "core.hooksPath", folder)
    assert "worktree" in hooks_dir.find_hooks_folder(site.layout).reason


def test_a_folder_of_the_user_serves_other_repositories(site: Site) -> None:
    site.repo.git("config", "--global", "core.hooksPath", "~/hooks")
    found = hooks_dir.find_hooks_folder(site.layout)
    assert found.folder == str(site.repo.home / "hooks")
    assert "other repositories" in found.reason


def test_a_link_is_followed_before_judging(site: Site) -> None:
    site.hook("").rmdir()
    (site.repo.path / "hooks").mkdir()
    site.hook("").symlink_to("../hooks")
    assert "worktree" in hooks_dir.find_hooks_folder(site.layout).reason


@pytest.mark.parametrize("value", ["", "/dev/null"])
def test_hooks_may_be_turned_off(site: Site, value: str) -> None:
    site.repo.git("config", "core.hooksPath", value)
    assert "off" in hooks_dir.find_hooks_folder(site.layout).reason


def test_the_setting_may_name_the_own_folder(site: Site) -> None:
    site.repo.git("config", "core.hooksPath", str(site.git_dir / "my"))
    assert hooks_dir.find_hooks_folder(site.layout) == hooks_dir.HooksFolder(
        str(site.git_dir / "my"), ""
    )


def test_a_bare_repository_has_its_own(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "bare.git", "--bare")
    found = hooks_dir.find_hooks_folder(git_layout.find_repository(str(repo.path)))
    assert found == hooks_dir.HooksFolder(str(repo.path / "hooks"), "")


@table(
    ("text", "version"),
    [
        ("git version 2.39.5 (Apple Git-154)\n", (2, 39)),
        ("git version 2.54.0.windows.1\n", (2, 54)),
        ("git version 2.54.0-rc1", (2, 54)),
        ("nonsense", (0, 0)),
        ("", (0, 0)),
    ],
)
def test_versions_as_git_tells_them(text: str, version: tuple[int, int]) -> None:
    assert hooks_dir.parse_git_version(text) == version
