"""Where the keys of stores lie, told to the hooks when they are installed (CT-27)."""

from __future__ import annotations

import os
import time
from contextlib import closing
from pathlib import Path

import pytest

from gitmem.githooks import hook_status, installer, shims
from tests.githooks.conftest import NEW_GIT, OLD_GIT, TOKEN, Site, script, states, tree
from tests.githooks.test_install import every
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder


@pytest.fixture
def told(site: Site, tmp_path: Path) -> Path:
    """Where what the hooks start writes down where it looks for keys."""
    log = tmp_path / "told"
    command = script(
        tmp_path / "it's a command",
        f"#!/bin/sh\nprintf '%s %s\\n' \"$GITMEM_HOME\" \"$XDG_DATA_HOME\" >'{log}.part'\n"
        f"mv '{log}.part' '{log}'\n",
    )
    site.command = (str(command),)
    return log


def after_commit(site: Site, log: Path, **environment: str) -> str:
    saved = {name: value for name, value in site.repo.env.items() if name not in shims.HOMES}
    (site.spool / "drain").unlink(missing_ok=True)
    log.unlink(missing_ok=True)
    site.repo.env = saved | environment
    site.repo.commit("Next", {"a.txt": str(time.monotonic_ns())})
    for _ in range(200):
        if log.exists():
            return log.read_text().rstrip("\n")
        time.sleep(0.02)
    raise AssertionError("nothing was started")


@pytest.mark.parametrize("version", [OLD_GIT, NEW_GIT])
def test_a_git_that_knows_no_home_starts_gitmem_with_the_one_of_the_install(
    site: Site, told: Path, tmp_path: Path, version: tuple[int, int]
) -> None:
    homes = {"GITMEM_HOME": str(tmp_path / "o'ne home"), "XDG_DATA_HOME": str(tmp_path / "$data")}
    before = tree(site.git_dir)
    installer.install_hooks(
        site.layout, site.command, known_git_version=version, home_variables=homes
    )
    if version == OLD_GIT:  # this machine's git may not read hooks in the configuration
        assert after_commit(site, told) == " ".join(homes.values())
        assert after_commit(site, told, GITMEM_HOME="/other") == f"/other {homes['XDG_DATA_HOME']}"
    assert shims.home_folders_in_script(site.script.read_bytes()) == homes
    if version == NEW_GIT:
        site.uninstall()
        assert tree(site.git_dir) == before


def test_without_a_home_of_ones_own_git_decides(site: Site, told: Path) -> None:
    site.install()
    assert b"GITMEM_HOME" not in site.script.read_bytes()
    assert after_commit(site, told, XDG_DATA_HOME="/data") == " /data"


def test_a_home_stays_until_another_is_set_or_it_is_somebody_elses(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = {"GITMEM_HOME": str(tmp_path / "1")}, {"GITMEM_HOME": str(tmp_path / "2")}
    (tmp_path / "1").mkdir()
    installer.install_hooks(
        site.layout, site.command, known_git_version=OLD_GIT, home_variables=first, token=TOKEN
    )
    assert states(site.status()) == every("installed"), "as a program sees it that knows none"
    site.install()
    assert shims.home_folders_in_script(site.script.read_bytes()) == first
    for homes, state in ((first, "installed"), (second, "outdated")):
        observed = installer.read_hook_states(
            site.layout, site.command, known_git_version=OLD_GIT, home_variables=homes
        )
        assert states(observed) == every(state), homes
    installer.install_hooks(
        site.layout, site.command, known_git_version=OLD_GIT, home_variables=second
    )
    assert shims.home_folders_in_script(site.script.read_bytes()) == second
    assert states(site.status()) == every("outdated"), "a folder that is not there"
    (tmp_path / "2").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert states(site.status()) == every("outdated"), "a folder of somebody else"
    site.install()
    assert shims.home_folders_in_script(site.script.read_bytes()) == {}


def test_a_line_that_is_changed_is_no_home() -> None:
    made = shims.hook_script_text("../.gitmem", ["/bin/true"], {"GITMEM_HOME": "/a b"})
    assert shims.home_folders_in_script(made) == {"GITMEM_HOME": "/a b"}
    for old, new in ((b"'/a b'", b"'/a b' /c"), (b"'/a b'", b"$(evil)"), (b"'/a b'", b"'/a")):
        assert shims.home_folders_in_script(made.replace(old, new)) == {}, new


def test_commands_write_the_homes_they_run_with(repo: RepoBuilder) -> None:
    desk = Desk(repo.path, repo.home)
    desk.run("init")
    script = repo.path / ".git" / shims.SCRIPT
    assert shims.home_folders_in_script(script.read_bytes()) == {
        "GITMEM_HOME": desk.env["GITMEM_HOME"]
    }
    del desk.env["GITMEM_HOME"]
    desk.env["HOME"] = str(repo.home)
    with closing(desk.app()) as app:
        assert {hook.state for hook in hook_status.read_hook_states(app).hooks} == {"installed"}
