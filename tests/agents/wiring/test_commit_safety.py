"""What `gitmem setup` writes into a repository, as git sees it (CF-51, CT-24)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.operations.start.setup import SETUP
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder


def write(folder: Path, name: str, content: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())


def exclude(desk: Desk) -> Path:
    return desk.place / ".git" / "info" / "exclude"


def test_files_of_others_that_git_would_take_are_marked(desk: Desk) -> None:
    write(desk.place, ".gitignore", ".claude/\n")
    write(desk.place, ".mcp.json", "{}")
    write(desk.place, ".claude/settings.local.json", "{}")
    done = desk.run("setup", agents=("claude-code", "windsurf"))
    marks = {os.path.basename(file.path): file.committed for file in done.files}
    assert marks[".mcp.json"] and not marks["settings.local.json"]
    assert not marks["mcp_config.json"]
    assert any("Files marked (git)" in note for note in done.notes)
    output = SETUP.view(done).splitlines()
    assert [line.split()[1] for line in output if line.endswith("(git)")] == [".mcp.json"]


@pytest.mark.parametrize("before", [b"", b"*.orig\n", b"*.orig", b"# x\r\n*.orig\r\n", b"\xff\n"])
def test_files_of_this_machine_are_kept_out_of_commits(
    desk: Desk, repo: RepoBuilder, before: bytes
) -> None:
    exclude(desk).parent.mkdir(exist_ok=True)
    exclude(desk).write_bytes(before)
    planned = desk.text("setup", agents=("cursor", "opencode"), dry_run=True)
    assert "+/.cursor/mcp.json" in planned and "(git)" not in planned
    assert exclude(desk).read_bytes() == before
    assert "(git)" not in desk.text("setup", agents=("cursor", "opencode"))
    assert repo.git("status", "--porcelain").strip() == ""
    once = exclude(desk).read_bytes()
    assert desk.text("setup", agents=("cursor", "opencode")).startswith("nothing to do")
    desk.run("setup", agents=("cursor",), remove=True)
    assert b"/opencode.json" in exclude(desk).read_bytes()
    assert b".cursor" not in exclude(desk).read_bytes() and b".cursor" in once
    desk.run("setup", remove=True)
    assert exclude(desk).read_bytes() == before


def test_what_a_team_commits_and_what_is_shared_git_may_see(desk: Desk, repo: RepoBuilder) -> None:
    exclude(desk).parent.mkdir(exist_ok=True)
    exclude(desk).write_bytes(b"")
    desk.run("setup", agents=("cursor", "generic"))
    assert repo.git("status", "--porcelain").split() == ["??", "AGENTS.md"]
    shared = desk.text("setup", agents=("cursor",), command="gitmem")
    assert "written  .cursor/mcp.json" in shared and "(git)" not in shared
    assert repo.git("status", "--porcelain").split() == ["??", ".cursor/", "??", "AGENTS.md"]
    desk.run("setup", remove=True)
    assert exclude(desk).read_bytes() == b""


def test_an_exclude_file_with_damaged_marks_or_none_at_all_is_left(desk: Desk) -> None:
    exclude(desk).parent.mkdir(exist_ok=True)
    exclude(desk).write_text("# >>> gitmem >>>\n")
    text = desk.text("setup", agents=("cursor",))
    assert [line.split()[1] for line in text.splitlines() if line.endswith("(git)")] == [
        ".cursor/mcp.json",
        ".cursor/hooks.json",
    ]
    assert exclude(desk).read_text() == "# >>> gitmem >>>\n"
    exclude(desk).unlink()
    desk.run("setup", remove=True)
    desk.run("setup", agents=("cursor",))
    assert not exclude(desk).exists()


def test_in_no_work_tree_git_sees_what_was_written(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    """They share a store and the list of what git leaves alone, but no configuration."""
    linked = repo.worktree(tmp_path / "linked", "other")
    other = desk.at(linked.path)
    exclude(desk).parent.mkdir(exist_ok=True)
    exclude(desk).write_bytes(b"*.orig\n")
    before = [sorted(os.listdir(item)) for item in (desk.place, linked.path)]
    other.run("setup", agents=("cursor",))
    desk.run("setup", agents=("opencode",))
    for item in (repo, linked):
        assert (item.path / ".cursor").exists() and (item.path / "opencode.json").exists()
        assert item.git("status", "--porcelain").strip() == ""
    desk.run("setup", remove=True)
    assert [sorted(os.listdir(item)) for item in (desk.place, linked.path)] == before
    assert exclude(desk).read_bytes() == b"*.orig\n"
    assert not (desk.place / ".gitmem" / "setup").exists()
