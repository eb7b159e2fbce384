"""Installing beside other tools' hooks and leaving no trace (S-12)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gitmem.errors import GitmemError, NotInitialized, ReadOnly, Unavailable
from gitmem.git import layout as git_layout
from gitmem.githooks import installer, manifest, shims
from gitmem.githooks.shims import MARKS
from gitmem.model.frozen import replace
from gitmem.spool.git_events import CommitEvent
from tests.githooks import foreign
from tests.githooks.conftest import NOWHERE, OLD_GIT, TOKEN, Site, script, states, tree
from tests.support.repos import RepoBuilder


def every(state: str) -> dict[str, str]:
    return dict.fromkeys(shims.EVENTS, state)


def put(site: Site, content: bytes, mode: int = 0o755) -> None:
    for event in shims.EVENTS:
        site.hook(event).write_bytes(content)
        site.hook(event).chmod(mode)


def test_installing_twice_changes_nothing_and_uninstalling_leaves_no_trace(site: Site) -> None:
    before = tree(site.git_dir)
    assert states(site.install()) == every("installed")
    installed = tree(site.git_dir)
    assert states(site.install()) == every("present")
    assert tree(site.git_dir) == installed
    assert states(site.uninstall()) == every("removed")
    assert tree(site.git_dir) == before
    assert states(site.uninstall()) == every("absent")


@pytest.mark.parametrize("mode", [0o755, 0o700, 0o775])
@pytest.mark.parametrize("name", foreign.WELCOMING)
def test_lines_in_anothers_script_come_out_again(site: Site, name: str, mode: int) -> None:
    put(site, foreign.WELCOMING[name].encode(), mode)
    before = tree(site.git_dir)
    assert states(site.install()) == every("installed")
    assert states(site.status()) == every("installed")
    assert states(site.install()) == every("present")
    site.uninstall()
    assert tree(site.git_dir) == before


@pytest.mark.parametrize("name", foreign.REFUSING)
def test_what_is_no_shell_script_is_not_touched(site: Site, name: str) -> None:
    put(site, foreign.REFUSING[name])
    before = tree(site.git_dir)
    hooks = site.install()
    assert states(hooks) == every("declined")
    for hook in hooks:
        assert hook.reason
        assert hook.event in hook.line
    site.uninstall()
    assert tree(site.git_dir) == before


def test_links_folders_and_sleeping_scripts_are_not_touched(site: Site) -> None:
    put(site, foreign.USER.encode(), 0o644)
    for event, target in (("post-merge", "post-commit"), ("post-rewrite", "nowhere")):
        site.hook(event).unlink()
        site.hook(event).symlink_to(target)
    site.hook("post-checkout").unlink()
    site.hook("post-checkout").mkdir()
    before = tree(site.git_dir)
    reasons = {hook.event: hook.reason for hook in site.install()}
    assert reasons == {
        "post-commit": "it is not executable, so git skips it",
        "post-merge": "it is a symbolic link",
        "post-checkout": "it is not a file",
        "post-rewrite": "it is a symbolic link",
    }
    site.uninstall()
    assert tree(site.git_dir) == before


FIRING = ["user", "bash", "carriage returns"]


@pytest.mark.parametrize("name", FIRING)
@pytest.mark.parametrize("event", ["post-checkout", "post-rewrite"])
def test_the_other_hook_still_gets_its_arguments_its_input_and_its_exit_status(
    site: Site, name: str, event: str, tmp_path: Path
) -> None:
    def run() -> tuple[int, bytes, bytes, str]:
        fired = tmp_path / "fired"
        fired.unlink(missing_ok=True)
        done = subprocess.run(
            [site.hook(event), "one", "", "two three"],
            cwd=site.repo.path,
            env=site.repo.env | {"FIRED": str(fired)},
            input=b"in\nput" * 9000,
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr, fired.read_text()

    put(site, foreign.WELCOMING[name].encode())
    before = run()
    site.install()
    assert run() == before


@pytest.mark.parametrize(
    ("name", "tool"),
    [("pre-commit", "pre-commit"), ("git-lfs", "git-lfs"), ("lefthook", "lefthook")],
)
def test_a_managers_hook_runs_its_tool_and_ours_notes(
    site: Site, name: str, tool: str, tmp_path: Path
) -> None:
    script(tmp_path / "bin" / tool, f'#!/bin/sh\necho "{tool}: $*" >>"$FIRED"\nexit 1\n')
    put(site, foreign.WELCOMING[name].encode())
    site.install()
    fired = tmp_path / "fired"
    path = f"{tmp_path / 'bin'}:{site.repo.env['PATH']}"
    site.repo.git(
        "commit", "-q", "--allow-empty", "-m", "x", env={"PATH": path, "FIRED": str(fired)}
    )
    assert fired.read_text().startswith(f"{tool}: ")
    assert [type(event) for event in site.events()] == [CommitEvent]


@pytest.mark.parametrize("ours_first", [True, False])
def test_either_may_be_taken_out_first(site: Site, ours_first: bool) -> None:
    empty = tree(site.git_dir)
    if ours_first:
        site.install()
        for event in shims.EVENTS:  # another tool adds itself below our lines
            with site.hook(event).open("a") as file:
                file.write("echo theirs\n")
        site.uninstall()
        for event in shims.EVENTS:
            assert site.hook(event).read_text() == "#!/bin/sh\necho theirs\n"
            site.hook(event).unlink()
    else:
        put(site, foreign.USER.encode())
        site.install()
        put(site, b"#!/bin/sh\necho new\n")  # the tool writes its file anew
        assert states(site.status()) == every("absent")
        site.uninstall()
        assert site.hook("post-commit").read_bytes() == b"#!/bin/sh\necho new\n"
        for event in shims.EVENTS:
            site.hook(event).unlink()
    assert tree(site.git_dir) == empty


@pytest.mark.parametrize("end", [".legacy", ".old"])
def test_a_manager_that_renames_our_hook_makes_no_event_come_twice(site: Site, end: str) -> None:
    """pre-commit keeps what it finds and runs it first; lefthook keeps it and never runs it."""
    before = tree(site.git_dir)
    site.install()
    for event in shims.EVENTS:
        hook = site.hook(event)
        hook.rename(f"{hook}{end}")
        script(hook, '#!/bin/sh\n[ ! -x "$0.legacy" ] || "$0.legacy" "$@"\n')
    site.repo.git("commit", "-q", "--allow-empty", "-m", "x")
    assert len(site.events()) == (end == ".legacy")
    site.install()
    site.repo.git("commit", "-q", "--allow-empty", "-m", "y")
    assert len(site.events()) == 1
    site.uninstall()
    for event in shims.EVENTS:
        site.hook(event).unlink()
    after = {name for name in tree(site.git_dir) if not name.startswith(("objects", "logs"))}
    assert after <= set(before) | {"COMMIT_EDITMSG"}


def test_what_another_tool_set_aside_of_the_users_stays(site: Site) -> None:
    script(Path(f"{site.hook('post-commit')}.legacy"), foreign.USER)
    before = tree(site.git_dir)
    site.install()
    site.uninstall()
    assert tree(site.git_dir) == before


def test_a_manager_that_moves_the_hooks_folder_after_us(site: Site) -> None:
    """Husky comes after gitmem: core.hooksPath leaves our files where git no longer looks."""
    before = tree(site.git_dir)
    site.install()
    site.repo.git("config", "core.hooksPath", ".husky/_")
    script(site.repo.path / ".husky" / "_" / "post-commit", foreign.HUSKY_9_STUB)
    assert states(site.status()) == every("declined")
    assert states(site.install()) == every("declined")
    site.uninstall()
    site.repo.git("config", "--unset", "core.hooksPath")
    after = tree(site.git_dir)
    after["config"] = before["config"]
    assert after == before


def test_where_git_does_not_answer_nothing_is_written_and_what_was_written_comes_out(
    site: Site,
) -> None:
    """An empty HEAD is what a loss of power leaves behind; git finds no repository then."""
    head, config = (site.git_dir / name for name in ("HEAD", "config"))
    before = tree(site.git_dir)
    saved = config.read_bytes()
    config.write_bytes(b"[core\n")
    with pytest.raises(Unavailable, match="bad config line"):
        site.install()
    config.write_bytes(saved)
    assert tree(site.git_dir) == before
    site.install()
    named = head.read_bytes()
    head.write_bytes(b"")
    assert states(site.uninstall()) == every("removed")
    head.write_bytes(named)
    assert tree(site.git_dir) == before


def test_what_the_user_wrote_meanwhile_stays(site: Site) -> None:
    put(site, foreign.USER.encode())
    site.install()
    with site.hook("post-commit").open("a") as file:
        file.write("echo more\n")
    site.uninstall()
    assert site.hook("post-commit").read_text() == foreign.USER + "echo more\n"


def test_lines_damaged_by_hand_are_reported_and_left(site: Site) -> None:
    site.install()
    path = site.hook("post-commit")
    path.write_bytes(path.read_bytes().replace(MARKS.end, b"# gone"))
    damaged = path.read_bytes()
    output = {hook.event: hook for hook in site.uninstall()}
    assert output["post-commit"].state == "declined"
    assert str(path) in output["post-commit"].reason
    assert output["post-merge"].state == "removed"
    assert path.read_bytes() == damaged


def test_an_older_form_is_replaced(site: Site) -> None:
    put(site, foreign.USER.encode())
    before = tree(site.git_dir)
    site.install()
    site.command = ("/elsewhere/gitmem",)
    assert states(site.status()) == every("outdated")
    assert states(site.install()) == every("installed")
    assert b"/elsewhere/gitmem" in site.script.read_bytes()
    assert site.hook("post-commit").read_bytes().count(MARKS.begin) == 1
    site.uninstall()
    assert tree(site.git_dir) == before


def test_a_script_of_the_user_that_is_only_a_first_line_is_given_back(site: Site) -> None:
    put(site, shims.FIRST_LINE)
    before = tree(site.git_dir)
    site.install()
    site.install()
    site.uninstall()
    assert tree(site.git_dir) == before


def test_without_a_manifest_our_files_are_still_known(site: Site) -> None:
    before = tree(site.git_dir)
    site.install()
    (site.spool.parent / "hooks.json").write_text("[garbage")
    site.uninstall()
    assert tree(site.git_dir) == before


def test_a_forged_manifest_reaches_nothing_outside(site: Site, tmp_path: Path) -> None:
    """Neither a hook, nor what a manager set aside, nor a folder said to be made by gitmem."""
    site.install()
    ours = site.hook("post-commit").read_text()
    store = str(site.spool.parent)
    written = manifest.read_hook_manifest(store)
    assert written is not None
    for folder, names in ("victim", ["post-commit", "post-merge.legacy"]), ("empty", []):
        victim = tmp_path / folder
        victim.mkdir()
        for name in names:
            script(victim / name, ours)
        manifest.write_hook_manifest(store, replace(written, folder=str(victim), made_folder=True))
        assert folder not in str(site.uninstall())
        assert sorted(path.name for path in victim.iterdir()) == names


def test_a_missing_hooks_folder_is_made_and_removed_again(site: Site) -> None:
    site.hook("").rmdir()
    before = tree(site.git_dir)
    site.install()
    assert states(site.status()) == every("installed")
    site.install()
    site.uninstall()
    assert tree(site.git_dir) == before


def test_a_made_folder_stays_where_somebody_uses_it(site: Site) -> None:
    site.hook("").rmdir()
    site.install()
    script(site.hook("pre-push"), foreign.USER)
    site.uninstall()
    assert [path.name for path in site.hook("").iterdir()] == ["pre-push"]


@pytest.mark.parametrize("folder", [".husky", ".husky/_", ".githooks"])
def test_a_folder_in_the_work_tree_is_left_alone(site: Site, folder: str) -> None:
    script(site.repo.path / folder / "post-commit", foreign.HUSKY_8)
    script(site.repo.path / ".husky" / "_" / "husky.sh", foreign.HUSKY_8_SH)
    site.repo.git("config", "core.hooksPath", folder)
    before = tree(site.git_dir), tree(site.repo.path / folder)
    hooks = site.install()
    assert states(hooks) == every("declined")
    assert states(site.status()) == every("declined")
    assert all("worktree" in hook.reason for hook in hooks)
    site.uninstall()
    assert (tree(site.git_dir), tree(site.repo.path / folder)) == before


def test_a_global_folder_is_left_alone(site: Site) -> None:
    shared = site.repo.home / "hooks"
    script(shared / "post-commit", foreign.USER)
    site.repo.git("config", "--global", "core.hooksPath", str(shared))
    before = tree(site.git_dir), tree(site.repo.home)
    assert states(site.install()) == every("declined")
    site.uninstall()
    assert (tree(site.git_dir), tree(site.repo.home)) == before


def test_when_the_hooks_folder_moves_the_old_one_is_cleaned(site: Site) -> None:
    before = tree(site.git_dir)
    site.install()
    site.repo.git("config", "core.hooksPath", str(site.git_dir / "others"))
    site.install()
    assert not site.hook("post-commit").exists()
    assert (site.git_dir / "others" / "post-commit").exists()
    site.uninstall()
    site.repo.git("config", "--unset", "core.hooksPath")
    after = tree(site.git_dir)
    after["config"] = before["config"]
    assert after == before


def test_a_linked_work_tree_installs_for_all(site: Site, tmp_path: Path) -> None:
    site.repo.git("worktree", "add", "-q", str(tmp_path / "other"))
    there = git_layout.find_repository(str(tmp_path / "other"))
    assert states(
        installer.install_hooks(there, NOWHERE, known_git_version=OLD_GIT, token=TOKEN)
    ) == every("installed")
    assert states(site.status()) == every("installed")
    assert states(site.install()) == every("present")


def test_without_a_store_nothing_is_installed(site: Site) -> None:
    shutil.rmtree(site.spool.parent)
    before = tree(site.repo.path)
    with pytest.raises(NotInitialized):
        installer.install_hooks(site.layout, NOWHERE, known_git_version=OLD_GIT)
    assert set(states(site.status()).values()) == {"absent"}
    assert tree(site.repo.path) == before


def test_a_file_where_the_folder_should_be_is_reported_in_a_sentence(site: Site) -> None:
    site.hook("").rmdir()
    site.hook("").write_text("")
    with pytest.raises(ReadOnly):
        site.install()
    assert set(states(site.uninstall()).values()) == {"absent"}


def test_the_installed_git_decides_by_itself(site: Site) -> None:
    installer.install_hooks(site.layout, NOWHERE, token=TOKEN)
    assert set(states(installer.read_hook_states(site.layout, NOWHERE)).values()) == {"installed"}
    site.repo.git("commit", "-q", "--allow-empty", "-m", "x")
    assert [type(event) for event in site.events()] == [CommitEvent]


def test_new_files_have_the_rights_of_their_folder(tmp_path: Path, site: Site) -> None:
    site.hook("").chmod(0o700)
    site.install()
    assert site.hook("post-commit").stat().st_mode & 0o777 == 0o700
    assert site.spool.stat().st_mode & 0o777 == 0o700
    RepoBuilder(site.repo.path, init=False).commit("x", {"new": "y"})
    assert (site.spool / "events").stat().st_mode & 0o777 == 0o600


def test_a_hook_of_ours_that_may_not_be_run_any_more_is_repaired(site: Site) -> None:
    """As after a copy of the folder that keeps no permissions."""
    site.install()
    hook = site.hook("post-commit")
    content, usual = hook.read_bytes(), hook.stat().st_mode & 0o777
    for mode in (0o600, 0o644):
        hook.chmod(mode)
        site.install()
        assert hook.stat().st_mode & 0o777 == usual
        assert hook.read_bytes() == content


@pytest.mark.parametrize(("noted", "state"), [(False, "absent"), (True, "declined")])
def test_a_hooks_folder_that_leads_out_is_reported_and_left(
    site: Site, tmp_path: Path, noted: bool, state: str
) -> None:
    if noted:
        site.install()  # into files, which then moved to where other repositories are served
    outside = tmp_path / "outside"
    shutil.move(site.hook("post-commit").parent, outside)
    site.hook("post-commit").parent.symlink_to(outside)
    before = tree(outside)
    hooks = site.uninstall()
    assert states(hooks) == every(state)
    assert all(("serves other repositories" in hook.reason) == noted for hook in hooks)
    assert tree(outside) == before


def test_hooks_are_written_all_or_none(site: Site) -> None:
    before = tree(site.git_dir / "hooks")
    in_the_way = site.git_dir / "hooks" / "post-merge.gitmem-new" / "taken"
    in_the_way.mkdir(parents=True)
    with pytest.raises(GitmemError):
        site.install()
    shutil.rmtree(in_the_way.parent)
    assert tree(site.git_dir / "hooks") == before


def test_a_hook_that_grew_large_keeps_all_of_its_lines(site: Site) -> None:
    put(site, foreign.USER.encode())
    site.install()
    path = site.hook("post-commit")
    more = b"# more\n" * 200_000
    path.write_bytes(path.read_bytes() + more)
    assert states(site.uninstall()) == every("removed")
    assert path.read_bytes() == foreign.USER.encode() + more
