"""Setting up: what is made, what a second run does, where the store of each shape lies."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gitmem.errors import Conflict, ForeignFile, GitmemError, NotARepository, Unavailable
from gitmem.mcp.rpc.repo_resolver import project_root
from gitmem.model.frozen import replace
from gitmem.operations.start import init as init_
from gitmem.store.db import projects
from gitmem.store.memory import memories, memory_writes
from tests.support.apps import DAY, Desk
from tests.support.cli import Program
from tests.support.repos import RepoBuilder


def test_it_makes_one_private_folder_that_git_does_not_see(
    bare_desk: Desk, repo: RepoBuilder
) -> None:
    before = repo.git("status", "--porcelain=v2", "--branch")
    answer = bare_desk.run("init")
    assert answer.created
    assert answer.store == str(bare_desk.store)
    folder = bare_desk.store.parent
    assert folder.stat().st_mode & 0o777 == 0o700
    assert bare_desk.store.stat().st_mode & 0o777 == 0o600
    assert (folder / ".gitignore").read_text() == "*\n"
    assert repo.git("status", "--porcelain=v2", "--branch") == before


def test_a_second_run_changes_nothing(desk: Desk) -> None:
    saved = desk.run("remember", text="Redis is on 6380").id
    answer = desk.run("init")
    assert (answer.created, answer.memories) == (False, 1)
    assert desk.run("show", id=saved)
    assert desk.text("init").startswith("Already set up: gitmem for shop")


def test_a_dry_run_touches_nothing(bare_desk: Desk) -> None:
    answer = bare_desk.run("init", dry_run=True)
    assert (answer.created, answer.dry_run) == (False, True)
    assert not bare_desk.store.parent.exists()
    assert not (bare_desk.home / "gitmem").exists()
    assert bare_desk.text("init", dry_run=True).startswith("Would set up gitmem for shop")


def test_a_dry_run_on_an_empty_store_says_that_it_is_set_up(desk: Desk) -> None:
    assert desk.text("init", dry_run=True).startswith("Already set up")


def test_the_project_is_entered_in_the_users_own_store(desk: Desk) -> None:
    app = desk.app()
    shared = app.global_store()
    assert shared is not None
    assert [project.key for project in projects.registered_projects(shared)] == [
        "github.com/acme/shop"
    ]
    app.close()


def test_the_report_tells_what_to_do_next(bare_desk: Desk) -> None:
    text = bare_desk.text("init")
    assert "gitmem orient" in text and "gitmem remember" in text and "gitmem decide" in text


def test_without_a_home_it_works_with_a_key_that_was_given_and_says_what_is_missing(
    bare_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)
    monkeypatch.delenv("HOME")
    bare_desk.env = {"PATH": bare_desk.env["PATH"]}
    with pytest.raises(Unavailable, match="there is no home folder") as refused:
        bare_desk.run("init")
    assert "GITMEM_HOME" in refused.value.hint and "GITMEM_STORE_KEY" in refused.value.hint
    bare_desk.env["GITMEM_STORE_KEY"] = "ab" * 32
    answer = bare_desk.run("init")
    assert answer.created
    assert "no home folder" in answer.notes[0]
    assert bare_desk.run("remember", text="Redis is on 6380").action == "added"
    with pytest.raises(GitmemError) as refused_global:
        bare_desk.run("remember", text="tabs", scope="global")
    assert "HOME" in refused_global.value.hint


def test_outside_a_repository_nothing_is_made(bare_desk: Desk) -> None:
    with pytest.raises(NotARepository):
        bare_desk.run("init", place=bare_desk.home)
    assert not (bare_desk.home / ".gitmem").exists()


def test_a_folder_outside_a_repository_is_set_up_when_asked(bare_desk: Desk) -> None:
    folder = bare_desk.home / "notes"
    folder.mkdir()
    desk = bare_desk.at(folder)
    would = desk.run("init", folder=True, dry_run=True)
    assert (would.created, would.source) == (False, "path")
    assert list(folder.iterdir()) == []
    made = desk.run("init", folder=True)
    assert (made.created, made.store, made.hooks) == (True, str(desk.store), None)
    assert (folder / ".gitmem" / ".gitignore").read_text() == "*\n"
    again = desk.run("init", folder=True)
    assert (again.created, again.existed) == (False, True)
    assert desk.run("init").existed


def test_a_setup_of_a_folder_that_was_stopped_is_completed_by_the_next(bare_desk: Desk) -> None:
    folder = bare_desk.home / "notes"
    folder.mkdir()
    desk = bare_desk.at(folder)
    desk.run("init", folder=True)
    saved = desk.run("remember", text="Redis is on 6380").id
    shutil.rmtree(folder / ".gitmem" / "plain.git")  # as a kill between the two steps leaves it
    with pytest.raises(NotARepository):
        desk.run("list")
    assert desk.run("init", folder=True).memories == 1
    assert desk.run("show", id=saved)


def test_a_folder_in_a_repository_is_refused(bare_desk: Desk, repo: RepoBuilder) -> None:
    (repo.path / "notes").mkdir()
    with pytest.raises(Conflict, match="inside the git repository"):
        bare_desk.at(repo.path / "notes").run("init", folder=True)
    assert list((repo.path / "notes").iterdir()) == []


def test_a_store_that_came_with_the_clone_is_refused(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("remember", text="Redis is on 6380")
    repo.git("add", "-f", ".gitmem")
    repo.git("commit", "-q", "-m", "Ship the store")
    clone = repo.clone(repo.path.parent / "clone")
    before = (clone.path / ".gitmem" / "memory.db").read_bytes()
    elsewhere = Desk(clone.path, desk.home)
    for verb, values in (
        ("init", {}),
        ("list", {}),
        ("orient", {}),
        ("remember", {"text": "x"}),
        ("recall", {"query": "x"}),
        ("restore-backup", {"source": "any.db"}),
    ):
        with pytest.raises(ForeignFile):
            elsewhere.run(verb, **values)
    assert (clone.path / ".gitmem" / "memory.db").read_bytes() == before


def test_a_link_that_came_with_the_clone_is_never_written_through(
    bare_desk: Desk, repo: RepoBuilder
) -> None:
    """Also where git has been told to forget it, as the hint of a tracked store says."""
    folder = repo.path / ".gitmem"
    folder.mkdir()
    (repo.path / "docs").mkdir()
    (folder / "backups").symlink_to("../docs")
    repo.git("add", "-f", ".gitmem")
    repo.git("commit", "-q", "-m", "Ship a link")
    with pytest.raises(ForeignFile, match="git tracks"):
        bare_desk.run("init")
    repo.git("rm", "-q", "-r", "--cached", ".gitmem")
    repo.git("commit", "-q", "-m", "Forget it")
    for verb in ("init", "hooks install", "backup", "recover"):
        with pytest.raises(GitmemError):
            bare_desk.run(verb)
    assert os.listdir(folder) == ["backups"] and not os.listdir(repo.path / "docs")
    (folder / "backups").unlink()
    bare_desk.run("init")
    (folder / "spool" / "deep").symlink_to("../docs")
    (deep,) = [finding for finding in bare_desk.run("doctor").findings if finding.check == "folder"]
    assert deep.state == "problem" and "rm " in deep.hint
    (folder / "backups").symlink_to("../docs")
    messages = [
        finding
        for finding in bare_desk.run("doctor").findings
        if "symbolic link" in finding.message
    ]
    assert messages[0].state == "problem" and "rm " in messages[0].hint
    for verb in ("backup", "orient", "hooks uninstall", "restore-backup"):
        with pytest.raises(ForeignFile, match="symbolic link"):
            bare_desk.run(verb)
    assert not os.listdir(repo.path / "docs")


def kept_in(desk: Desk) -> list[str]:
    return [memory.content for memory in desk.run("list", scope="project").memories]


def test_every_work_tree_of_a_repository_sees_one_store(desk: Desk, repo: RepoBuilder) -> None:
    """CT-9."""
    desk.run("remember", text="Redis is on 6380")
    linked = desk.at(repo.worktree(repo.path.parent / "linked", "side").path)
    assert kept_in(linked) == ["Redis is on 6380"]
    # A rule: a note would wait on its branch until that is merged.
    linked.run("remember", text="Seen from the side", kind="convention")
    assert len(kept_in(desk)) == 2
    inside = desk.at(desk.place / "src" / "cart")
    assert len(kept_in(inside)) == 2


def test_a_bare_repository_keeps_its_store_inside(repo: RepoBuilder, tmp_path: Path) -> None:
    bare = repo.clone(tmp_path / "shop.git", "--bare")
    desk = Desk(bare.path, repo.home)
    answer = desk.run("init")
    assert answer.store == str(bare.path / ".gitmem" / "memory.db")
    tree = bare.worktree(tmp_path / "tree", "side")
    desk.at(tree.path).run("remember", text="From a work tree")
    assert kept_in(desk) == ["From a work tree"]
    assert "bare" in desk.text("orient").splitlines()[0]


def test_a_submodule_has_a_store_of_its_own(desk: Desk, repo: RepoBuilder) -> None:
    library = RepoBuilder(repo.path.parent / "library", home=repo.home)
    library.commit("Start", {"lib.py": ""})
    repo.git("submodule", "add", "-q", f"file://{library.path}", "vendor/library")
    module = desk.at(repo.path / "vendor" / "library")
    module.run("init")
    module.run("remember", text="Of the library")
    assert kept_in(desk) == []
    assert kept_in(module) == ["Of the library"]
    assert (repo.path / "vendor" / "library" / ".gitmem" / "memory.db").is_file()


def test_a_separate_git_directory_keeps_the_store_in_the_work_tree(
    tmp_path: Path, repo: RepoBuilder
) -> None:
    made = RepoBuilder(
        tmp_path / "tree", f"--separate-git-dir={tmp_path / 'elsewhere'}", home=repo.home
    )
    made.commit("Start", {"a": ""})
    desk = Desk(made.path, repo.home)
    assert desk.run("init").store == str(made.path / ".gitmem" / "memory.db")
    desk.run("remember", text="Apart")
    linked = desk.at(made.worktree(tmp_path / "linked", "side").path)
    assert kept_in(linked) == ["Apart"]


def test_a_moved_clone_takes_its_memories_along(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("remember", text="Redis is on 6380")
    moved = desk.at(repo.path.rename(repo.path.parent / "moved"))
    assert kept_in(moved) == ["Redis is on 6380"]
    assert moved.run("status").project == "github.com/acme/shop"


@pytest.mark.parametrize(
    "url",
    [
        "https://user:" + "pass" + "@GitHub.com/acme/shop.git",
        "git@github.com:acme/shop.git",
        "ssh://git@github.com:22/acme/shop",
        "short:acme/shop",
    ],
)
def test_every_spelling_of_a_remote_is_one_project(
    bare_desk: Desk, repo: RepoBuilder, url: str
) -> None:
    """CT-33."""
    repo.git("config", "url.https://github.com/.insteadOf", "short:")
    repo.git("remote", "set-url", "origin", url)
    answer = bare_desk.run("init")
    assert (answer.project, answer.source) == ("github.com/acme/shop", "remote")
    assert b"user:pass" not in bare_desk.store.read_bytes()


def test_a_name_in_the_repositorys_file_goes_before_the_remote(desk: Desk) -> None:
    (desk.place / ".gitmem.toml").write_text('name = "the-shop"\n')
    status = desk.run("status")
    assert (status.project, status.name) == ("the-shop", "the-shop")


def test_memories_follow_their_project_to_its_new_key(desk: Desk, repo: RepoBuilder) -> None:
    """CT-15, CT-33: by upkeep, or by `init`, whose --dry-run says what it would do."""
    desk.env.update(GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off")
    (desk.place / "web").mkdir()
    (desk.place / ".gitmem.toml").write_text('[project]\npaths = "web"\n')
    ids = [
        desk.run("remember", text="Redis is on 6380").id,
        desk.run("remember", text="The web is on 80", project="web").id,
        desk.run("remember", text="Of another project").id,
        desk.run("remember", text="Of a worktree").id,
    ]
    app = desk.app()
    there = [memories.get_memory(app.store, id) for id in ids]
    for memory, key in (
        (there[2], "github.com/b/c"),
        (there[3], f"path:{desk.place}/.claude/worktrees/x"),
    ):
        with app.store.write():
            memory_writes.replace_memory_in_place(app.store, replace(memory, project=key))
    app.close()
    repo.git("remote", "set-url", "origin", "https://github.com/acme/store.git")
    desk.clock.advance(DAY)
    (note,) = desk.run("init", no_hooks=True, no_index=True, dry_run=True).notes
    assert note == (
        "would be moved: memories under former keys of github.com/acme/store: "
        f"2 under github.com/acme/shop, 1 under path:{desk.place}/.claude/worktrees/x"
    )
    assert [keys(desk, id) for id in ids[:2]] == [
        "github.com/acme/shop",
        "github.com/acme/shop//web",
    ]
    desk.run("upkeep")
    assert [keys(desk, id) for id in ids] == [
        "github.com/acme/store",
        "github.com/acme/store//web",
        "github.com/b/c",
        "github.com/acme/store",
    ]
    app = desk.app()
    for id, before in zip(ids, there, strict=True):
        now = memories.get_memory(app.store, id)
        assert (now.version, now.updated_at) == (before.version, before.updated_at)
    assert not app.store.left_out
    shared = app.global_store()
    assert [project.key for project in projects.registered_projects(shared)] == [
        "github.com/acme/store"
    ]
    assert project_root(app, "github.com/acme/shop") == str(desk.place)
    app.close()
    assert desk.run("init", no_hooks=True, no_index=True).notes == ()


def keys(desk: Desk, id: str) -> str:
    app = desk.app()
    try:
        return memories.get_memory(app.store, id).project
    finally:
        app.close()


def test_contextifys_name_goes_before_the_remote_and_passes_the_redaction(desk: Desk) -> None:
    """CT-9: first in its documented order, also in a worktree of an agent."""
    desk.run("remember", text="Redis is on 6380")
    file = desk.place / ".contextify.yml"
    file.write_text("name: acme-shop\n")
    status = desk.run("status")
    assert (status.project, status.name, status.warnings) == ("acme-shop", "acme-shop", ())
    assert kept_in(desk) == ["Redis is on 6380"]
    tree = desk.place / ".claude" / "worktrees" / "x"
    subprocess.run(["git", "worktree", "add", "-q", tree], cwd=desk.place, check=True)
    (tree / ".contextify.yml").write_text("name: acme-shop\n")
    assert Desk(tree, desk.home).run("status").project == "acme-shop"
    token = "ghp_" + "a1B2" * 9
    file.write_text(f"name: {token}\n")
    assert token not in desk.run("status").project
    file.write_text("name: github.com/victim/app\n")
    status = desk.run("status")
    assert status.project == "github.com/acme/shop" and "left aside" in status.warnings[0]


def test_a_renamed_remote_keeps_the_earlier_key_as_an_alias(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("remember", text="Redis is on 6380")
    repo.git("remote", "set-url", "origin", "https://github.com/acme/store.git")
    desk.clock.advance(DAY)
    assert desk.run("status").project == "github.com/acme/store"
    assert kept_in(desk) == ["Redis is on 6380"]
    app = desk.app()
    assert projects.former_project_keys(app.store, "github.com/acme/store") == [
        "github.com/acme/shop"
    ]
    app.close()


def test_without_a_remote_the_first_commit_is_the_key(bare_desk: Desk, repo: RepoBuilder) -> None:
    repo.git("remote", "remove", "origin")
    root = repo.git("rev-list", "--max-parents=0", "HEAD")
    answer = bare_desk.run("init")
    assert (answer.project, answer.source) == (f"root:{root}", "root-commit")
    clone = repo.clone(repo.path.parent / "clone")
    clone.git("remote", "remove", "origin")
    assert Desk(clone.path, repo.home).run("status").project == f"root:{root}"


def test_files_stay_private_whatever_the_umask(bare_desk: Desk) -> None:
    program = Program(bare_desk.home, bare_desk.place, GITMEM_NO_BACKGROUND="1")
    before = os.umask(0)
    try:
        for words in (["init"], ["remember", "x"], ["backup"]):
            program(*words)
    finally:
        os.umask(before)
    for place in (bare_desk.store.parent, bare_desk.home / "gitmem"):
        for path in [place, *place.rglob("*")]:
            assert path.stat().st_mode & 0o077 == 0, path


def test_larger_models_are_reported_once_and_on_a_terminal_alone(bare_desk: Desk) -> None:
    pytest.importorskip("fastembed", reason="the optional package fastembed is not installed")
    result = []
    for _ in range(2):
        app = bare_desk.app()
        app.ask = lambda _question, default: default
        result.append(
            init_.initialize_repository(app, init_.InitRequest(no_index=True, no_hooks=True)).notes
        )
        app.close()
    assert any("gitmem model list" in note for note in result[0])
    assert not any("gitmem model list" in note for note in result[1])
