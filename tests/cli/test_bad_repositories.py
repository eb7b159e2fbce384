"""Every state a repository can be in: each main command answers or says why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.apps import Desk
from tests.support.cli import Program
from tests.support.repos import RepoBuilder


def works(repo: RepoBuilder) -> Program:
    """A day's commands in a repository; each must end well and change nothing git sees."""
    program = Program(
        repo.home, repo.path, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
    )
    before = repo.git("status", "--porcelain", check=False), repo.git("for-each-ref")
    assert program("init").out.startswith("Set up gitmem")
    program("remember", "Redis is on 6380")
    program("decide", "Use SQLite", "--why", "One file")
    assert program("recall", "redis", "--json").json["memories"]
    assert program("timeline", "--json").json["entries"]
    assert program("status", "--json").json["memories"] == 2
    assert program("orient").out
    assert program("doctor", "--json").json["failed"] == 0
    assert (repo.git("status", "--porcelain", check=False), repo.git("for-each-ref")) == before
    return program


def test_outside_a_repository_each_command_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    program = Program(tmp_path / "home", folder)
    for words in (
        ("init",),
        ("orient",),
        ("status",),
        ("remember", "x"),
        ("decide", "x"),
        ("recall", "x"),
        ("list",),
        ("timeline",),
        ("session", "start"),
        ("stats",),
        ("backup",),
        ("export",),
    ):
        program.refused(6, "not_a_repository", *words)
    assert list(folder.iterdir()) == []
    done = program("remember", "tabs", "--scope", "global")
    assert (done.out.startswith("added"), done.err) == (True, "")
    assert program("time", "yesterday").out
    assert program("config").out
    assert program("doctor").out


def test_without_gitmem_each_command_says_how_to_begin(repo: RepoBuilder) -> None:
    program = Program(repo.home, repo.path)
    for words in (
        ("remember", "x"),
        ("decide", "x"),
        ("recall", "x"),
        ("list",),
        ("show", "01"),
        ("session", "note", "x"),
        ("export",),
        ("backup",),
    ):
        error = program.refused(4, "not_initialized", *words)
        assert "gitmem init" in error.err
    assert not (repo.path / ".gitmem").exists()


def test_an_unborn_branch(tmp_path: Path) -> None:
    program = works(RepoBuilder(tmp_path / "new"))
    assert "main, no commit yet" in program("orient").out


def test_a_detached_head(repo: RepoBuilder) -> None:
    repo.switch("HEAD~1")
    program = works(repo)
    assert program("status", "--json").json["branch"] is None


def test_a_bare_repository(repo: RepoBuilder, tmp_path: Path) -> None:
    works(repo.clone(tmp_path / "shop.git", "--bare"))


def test_a_rebase_in_progress(repo: RepoBuilder) -> None:
    repo.branch("side", "HEAD~1")
    repo.commit("Other cart", {"src/cart/cart.py": "x = 9\n"})
    repo.git("rebase", "main", check=False)
    program = works(repo)
    assert program("status", "--json").json["state"] == "rebase"


@pytest.mark.parametrize(
    "options", [("--depth=1",), ("--filter=blob:none", "--no-checkout"), ("--sparse",)]
)
def test_clones_that_lack_something_are_not_completed_behind_the_users_back(
    repo: RepoBuilder, tmp_path: Path, options: tuple[str, ...]
) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = repo.clone(tmp_path / "clone", *options)
    # From now on a fetch would fail, and show.
    repo.path.rename(tmp_path / "gone")
    objects = sorted(path.name for path in (clone.path / ".git" / "objects").rglob("*"))
    program = works(clone)
    assert sorted(path.name for path in (clone.path / ".git" / "objects").rglob("*")) == objects
    if options == ("--depth=1",):
        assert "shallow" in program("orient").out


def test_a_sha256_repository(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "modern", "--object-format=sha256")
    repo.commit("Start", {"a": ""})
    program = works(repo)
    assert len(program("status", "--json").json["commit"]) == 64


def test_a_broken_git_folder(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "broken")
    repo.commit("Start", {"a": ""})
    (repo.path / ".git" / "HEAD").unlink()
    Program(repo.home, repo.path).refused(6, "not_a_repository", "orient")


def test_names_from_a_hostile_repository_reach_no_terminal(bare_desk: Desk) -> None:
    (bare_desk.place / ".gitmem.toml").write_text('name = "\\u001b[2Jshop\\nstore /evil"\n')
    program = Program(bare_desk.home, bare_desk.place)
    for words in (("init",), ("status",), ("orient",), ("config",), ("doctor",)):
        assert "\x1b" not in program(*words).out, words
