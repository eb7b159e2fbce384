"""A repository does not bring what is to be the user's own data folder, nor a store (S-18)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gitmem.errors import ForeignFile
from tests.support.apps import Desk
from tests.support.moved import SetUp


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    ready(bare_desk, no_index=True, no_hooks=True)
    return bare_desk


def track(desk: Desk, *paths: str) -> None:
    import subprocess

    for words in (["add", "--force", *paths], ["commit", "--quiet", "-m", "More"]):
        subprocess.run(["git", *words], cwd=desk.place, env=desk.env, check=True)


@pytest.mark.parametrize("variable", ["GITMEM_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"])
def test_a_data_folder_in_the_repository_is_refused(desk: Desk, variable: str) -> None:
    if variable != "GITMEM_HOME":
        desk.env.pop("GITMEM_HOME", None)
    desk.env[variable] = str(desk.place / ".claude" / "data")
    for verb in ("list", "init", "config"):
        with pytest.raises(ForeignFile, match="Your data folder") as refused:
            desk.run(verb)
        assert "GITMEM_HOME" in refused.value.hint
    assert not (desk.place / ".claude").exists()


def test_a_link_to_a_folder_of_the_repository_is_that_folder(desk: Desk) -> None:
    (desk.place / "data").mkdir()
    (link := desk.place.parent / "link").symlink_to(desk.place / "data")
    desk.env["GITMEM_HOME"] = str(link)
    with pytest.raises(ForeignFile):
        desk.run("list")


def test_a_home_folder_under_version_control_may_hold_it_untracked(desk: Desk) -> None:
    shutil.copytree(desk.home, desk.place / "me")
    desk.env.pop("GITMEM_HOME", None)
    desk.env["HOME"] = str(desk.place / "me")
    desk.env["XDG_CONFIG_HOME"] = desk.env["XDG_DATA_HOME"] = str(desk.place / "me")
    desk.run("list")
    (desk.place / "me" / "gitmem" / "stores" / "brought").write_text("x")
    track(desk, "me/gitmem/stores/brought")
    with pytest.raises(ForeignFile, match="git tracks your data folder"):
        desk.run("list")


@pytest.mark.parametrize("variable", [False, True])
def test_a_store_that_git_tracks_is_not_opened(desk: Desk, variable: bool) -> None:
    brought = desk.place / "docs" / "notes.db"
    brought.parent.mkdir()
    shutil.copy(desk.store, brought)
    if variable:
        desk.env["GITMEM_STORE_PATH"] = str(brought)
    else:
        desk.run("config", key="store.path", value=str(brought))
    desk.run("list")
    track(desk, str(Path("docs", "notes.db")))
    with pytest.raises(ForeignFile, match="git tracks the store"):
        desk.run("list")
    if not variable:
        desk.run("config", key="store.path", unset=True)
        desk.run("list")
