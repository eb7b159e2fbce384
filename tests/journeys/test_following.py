"""A commit becomes searchable by itself, and stays right through renames, rebases and switches."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.githooks import hooks_dir
from gitmem.spool import event_log, lease
from tests.support.cli import Program
from tests.support.repos import RepoBuilder
from tests.support.waiting import wait_until


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    made = RepoBuilder(tmp_path / "repo")
    made.commit("Start", {"README.md": "# Shop\n\nA shop for hats.\n"})
    return made


@pytest.fixture
def program(repo: RepoBuilder, tmp_path: Path) -> Program:
    return Program(tmp_path / "home", repo.path, GITMEM_MODEL="hashed")


def found(program: Program, words: str, source: str = "code") -> list[str]:
    output = program("search", words, "--in", source, "--mode", "keyword", "--json").json
    return [hit["path"] or hit["title"] for hit in output["hits"]]


def is_current(program: Program) -> bool:
    output = program("search", "shop", "--mode", "keyword", "--json").json
    return bool(output["index"]["state"] == "current")


def drained(place: Path, true: Callable[[], object]) -> None:
    """Wait until it is so, and ask only while no drain is at work: each question is a command."""
    spool = str(place / ".gitmem" / "spool")
    wait_until(
        lambda: (
            not event_log.count_unread_log_bytes(spool)
            and not lease.is_spool_lease_held(spool)
            and true()
        )
    )


def state_of(folder: Path) -> dict[str, str]:
    """Each file below a folder with its mode and the hash of its content."""
    return {
        str(path.relative_to(folder)): f"{path.stat().st_mode:o} "
        + hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_commit_becomes_searchable_by_itself(repo: RepoBuilder, program: Program) -> None:
    """CE-17, ML-39: a real hook fired by a real commit."""
    program("init")
    assert found(program, "zebra crossing") == []
    sha = repo.commit("Add the zebra crossing", {"road.py": "def zebra_crossing(): ...\n"})
    drained(repo.path, lambda: found(program, "zebra crossing") == ["road.py"])
    assert found(program, "zebra crossing", "commits") == ["Add the zebra crossing"]
    drained(repo.path, lambda: is_current(program))
    output = program("search", "zebra", "--json").json
    assert output["index"]["commit"] == sha


def test_a_rename_a_switch_and_a_rebase_stay_right(repo: RepoBuilder, program: Program) -> None:
    """CE-25: what is shown is what is checked out."""
    program("init")
    repo.branch("side")
    repo.commit("Add the giraffe", {"giraffe.py": "def long_neck(): ...\n"})
    drained(repo.path, lambda: found(program, "long_neck") == ["giraffe.py"])
    repo.git("mv", "giraffe.py", "tall.py")
    repo.git("commit", "-q", "-m", "Rename the giraffe")
    drained(repo.path, lambda: found(program, "long_neck") == ["tall.py"])
    repo.switch("main")
    drained(repo.path, lambda: found(program, "long_neck") == [])
    repo.commit("Meanwhile", {"other.py": "x = 1\n"})
    repo.switch("side")
    repo.git("rebase", "-q", "main")
    drained(repo.path, lambda: found(program, "long_neck") == ["tall.py"])
    drained(repo.path, lambda: is_current(program))
    # The commits that the rebase replaced are gone, their successors are there once.
    assert found(program, "giraffe", "commits").count("Add the giraffe") == 1


def test_switches_stand_on_the_timeline(repo: RepoBuilder, program: Program) -> None:
    program("init")
    repo.branch("side")
    repo.switch("side")  # once more: nothing happens
    repo.switch("main")

    def told() -> list[str]:
        entries = program("timeline", "--since", "2001-01-01", "--json").json["entries"]
        return [entry["text"] for entry in entries if entry["type"] == "checkout"]

    drained(repo.path, lambda: told() == ["switched to side", "switched to main"])


def test_uninstalling_gives_back_every_byte(repo: RepoBuilder, program: Program) -> None:
    """Reliability P3, S-12."""
    hook = repo.path / ".git" / "hooks" / "post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho mine >> ../fired\n")
    hook.chmod(0o755)
    before = state_of(repo.path / ".git")
    program("init", "--no-index")
    output = program("hooks", "status", "--json").json
    assert {item["state"] for item in output["hooks"]} <= {"installed", "present"}
    assert state_of(repo.path / ".git") != before
    program("hooks", "uninstall")
    (repo.path / ".git" / "gitmem-place").unlink()  # is the store's, which stays
    assert state_of(repo.path / ".git") == before


def test_a_hook_folder_in_the_work_tree_is_left_alone(repo: RepoBuilder, program: Program) -> None:
    """Husky's manner: the folder is tracked, so the line to add is shown instead.

    Not from git 2.54 on: there the hooks stand in the repository's configuration.
    """
    repo.git("config", "core.hooksPath", ".husky/_")
    (repo.path / ".husky" / "_").mkdir(parents=True)
    before = state_of(repo.path / ".husky")
    shown = program("init", "--no-index", "--json").json
    configured = hooks_dir.parse_git_version(repo.git("--version")) >= hooks_dir.CONFIG_HOOKS
    assert shown["hooks"]["declined"] == (0 if configured else 4)
    assert configured or all(hook["line"] for hook in shown["hooks"]["hooks"])
    assert state_of(repo.path / ".husky") == before


def test_init_can_leave_out_index_and_hooks(repo: RepoBuilder, program: Program) -> None:
    before = state_of(repo.path / ".git")
    shown = program("init", "--no-index", "--no-hooks", "--json").json
    assert (shown["indexed"], shown["hooks"]) == (None, None)
    (repo.path / ".git" / "gitmem-place").unlink()  # by which the store's settings know the place
    assert state_of(repo.path / ".git") == before


def test_what_the_hooks_noted_is_ignored_where_the_setting_says_so(
    repo: RepoBuilder, program: Program
) -> None:
    program("init")
    program("config", "hooks.enabled", "0")
    repo.commit("Add the okapi", {"okapi.py": "def okapi(): ...\n"})
    spool = repo.path / ".gitmem" / "spool"
    wait_until(lambda: not (spool / "events").exists())
    program("drain")
    assert found(program, "okapi") == []


def test_doctor_tells_of_index_vectors_and_hooks(repo: RepoBuilder, program: Program) -> None:
    program("init")
    checks = {
        finding["check"]: finding["state"]
        for finding in program("doctor", "--json").json["findings"]
    }
    assert checks["search"] == checks["vectors"] == checks["hooks"] == "ok"
    program("hooks", "uninstall")
    (repo.path / "later.py").write_text("y = 2\n")
    repo.git("add", "later.py")
    checks = {
        finding["check"]: finding["state"]
        for finding in program("doctor", "--json").json["findings"]
    }
    assert checks["search"] == checks["hooks"] == "note"


def test_a_morning_in_a_work_tree_and_a_moved_clone(
    repo: RepoBuilder, program: Program, tmp_path: Path
) -> None:
    """ML-41, CF-33: hooks in a linked work tree, a reset that no hook tells of, a clone moved."""
    program("init")
    linked = repo.worktree(tmp_path / "linked", "side")
    there = Program(tmp_path / "home", linked.path, GITMEM_MODEL="hashed")
    linked.commit("Add the zebra", {"zebra.py": "def zebra_crossing(): ...\n"})
    drained(repo.path, lambda: is_current(there))
    assert found(there, "zebra_crossing") == ["zebra.py"]
    assert found(program, "zebra_crossing") == []
    there("drain")  # what the searches asked for is done: from here on nothing runs by itself
    linked.git("reset", "-q", "--hard", "HEAD~1")
    output = there("search", "zebra_crossing", "--json").json
    assert output["index"]["state"] == "stale" and output["index"]["refreshing"]
    drained(repo.path, lambda: is_current(there))
    assert found(there, "zebra_crossing") == []
    moved = tmp_path / "moved"
    repo.path.rename(moved)
    here = Program(tmp_path / "home", moved, GITMEM_MODEL="hashed")
    assert is_current(here)
    RepoBuilder(moved, init=False, home=repo.home).commit(
        "Add the okapi", {"okapi.py": "def okapi_stable(): ...\n"}
    )
    drained(moved, lambda: found(here, "okapi_stable") == ["okapi.py"])
