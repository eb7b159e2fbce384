"""`gitmem deinit`: what init and setup made is gone, and nothing else is."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import pytest

from gitmem.errors import ForeignFile, Unavailable
from gitmem.githooks import hook_status, hooks_dir
from gitmem.spool import lease
from gitmem.store.db import projects
from tests.githooks import foreign, older
from tests.githooks.conftest import Site
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

AGENTS = ("claude-code", "codex", "cursor", "gemini", "copilot", "zed")


def sums(*folders: Path) -> dict[str, str]:
    """Every path below, the git directory included: its rights and what is in it."""
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            output = oct(path.lstat().st_mode)
            if path.is_symlink():
                output += f" -> {path.readlink()}"
            elif path.is_file():
                output += " " + hashlib.sha256(path.read_bytes()).hexdigest()
            found[str(path)] = output
    return found


@pytest.fixture
def lived_in(bare_desk: Desk, repo: RepoBuilder) -> Desk:
    """A repository with hooks of others and agents' files, before gitmem comes."""
    hooks = repo.path / ".git" / "hooks"
    shutil.rmtree(hooks, ignore_errors=True)
    hooks.mkdir()
    for event, text in (("post-commit", foreign.USER), ("post-merge", foreign.GIT_LFS)):
        (hooks / event).write_text(text)
        (hooks / event).chmod(0o755)
    (repo.path / "AGENTS.md").write_bytes(b"# How we work\r\n\r\nTests first.")
    (repo.path / ".cursor").mkdir()
    (repo.path / ".cursor" / "mcp.json").write_text('{\n\t"mcpServers": {}\n}')
    repo.git("config", "user.name", "Grace")
    repo.git("status")
    return bare_desk


@pytest.mark.parametrize("hooks", [True, False])
def test_after_a_purge_every_byte_of_the_repository_is_as_before_init(
    lived_in: Desk, hooks: bool
) -> None:
    before = sums(lived_in.place)
    at_home = sums(lived_in.home)
    lived_in.run("init", no_hooks=not hooks)
    lived_in.run("setup", agents=AGENTS, skills=True)
    lived_in.run("remember", text="Redis is on 6380")
    assert len(sums(lived_in.place)) > len(before) + 10
    done = lived_in.run("deinit", purge=True)
    assert sums(lived_in.place) == before
    assert (done.store, done.forgotten) == ("removed", True)
    assert {hook.event for hook in done.hooks} == (
        {"post-commit", "post-merge", "post-checkout", "post-rewrite"} if hooks else set()
    )
    assert len(done.files) > 5
    own = str(lived_in.home / "gitmem")
    assert {k: v for k, v in sums(lived_in.home).items() if not k.startswith(own)} == at_home


def test_commits_made_meanwhile_stay_and_hooks_are_silent_again(
    lived_in: Desk, repo: RepoBuilder
) -> None:
    before = sums(lived_in.place)
    lived_in.run("init")
    repo.env["GITMEM_HOOKS"] = "0"  # a drain of this commit would look for the store
    made = repo.commit("Next", {"a.txt": "1\n"})
    lived_in.run("deinit", purge=True)
    del repo.env["GITMEM_HOOKS"]
    assert repo.git("rev-parse", "HEAD") == made
    after = sums(lived_in.place)
    git = str(repo.path / ".git")
    theirs = ("objects", "logs", "refs", "index", "COMMIT_EDITMSG")
    ours = {
        path
        for path in before.keys() | after.keys()
        if before.get(path) != after.get(path)
        and not path.startswith(tuple(os.path.join(git, name) for name in theirs))
    }
    assert ours == {str(repo.path / "a.txt")}


def test_without_purge_the_store_stays_and_init_goes_on_with_it(lived_in: Desk) -> None:
    before = {k: v for k, v in sums(lived_in.place).items() if ".gitmem" not in k}
    lived_in.run("init")
    setup = lived_in.run("setup", agents=AGENTS).files
    made = [os.path.relpath(item.path, lived_in.place) for item in setup]
    saved = lived_in.run("remember", text="Redis is on 6380").id
    text = lived_in.text("deinit")
    assert "kept     .gitmem: the store; gitmem deinit --purge removes it too" in text
    assert "removed  git hooks: post-commit" in text
    assert made and [path for path in made if f"removed  {path}" not in text] == []
    after = sums(lived_in.place)
    assert {k: v for k, v in after.items() if ".gitmem" not in k} == before
    assert lived_in.run("init").memories == 1
    assert lived_in.run("show", id=saved)


def test_a_dry_run_tells_the_same_and_writes_nothing(lived_in: Desk) -> None:
    lived_in.run("init")
    lived_in.run("setup", agents=AGENTS)
    before = sums(lived_in.place)
    text = lived_in.text("deinit", purge=True, dry_run=True)
    would = lived_in.run("deinit", purge=True, dry_run=True)
    assert sums(lived_in.place) == before
    assert text.startswith("Without --dry-run, this would be done:\nremove   git hooks: ")
    assert "remove   .gitmem: the store and its backups" in text
    done = lived_in.run("deinit", purge=True)
    assert {hook.event for hook in would.hooks} == {hook.event for hook in done.hooks}
    assert {file.path for file in would.files} == {file.path for file in done.files}
    assert (would.store, would.forgotten) == (done.store, done.forgotten)


def test_hooks_of_an_older_gitmem_are_reported_before_they_go(
    bare_desk: Desk, repo: RepoBuilder
) -> None:
    desk = bare_desk
    desk.run("init", no_hooks=True, no_index=True)
    app = desk.app()
    configured = hooks_dir.read_git_version(app.layout) >= hooks_dir.CONFIG_HOOKS
    app.close()
    if configured:
        pytest.skip("this git has its hooks in the configuration")
    (repo.path / ".git" / "hooks").mkdir(exist_ok=True)
    older.install(Site(repo, tuple(hook_status.gitmem_start_command())))
    would = desk.run("deinit", dry_run=True).hooks
    assert would and {hook.event for hook in would} == {
        item.event for item in desk.run("deinit").hooks
    }


def test_a_second_run_has_nothing_to_do(desk: Desk) -> None:
    desk.run("deinit", purge=True)
    before = sums(desk.place)
    assert desk.text("deinit", purge=True) == "nothing to do"
    assert desk.text("deinit", purge=True, dry_run=True) == "nothing to do"
    assert desk.text("deinit") == "nothing to do"
    assert sums(desk.place) == before


def test_all_work_trees_are_looked_after(lived_in: Desk, repo: RepoBuilder) -> None:
    linked = repo.worktree(repo.path.parent / "linked", "side")
    before = sums(repo.path, linked.path)
    lived_in.run("init")
    lived_in.run("setup", agents=AGENTS)
    there = lived_in.at(linked.path)
    there.run("setup", agents=AGENTS)
    there.run("deinit", purge=True)
    assert sums(repo.path, linked.path) == before


def test_a_work_tree_that_is_gone_keeps_nobody(lived_in: Desk, repo: RepoBuilder) -> None:
    linked = repo.worktree(repo.path.parent / "linked", "side")
    lived_in.run("init")
    lived_in.at(linked.path).run("setup", agents=AGENTS)
    shutil.rmtree(linked.path)
    assert lived_in.run("deinit", purge=True).store == "removed"
    assert not lived_in.store.parent.exists()


def test_a_separate_git_directory_and_a_bare_one(bare_desk: Desk, tmp_path: Path) -> None:
    apart = RepoBuilder(tmp_path / "apart", "--separate-git-dir", str(tmp_path / "kept"))
    apart.commit("x", {"a.txt": "1\n"})
    bare = RepoBuilder(tmp_path / "bare.git", "--bare")
    for repo in (apart, bare):
        desk = bare_desk.at(repo.path)
        before = sums(repo.path, tmp_path / "kept")
        desk.run("init")
        desk.run("deinit", purge=True)
        assert sums(repo.path, tmp_path / "kept") == before


def test_a_folder_that_names_another_s_git_directory_takes_nothing_from_it(
    lived_in: Desk, repo: RepoBuilder
) -> None:
    lived_in.run("init")
    evil = repo.path.parent / "evil"
    evil.mkdir()
    (evil / ".git").write_text(f"gitdir: {repo.path}/.git\n")
    before = sums(repo.path / ".git")
    for verb, values in (("deinit", {}), ("list", {}), ("remember", {"text": "x"}), ("init", {})):
        with pytest.raises(ForeignFile, match="gitmem does not use it"):
            lived_in.at(evil).run(verb, **values)
    assert sums(repo.path / ".git") == before
    assert sorted(path.name for path in evil.iterdir()) == [".git"]


def test_a_plain_folder(bare_desk: Desk) -> None:
    folder = bare_desk.home / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n")
    desk = bare_desk.at(folder)
    desk.run("init", folder=True)
    desk.run("deinit", purge=True)
    assert [path.name for path in folder.iterdir()] == ["a.md"]


def test_what_agents_read_at_home_stays_while_another_project_uses_it(
    lived_in: Desk, tmp_path: Path
) -> None:
    other = lived_in.at(RepoBuilder(tmp_path / "other").path)
    other.run("init", no_index=True, no_hooks=True)
    lived_in.run("init")
    lived_in.run("setup", agents=("codex",), scope="user")
    config = lived_in.home / ".codex" / "config.toml"
    assert "gitmem" in config.read_text()
    done = lived_in.run("deinit", purge=True)
    assert "gitmem" in config.read_text()
    assert "--scope user" in done.notes[0] and str(other.place) in done.notes[0]
    app = other.app()
    shared = app.global_store()
    assert shared is not None
    assert [project.root for project in projects.registered_projects(shared)] == [str(other.place)]
    app.close()
    other.run("deinit", purge=True)
    assert not config.exists()


@pytest.fixture
def clones(desk: Desk, tmp_path: Path) -> tuple[Desk, Desk]:
    """A project and a second clone of it, both set up: they have one key."""
    copied = RepoBuilder(tmp_path / "second" / "repo")
    copied.git("remote", "add", "origin", "https://github.com/acme/shop.git")
    copied.commit("Start", {"README.md": "# Shop\n"})
    second = desk.at(copied.path)
    second.run("init", no_index=True, no_hooks=True)
    return desk, second


def roots(desk: Desk) -> set[str]:
    return {project.path for project in desk.run("projects").projects}


def test_a_second_clone_does_not_take_the_place_of_the_first(clones: tuple[Desk, Desk]) -> None:
    first, second = clones
    both = {str(first.place), str(second.place)}
    assert roots(first) == both
    first.run("init", no_index=True, no_hooks=True)
    assert roots(first) == both
    # The last that is used has the row of the key; its removal gives it back.
    assert first.run("deinit", purge=True).forgotten
    assert roots(second) == {str(second.place)}
    assert second.run("deinit", purge=True).forgotten
    assert roots(second) == set()


@pytest.mark.parametrize("agent", ["claude-code", "kimi"])
def test_the_last_of_two_clones_takes_out_what_both_use(
    clones: tuple[Desk, Desk], agent: str
) -> None:
    first, second = clones
    first.run("setup", agents=(agent,), scope="user")
    wired = sums(first.home)
    for output in (
        second.run("setup", agents=(agent,), remove=True),
        second.run("setup", remove=True),
        second.run("deinit", dry_run=True),
        second.run("deinit", purge=True),
    ):
        assert str(first.place) in output.notes[0]
        assert f"gitmem setup {agent} --remove --scope user" in output.notes[0]
        after = sums(first.home)
        assert {path: after[path] for path in wired if "/gitmem" not in path} == {
            path: line for path, line in wired.items() if "/gitmem" not in path
        }
    done = first.run("deinit")
    assert done.notes == () or "home folder stays" not in done.notes[0]
    assert not (first.home / ".kimi-code").exists() and not (first.home / ".claude.json").exists()


def test_a_list_of_an_earlier_version_that_names_one_clone_loses_nobody(
    clones: tuple[Desk, Desk],
) -> None:
    """Its second `init` struck the first clone off; the place of the store is known still."""
    first, second = clones
    app = second.app()
    shared = app.global_store()
    assert shared is not None
    with shared.write():
        projects.set_meta(shared, projects.CLONES, "[]")
    app.close()
    assert roots(second) == {str(second.place)}
    first.run("setup", agents=("kimi",))
    second.run("deinit", purge=True)
    assert "gitmem" in (first.home / ".kimi-code" / "config.toml").read_text()
    first.run("init", no_index=True, no_hooks=True)
    assert roots(first) == {str(first.place)}


def test_lines_damaged_by_hand_stay_and_are_reported(lived_in: Desk, repo: RepoBuilder) -> None:
    lived_in.run("init")
    hook = repo.path / ".git" / "hooks" / "post-commit"
    if b"gitmem" not in hook.read_bytes():
        pytest.skip("this git has its hooks in the configuration")
    hook.write_bytes(hook.read_bytes().replace(b"# <<< gitmem hook <<<", b"#"))
    assert "kept     post-commit: gitmem's lines were damaged" in lived_in.text("deinit")


def test_a_store_that_came_with_the_clone_is_not_removed(desk: Desk, repo: RepoBuilder) -> None:
    repo.git("add", "-f", ".gitmem")
    repo.git("commit", "-q", "-m", "Ship the store")
    before = sums(desk.place)
    with pytest.raises(ForeignFile):
        desk.run("deinit", purge=True)
    assert sums(desk.place) == before


def test_a_link_in_place_of_the_folder_is_not_followed(desk: Desk, tmp_path: Path) -> None:
    folder = desk.store.parent
    folder.rename(tmp_path / "mine")
    folder.symlink_to(tmp_path / "mine")
    with pytest.raises(ForeignFile):
        desk.run("deinit", purge=True)
    assert (tmp_path / "mine" / "memory.db").exists()


def test_a_damaged_store_keeps_nobody(desk: Desk) -> None:
    desk.store.write_bytes(b"\0garbage" * 999)
    assert desk.run("deinit", purge=True).store == "removed"
    assert not desk.store.parent.exists()


def test_a_store_elsewhere_stays_and_is_reported(bare_desk: Desk, tmp_path: Path) -> None:
    bare_desk.env["GITMEM_STORE_PATH"] = str(tmp_path / "elsewhere.db")
    bare_desk.run("init")
    done = bare_desk.run("deinit", purge=True)
    assert (tmp_path / "elsewhere.db").exists()
    assert any(str(tmp_path / "elsewhere.db") in note for note in done.notes)


def test_a_drain_at_work_is_waited_for_and_then_reported(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.operations.start.deinit._DRAIN_TRIES", 2)
    spool = desk.store.parent / "spool"
    spool.mkdir(exist_ok=True)
    held = lease.try_take_spool_lease(str(spool), os.getpid())
    assert held
    (spool / "events").write_text("waits\n")
    with pytest.raises(Unavailable, match="drain"):
        desk.run("deinit", purge=True)
    assert desk.store.exists()
    held.release()
    desk.run("deinit", purge=True)
    assert not desk.store.parent.exists()
