"""Doctor's canary: a hook that fires is told from one that only stands there."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gitmem.githooks import self_test, shims
from gitmem.githooks.self_test import HookTestResult
from gitmem.githooks.shims import MARKS
from gitmem.text import marked_block
from tests.githooks import foreign, older
from tests.githooks.conftest import NEW_GIT, NOWHERE, OLD_GIT, Site, script, tree
from tests.support.repos import RepoBuilder


def fired(site: Site, version: tuple[int, int] = OLD_GIT) -> dict[str, HookTestResult]:
    output = self_test.run_all_hooks_as_test(site.layout, site.repo.env, known_git_version=version)
    return {item.event: item for item in output}


def reasons(site: Site, version: tuple[int, int] = OLD_GIT) -> dict[str, str]:
    return {event: item.reason for event, item in fired(site, version).items()}


FIRES = dict.fromkeys(shims.EVENTS, "")


def test_hooks_of_our_own_fire_and_nothing_is_touched(site: Site) -> None:
    site.install()
    before = tree(site.repo.path)
    assert reasons(site) == FIRES
    assert tree(site.repo.path) == before
    assert {item.command for item in fired(site).values()} == {NOWHERE}


def test_no_folder_is_left_behind(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    site.install()
    assert reasons(site) == FIRES
    assert list((tmp_path / "tmp").iterdir()) == []


def test_no_drain_is_started(site: Site, tmp_path: Path) -> None:
    log = tmp_path / "log"
    site.command = (str(script(tmp_path / "d", f"#!/bin/sh\necho >>'{log}'\n")),)
    site.install()
    assert reasons(site) == FIRES
    assert not log.exists()
    site.repo.git("commit", "-q", "--allow-empty", "-m", "x")  # a real event does
    assert any(site.spool.iterdir())


@pytest.mark.parametrize("name", [name for name in foreign.WELCOMING if name != "pre-commit"])
def test_of_a_shared_script_only_our_lines_run(site: Site, name: str, tmp_path: Path) -> None:
    mail = tmp_path / "mail"
    text = foreign.WELCOMING[name] + ("" if name == "no line end" else f"\ntouch '{mail}'\n")
    for event in shims.EVENTS:
        script(site.hook(event), text)
    site.install()
    assert reasons(site) == FIRES
    assert not mail.exists()


def test_a_file_that_git_skips_is_reported(site: Site) -> None:
    site.install()
    site.hook("post-commit").chmod(0o644)
    result = fired(site)["post-commit"]
    assert result.reason == "it is not executable, so git skips it"
    assert str(site.hook("post-commit")) in result.hint


def test_a_file_that_another_tool_wrote_anew_is_reported(site: Site) -> None:
    site.install()
    script(site.hook("post-merge"), foreign.LEFTHOOK)
    site.hook("post-rewrite").unlink()
    output = reasons(site)
    assert output["post-merge"] == "gitmem's lines are not in it"
    assert output["post-rewrite"] == "git finds no file there"
    assert output["post-commit"] == ""


def test_lines_above_ours_that_may_end_the_script_are_reported(site: Site) -> None:
    script(site.hook("post-commit"), foreign.USER)
    site.install()
    path = site.hook("post-commit")
    ours = marked_block.extract_block(path.read_bytes(), MARKS)
    rest = marked_block.remove_block(path.read_bytes(), MARKS)
    path.write_bytes(rest + ours)
    assert "above" in reasons(site)["post-commit"]
    site.install()
    assert reasons(site)["post-commit"] == ""


def test_a_script_changed_by_hand_is_found_out_by_running_it(site: Site) -> None:
    site.install()
    whole = site.script.read_bytes()
    site.script.write_bytes(whole.replace(b"gm1 $event", b"gm1 comit"))
    assert all(reasons(site).values())
    site.script.write_bytes(whole.replace(b"printf", b"prontf"))
    assert "did not arrive" in reasons(site)["post-checkout"]


def test_a_line_changed_by_hand_is_found_out_by_running_it(site: Site) -> None:
    site.install()
    path = site.hook("post-commit")
    path.write_bytes(path.read_bytes().replace(b"set -- post-commit", b"set -- post-comit"))
    assert "did not arrive" in reasons(site)["post-commit"]
    assert reasons(site)["post-merge"] == ""


def test_a_script_that_is_gone_is_reported(site: Site) -> None:
    site.install()
    site.script.unlink()
    result = fired(site)["post-commit"]
    assert result.reason == f"what it runs is missing: {site.script}"
    assert result.hint == self_test.INSTALL


def test_a_store_that_moved_away_from_its_hooks_is_found_out(site: Site) -> None:
    site.install()
    site.script.write_bytes(site.script.read_bytes().replace(b"/.gitmem'", b"/.elsewhere'"))
    assert "did not arrive" in reasons(site)["post-commit"]


def test_a_shell_that_is_gone_is_reported(site: Site) -> None:
    script(site.hook("post-commit"), "#!/nonexistent/sh\n")
    site.install()
    assert "cannot be started" in reasons(site)["post-commit"]


def test_a_hooks_folder_that_moved_since_is_reported(site: Site) -> None:
    site.install()
    site.repo.git("config", "core.hooksPath", str(site.git_dir / "others"))
    result = fired(site)["post-commit"]
    assert result.reason == "git finds no file there"
    assert "core.hooksPath" in result.hint
    site.repo.git("config", "core.hooksPath", "")
    assert reasons(site)["post-commit"] == "core.hooksPath turns all hooks off"


def test_the_line_added_by_hand_fires_alone(site: Site, tmp_path: Path) -> None:
    """Husky 9: the stub is what git runs, the script above it holds the line."""
    site.repo.git("config", "core.hooksPath", ".husky/_")
    husky, mail = site.repo.path / ".husky", tmp_path / "mail"
    script(husky / "_" / "h", foreign.HUSKY_9_H)
    for hook in site.install():
        script(husky / "_" / hook.event, foreign.HUSKY_9_STUB)
        script(husky / hook.event, f"touch '{mail}'\n{hook.line}\n")
    result = fired(site)
    assert {item.reason for item in result.values()} == {""}
    assert all(item.by_hand for item in result.values())
    assert not mail.exists()
    site.script.unlink()
    assert "what it runs is missing" in reasons(site)["post-commit"]


def test_hooks_of_the_configuration_fire(site: Site) -> None:
    site.install(NEW_GIT)
    assert "too old to run it" in reasons(site)["post-commit"]
    before = tree(site.repo.path)
    assert reasons(site, NEW_GIT) == FIRES
    assert tree(site.repo.path) == before
    site.repo.git("config", "hook.gitmem-post-merge.event", "post-commit")
    assert "does not name it" in reasons(site, NEW_GIT)["post-merge"]


def test_every_shape_of_repository_fires(site: Site, tmp_path: Path) -> None:
    site.repo.git("submodule", "add", "-q", str(site.repo.path), "sub/module")
    site.repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    apart = RepoBuilder(tmp_path / "apart", "--separate-git-dir", str(tmp_path / "kept"))
    inner = RepoBuilder(site.repo.path / "sub" / "module", init=False, home=site.repo.home)
    bare = RepoBuilder(tmp_path / "bare.git", init=False)
    for repo in (inner, apart, bare):
        made = Site(repo)
        made.install()
        assert reasons(made) == FIRES
        assert made.events() == ()
    linked = site.repo.worktree(tmp_path / "linked", "side")
    site.install()
    there = Site(linked)
    assert reasons(there) == FIRES
    assert there.events() == ()


def test_odd_names_and_the_switch_do_not_matter(site: Site, tmp_path: Path) -> None:
    site.install()
    site.repo.path.rename(tmp_path / 'it\'s \udcff "odd"')
    moved = Site(RepoBuilder(tmp_path / 'it\'s \udcff "odd"', init=False, home=site.repo.home))
    moved.repo.env["GITMEM_HOOKS"] = "0"
    assert reasons(moved) == FIRES


def test_where_nothing_was_installed_nothing_is_fired(site: Site) -> None:
    assert self_test.run_all_hooks_as_test(site.layout, site.repo.env) == ()
    site.install()
    site.uninstall()
    assert self_test.run_all_hooks_as_test(site.layout, site.repo.env) == ()


def test_what_keeps_lines_from_being_read_is_reported(site: Site, tmp_path: Path) -> None:
    assert "no folder" in self_test.event_recording_obstacle(site.layout)
    site.install()
    assert self_test.event_recording_obstacle(site.layout) == ""
    events = site.spool / "events"
    events.write_bytes(b"x" * (2 << 20))
    assert "full" in self_test.event_recording_obstacle(site.layout)
    events.unlink()
    events.symlink_to(tmp_path / "elsewhere")
    assert "symbolic link" in self_test.event_recording_obstacle(site.layout)


def test_the_program_that_hooks_start_is_asked(site: Site, tmp_path: Path) -> None:
    env = site.repo.env | {"PYTHONPATH": os.pathsep.join(sys.path)}
    assert self_test.read_program_version([sys.executable, "-m", "gitmem"], env).startswith(
        "gitmem "
    )
    assert self_test.read_program_version([sys.executable, "-c", "print('hello')"], env) == ""
    assert self_test.read_program_version([sys.executable, "-c", "raise SystemExit(1)"], env) == ""
    assert self_test.read_program_version(NOWHERE, env) == ""


def test_the_command_is_read_from_the_script() -> None:
    for command in (["/usr/bin/gitmem"], ["/o'dd p\u00e4th/python", "-P", "-m", "gitmem"]):
        assert (
            shims.start_command_in_script(shims.hook_script_text("../.gitmem", command)) == command
        )
        for event in shims.EVENTS:
            assert (
                shims.start_command_in_script(older.block(event, "../.gitmem", command)) == command
            )
    assert shims.start_command_in_script(b"#!/bin/sh\n") == []
    assert shims.start_command_in_script(b"\nset -- 'half\n") == []
    assert shims.start_command_in_script(b'; set -- \'half; [ -x "$1" ]') == []
