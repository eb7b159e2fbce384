"""Hooks in git's configuration, for git 2.54 and later.

The settings are written and taken out by the installed git, whatever its version. Whether they
fire is shown by running the command as git would, and by git itself where it is new enough.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gitmem.githooks import hooks_dir, installer, shims
from gitmem.githooks.self_test import run_all_hooks_as_test
from gitmem.spool.git_events import CheckoutEvent, CommitEvent, MergeEvent, RewriteEvent
from tests.githooks import foreign
from tests.githooks.conftest import NEW_GIT, OLD_GIT, Site, script, states, tree
from tests.githooks.test_install import every, put


def test_no_file_is_touched_and_the_configuration_comes_back(site: Site) -> None:
    put(site, foreign.PYTHON.encode())
    before = tree(site.git_dir)
    assert states(site.install(NEW_GIT)) == every("installed")
    installed = tree(site.git_dir)
    changed = {name for name in installed if installed[name] != before.get(name)}
    assert changed == {"config", "gitmem", "gitmem/hook.sh"}
    assert states(site.install(NEW_GIT)) == every("present")
    assert tree(site.git_dir) == installed
    assert states(site.status(NEW_GIT)) == every("installed")
    assert states(site.uninstall()) == every("removed")
    assert tree(site.git_dir) == before
    assert states(site.status(NEW_GIT)) == every("absent")


@pytest.mark.parametrize("end", ["", "\n", "\n\n\t# note\n", "[x]\n\ty = 1"])
def test_any_end_of_the_configuration_comes_back(site: Site, end: str) -> None:
    config = site.git_dir / "config"
    config.write_text(config.read_text().rstrip("\n") + end)
    before = tree(site.git_dir)
    site.install(NEW_GIT)
    site.install(NEW_GIT)
    site.uninstall()
    assert tree(site.git_dir) == before


def test_other_settings_made_meanwhile_stay(site: Site) -> None:
    site.repo.git("config", "hook.mine.command", "true")
    site.install(NEW_GIT)
    site.repo.git("config", "hook.mine.event", "pre-commit")
    site.repo.git("config", "core.hooksPath", ".husky")
    site.uninstall()
    listed = site.repo.git("config", "--local", "--list")
    assert "gitmem" not in listed
    assert "hook.mine.event=pre-commit" in listed
    assert "core.hookspath=.husky" in listed


def test_a_folder_in_the_work_tree_does_not_matter(site: Site) -> None:
    site.repo.git("config", "core.hooksPath", ".husky/_")
    assert states(site.install(NEW_GIT)) == every("installed")
    assert states(site.status(OLD_GIT)) == every("declined")


def test_after_an_upgrade_of_git_each_event_is_noted_once(site: Site) -> None:
    before = tree(site.git_dir)
    site.install(OLD_GIT)
    site.install(NEW_GIT)
    assert not site.hook("post-commit").exists()
    site.install(OLD_GIT)
    assert site.repo.git("config", "--local", "--get-regexp", "^hook", check=False) == ""
    site.uninstall()
    assert tree(site.git_dir) == before


def test_settings_of_another_form_are_replaced(site: Site) -> None:
    site.install(NEW_GIT)
    site.repo.git("config", "hook.gitmem-post-commit.command", "old")
    assert states(site.status(NEW_GIT))["post-commit"] == "absent"
    assert states(site.install(NEW_GIT))["post-commit"] == "installed"
    assert states(site.status(NEW_GIT)) == every("installed")


def fire(site: Site, event: str, *words: str, cwd: Path | None = None, stdin: bytes = b"") -> int:
    """Run the configured command as git does: by the shell, the arguments after it."""
    command = site.repo.git("config", f"hook.gitmem-{event}.command")
    return subprocess.run(
        ["sh", "-c", f'{command} "$@"', command, *words],
        cwd=cwd or site.repo.path,
        env=site.repo.env,
        input=stdin,
        check=False,
    ).returncode


def test_the_command_notes_what_git_tells_it(site: Site) -> None:
    site.install(NEW_GIT)
    head = site.repo.git("rev-parse", "HEAD")
    assert fire(site, "post-commit") == 0
    assert fire(site, "post-checkout", head, head, "1") == 0
    assert fire(site, "post-rewrite", "amend", stdin=f"{head} {head}\n".encode()) == 0
    committed, checked, rewritten = site.events()
    assert isinstance(committed, CommitEvent)
    assert isinstance(checked, CheckoutEvent)
    assert isinstance(rewritten, RewriteEvent)
    assert rewritten.old_new_pairs == ((head, head),)


def test_the_command_is_silent_where_gitmem_is_gone(site: Site) -> None:
    site.install(NEW_GIT)
    shutil.rmtree(site.spool.parent)
    for event in shims.EVENTS:
        assert fire(site, event, "a", "b", "1") == 0


def test_the_command_of_a_new_work_tree_finds_the_store_without_gits_help(
    site: Site, tmp_path: Path
) -> None:
    """`git worktree add` runs the hook in the new tree, without GIT_DIR."""
    site.install(NEW_GIT)
    other = site.repo.worktree(tmp_path / "other", "side")
    site.events()
    assert "GIT_DIR" not in site.repo.env
    assert fire(site, "post-commit", cwd=other.path) == 0
    (event,) = site.events()
    assert event.ref == "refs/heads/side"


@pytest.fixture
def new(site: Site) -> Site:
    """A site whose git runs hooks of the configuration; skipped where it is older."""
    if hooks_dir.read_git_version(site.layout) < hooks_dir.CONFIG_HOOKS:
        pytest.skip("the installed git does not know hooks in its configuration")
    installer.install_hooks(site.layout, site.command)
    return site


def test_a_new_git_runs_it_beside_the_hook_file(new: Site, tmp_path: Path) -> None:
    script(new.hook("post-commit"), foreign.USER)
    fired = tmp_path / "fired"
    new.repo.git("commit", "-q", "--allow-empty", "-m", "x", env={"FIRED": str(fired)})
    assert fired.exists()
    assert [type(event) for event in new.events()] == [CommitEvent]


def test_a_new_git_runs_all_four(new: Site, tmp_path: Path) -> None:
    """Commit, amend with its pair, switch, merge, rebase, a new work tree and a commit in it."""
    repo = new.repo
    repo.commit("one", {"a.txt": "2\n"})
    repo.git("commit", "-q", "--amend", "-m", "two")
    assert [type(event) for event in new.events()] == [CommitEvent, CommitEvent, RewriteEvent]
    repo.branch("side")
    repo.commit("three", {"b.txt": "3\n"})
    repo.switch("main")
    repo.merge("side")
    kinds = [type(event) for event in new.events()]
    assert kinds == [CheckoutEvent, CommitEvent, CheckoutEvent, MergeEvent]
    repo.git("rebase", "-q", "--force-rebase", "HEAD~1")
    last = new.events()[-1]
    assert isinstance(last, RewriteEvent)
    assert last.old_new_pairs
    other = repo.worktree(tmp_path / "other", "more")
    other.commit("four")
    assert [type(event) for event in new.events()] == [CheckoutEvent, CommitEvent]


def test_a_new_git_is_not_disturbed_by_a_store_that_is_gone(new: Site) -> None:
    shutil.rmtree(new.spool.parent)
    new.repo.commit("x", {"a.txt": "3\n"})
    assert new.repo.git("commit", "-q", "--amend", "-m", "y") == ""


def test_a_new_git_shows_a_hook_that_fires_and_one_that_is_switched_off(new: Site) -> None:
    def reasons() -> dict[str, str]:
        return {hook.event: hook.reason for hook in run_all_hooks_as_test(new.layout, new.repo.env)}

    assert reasons() == dict.fromkeys(shims.EVENTS, "")
    new.repo.git("config", "hook.gitmem-post-commit.enabled", "false")
    new.repo.git("config", "hook.post-merge.enabled", "false")
    off = {event for event, reason in reasons().items() if reason.endswith("is false")}
    assert off == {"post-commit", "post-merge"}
