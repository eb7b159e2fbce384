"""What the shell lines note, in every shell and every shape of repository."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.errors import Unavailable
from gitmem.git import layout as git_layout
from gitmem.git import runner
from gitmem.githooks import shims
from gitmem.spool import lease
from gitmem.spool.git_events import CheckoutEvent, CommitEvent, MergeEvent, RewriteEvent
from tests.githooks import foreign
from tests.githooks.conftest import Site, script, tree
from tests.support.repos import RepoBuilder
from tests.support.waiting import wait_until

SHELLS = [shell for shell in ("dash", "bash", "zsh", "busybox") if shutil.which(shell)]


def test_a_commit_is_noted_with_branch_and_id(site: Site) -> None:
    site.install()
    made = site.repo.commit("Next", {"a.txt": "2\n"})
    (event,) = site.events()
    assert site.trees == []
    assert isinstance(event, CommitEvent)
    assert (event.ref, event.commit) == ("refs/heads/main", made)


def test_a_switch_a_merge_and_an_amend_are_noted(site: Site) -> None:
    site.install()
    start = site.repo.git("rev-parse", "HEAD")
    site.repo.git("switch", "-q", "-c", "side")
    made = site.repo.commit("Side", {"b.txt": "2\n"})
    site.repo.git("switch", "-q", "main")
    site.repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    merged = site.repo.git("rev-parse", "HEAD")
    site.repo.git("commit", "-q", "--amend", "-m", "Merge side")
    amended = site.repo.git("rev-parse", "HEAD")
    away, commit, back, merge, again, rewrite = site.events()
    assert isinstance(away, CheckoutEvent)
    assert (away.old_commit, away.new_commit, away.is_branch_checkout, away.ref) == (
        start,
        start,
        True,
        "refs/heads/side",
    )
    assert isinstance(commit, CommitEvent)
    assert commit.commit == made
    assert isinstance(back, CheckoutEvent)
    assert (back.old_commit, back.new_commit) == (made, start)
    assert isinstance(merge, MergeEvent)
    assert (merge.commit, merge.is_squash) == (merged, False)
    assert isinstance(again, CommitEvent)
    assert again.commit == amended
    assert isinstance(rewrite, RewriteEvent)
    assert (rewrite.command, rewrite.old_new_pairs) == ("amend", ((merged, amended),))


@pytest.mark.parametrize("how", ["--merge", "--apply"])
def test_a_rebase_tells_every_pair(site: Site, how: str) -> None:
    commits = "".join(
        f"commit refs/heads/side\ncommitter A <a@b> {1_800_000_000 + n} +0000\ndata 4\nSide\n"
        f"{'' if n else 'from refs/heads/main^0' + chr(10)}M 100644 inline s{n}\ndata 1\nx\n"
        for n in range(60)  # more than a line of the spool holds
    )
    site.repo.git("fast-import", "--quiet", stdin=commits.encode())
    old = site.repo.git("rev-list", "--reverse", "main..side").splitlines()
    site.repo.commit("Main", {"m": "x"})
    site.repo.git("switch", "-q", "side")
    site.install()
    site.repo.git("rebase", "-q", how, "main")
    new = site.repo.git("rev-list", "--reverse", "main..side").splitlines()
    rewritten = [event for event in site.events() if isinstance(event, RewriteEvent)]
    assert [pair for event in rewritten for pair in event.old_new_pairs] == list(
        zip(old, new, strict=True)
    )
    assert all(event.command == "rebase" for event in rewritten)


def test_lines_in_a_shared_rewrite_hook_leave_the_input_to_the_other_tool(
    site: Site, tmp_path: Path
) -> None:
    script(site.hook("post-rewrite"), foreign.USER)
    site.install()
    fired = tmp_path / "fired"
    old = site.repo.git("rev-parse", "HEAD")
    site.repo.git("commit", "-q", "--amend", "-m", "x", env={"FIRED": str(fired)})
    new = site.repo.git("rev-parse", "HEAD")
    assert fired.read_text() == f"amend|{old} {new}\n\n"
    event = site.events()[-1]
    assert isinstance(event, RewriteEvent)
    assert (event.command, event.old_new_pairs) == ("amend", ())
    assert (event.ref, event.commit) == ("refs/heads/main", new)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("event", shims.EVENTS)
def test_every_shell_understands_the_lines(site: Site, shell: str, event: str) -> None:
    program = [shell, "sh"] if shell == "busybox" else [shell]
    site.install()
    head = site.repo.git("rev-parse", "HEAD")
    words = {"post-merge": ["0"], "post-checkout": [head, head, "1"], "post-rewrite": ["amend"]}
    done = subprocess.run(
        [*program, str(site.hook(event)), *words.get(event, [])],
        cwd=site.repo.path,
        env=site.repo.env,
        input=f"{head} {head}\n".encode(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(site.events()) == 1


def test_a_linked_work_tree_notes_in_the_same_spool(site: Site, tmp_path: Path) -> None:
    site.install()
    site.repo.git("worktree", "add", "-q", str(tmp_path / "other"))
    (tmp_path / "other" / "deep").mkdir()
    site.repo.git("commit", "-q", "--allow-empty", "-m", "x", cwd=tmp_path / "other" / "deep")
    made = site.repo.git("rev-parse", "other")
    added, committed = site.events()
    assert site.trees == ["other", "other"]
    assert isinstance(added, CheckoutEvent)
    assert isinstance(committed, CommitEvent)
    assert (committed.ref, committed.commit) == ("refs/heads/other", made)


def test_a_submodule_and_a_separate_git_directory_have_spools_of_their_own(
    site: Site, tmp_path: Path
) -> None:
    site.repo.git("submodule", "add", "-q", str(site.repo.path), "sub/module")
    apart = RepoBuilder(tmp_path / "apart", "--separate-git-dir", str(tmp_path / "kept"))
    inner = RepoBuilder(site.repo.path / "sub" / "module", init=False, home=site.repo.home)
    for repo in (inner, apart):
        place = Site(repo)
        place.install()
        repo.commit("x", {"new": "y"})
        assert [type(event) for event in place.events()] == [CommitEvent]


def test_a_bare_repository_is_reported_by_its_work_trees(tmp_path: Path, site: Site) -> None:
    site.repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    bare = Site(RepoBuilder(tmp_path / "bare.git", init=False))
    bare.install()
    bare.repo.git("worktree", "add", "-q", str(tmp_path / "tree"), "main")
    bare.repo.git("commit", "-q", "--allow-empty", "-m", "x", cwd=tmp_path / "tree")
    assert [type(event) for event in bare.events()] == [CheckoutEvent, CommitEvent]


def test_the_hooks_survive_a_move_and_odd_names(site: Site, tmp_path: Path) -> None:
    site.install()
    target = tmp_path / 'it\'s a "$HOME" `x` \udcff'
    site.repo.path.rename(target)
    moved = RepoBuilder(target, init=False, home=site.repo.home)
    moved.commit("x", {"new": "y"})
    there = Site(moved)
    assert len(there.events()) == 1
    assert {hook.state for hook in there.status()} == {"installed"}


def test_a_path_with_a_line_end_is_refused() -> None:
    with pytest.raises(Unavailable):
        shims.hook_script_text("../.gitmem", ["/bin/a\nb"])


def test_a_detached_head_has_no_branch(site: Site) -> None:
    site.repo.git("switch", "-q", "--detach")
    site.install()
    made = site.repo.commit("x", {"new": "y"})
    (event,) = site.events()
    assert isinstance(event, CommitEvent)
    assert (event.ref, event.commit) == ("", made)


def test_the_variable_turns_the_hooks_off(site: Site) -> None:
    site.install()
    site.repo.git("commit", "-q", "--allow-empty", "-m", "x", env={"GITMEM_HOOKS": "0"})
    assert site.events() == ()


def test_git_started_by_gitmem_fires_nothing(site: Site) -> None:
    site.install()
    runner.run_git(["commit", "-q", "--allow-empty", "-m", "x"], cwd=site.layout.cwd)
    assert site.events() == ()


def test_a_hook_holds_three_lines_and_the_script_starts_no_program_but_the_drain() -> None:
    for event in shims.EVENTS:
        mark, line, end = shims.marked_hook_lines(event).decode().splitlines()
        assert mark.startswith("# >>> gitmem hook >>>")
        assert end == "# <<< gitmem hook <<<"
        assert line == shims.shared_hook_line(event)
        assert event in line
        assert shims.hook_file_content(event).count(b"\n") == 4
    text = shims.hook_script_text("../.gitmem", ["/usr/bin/gitmem"]).decode()
    code = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for text in (*code, *map(shims.shared_hook_line, shims.EVENTS)):
        assert "$(" not in text.replace("$((count", "")
        assert "`" not in text


@pytest.fixture
def drain(site: Site, tmp_path: Path) -> Iterator[Path]:
    """A drain that writes its arguments and then takes long."""
    log = tmp_path / "drain log"
    path = script(
        tmp_path / "bin" / "fake drain", f"#!/bin/sh\necho $$ \"$@\" >>'{log}'\nexec sleep 30\n"
    )
    site.command = (str(path), "-P", "a b")
    site.install()
    yield log
    for line in log.read_text().splitlines():
        os.kill(int(line.split(" ")[0]), signal.SIGKILL)


def written(log: Path) -> bool:
    return log.exists() and log.read_text().endswith("\n")


def test_the_drain_is_started_once_with_the_repository(site: Site, drain: Path) -> None:
    for number in range(5):
        site.repo.commit("x", {"new": str(number)})
    wait_until(lambda: written(drain))
    assert len(site.events()) == 5
    pid, rest = drain.read_text().split(" ", 1)
    *words, folder = rest.rstrip("\n").split(" ")
    assert words == ["-P", "a", "b", "drain", "-C"]
    assert (site.repo.path / folder).resolve() == site.repo.path
    assert (site.spool / lease.HINT).read_text() == f"{pid}\n"


def test_nobody_who_reads_gits_output_waits_for_the_drain(site: Site, drain: Path) -> None:
    for words in (["commit", "-q", "--allow-empty", "-m", "x"], ["switch", "-c", "side"]):
        subprocess.run(
            ["git", *words],
            cwd=site.repo.path,
            env=site.repo.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.PIPE,
            check=True,
            timeout=15,  # the drain takes thirty
        )
    wait_until(lambda: written(drain))


def test_the_drain_keeps_no_lock_of_whoever_started_git(
    site: Site, drain: Path, tmp_path: Path
) -> None:
    lock = tmp_path / "lock"
    commit = f"exec 9>'{lock}'; flock 9; git commit -q --allow-empty -m x"
    subprocess.run(["sh", "-c", commit], cwd=site.repo.path, env=site.repo.env, check=True)
    wait_until(lambda: written(drain))
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_rebase_starts_no_drain_before_its_end(site: Site, tmp_path: Path) -> None:
    site.repo.git("switch", "-q", "-c", "side")
    site.repo.commit("Side", {"a.txt": "side\n"})
    site.repo.git("switch", "-q", "main")
    site.repo.commit("Main", {"a.txt": "main\n"})
    log = tmp_path / "log"
    site.command = (str(script(tmp_path / "d", f"#!/bin/sh\necho >>'{log}'\n")),)
    site.install()
    site.repo.git("rebase", "-q", "main", "side", check=False)
    assert (site.git_dir / "rebase-merge").is_dir()
    site.repo.write({"a.txt": "both\n"})
    site.repo.git("add", "a.txt")
    site.repo.git("commit", "-q", "-m", "both")
    assert not (site.spool / lease.HINT).exists()
    site.repo.git("rebase", "--continue")
    wait_until(lambda: written(log))
    assert isinstance(site.events()[-1], RewriteEvent)


def test_the_commits_of_a_rebase_are_reported_once_at_its_end(site: Site) -> None:
    for number in range(3):
        site.repo.commit("Old", {"a.txt": str(number)})
    site.install()
    site.repo.git("rebase", "-q", "--force-rebase", "HEAD~3")
    kinds = [type(event) for event in site.events()]
    assert kinds.count(RewriteEvent) == 1
    assert CommitEvent not in kinds


def test_picking_several_starts_one_drain_at_the_last(site: Site, tmp_path: Path) -> None:
    site.repo.git("switch", "-q", "-c", "side")
    for number in range(4):
        site.repo.commit("Side", {f"s{number}": "x"})
    site.repo.git("switch", "-q", "main")
    log = tmp_path / "log"
    # Each drain is gone before the next commit, so only the to-do list holds a second one back.
    script(site.hook("post-commit"), "#!/bin/sh\nsleep 0.3\n")
    drain = f"#!/bin/sh\necho x >>'{log}'\nrm -f '{site.spool / lease.HINT}'\n"
    site.command = (str(script(tmp_path / "d", drain)),)
    site.install()
    site.repo.git("cherry-pick", "main..side")
    wait_until(lambda: written(log))
    assert log.read_text() == "x\n"
    assert len(site.events()) == 4


def test_without_its_interpreter_the_program_on_path_is_started(site: Site, tmp_path: Path) -> None:
    log = tmp_path / "log"
    script(tmp_path / "bin" / "gitmem", f"#!/bin/sh\necho \"$1\" >>'{log}'\n")
    site.install()
    path = f"{tmp_path / 'bin'}:{site.repo.env['PATH']}"
    site.repo.git("commit", "-q", "--allow-empty", "-m", "x", env={"PATH": path})
    wait_until(lambda: written(log))
    assert log.read_text() == "drain\n"


def test_the_lines_to_add_work_where_they_are_added(site: Site, tmp_path: Path) -> None:
    site.repo.git("config", "core.hooksPath", ".husky/_")
    husky = site.repo.path / ".husky"
    script(husky / "_" / "h", foreign.HUSKY_9_H)
    hooks = site.install()
    for hook in hooks:
        assert hook.state == "declined"
        script(husky / "_" / hook.event, foreign.HUSKY_9_STUB)
        script(husky / hook.event, hook.line + "\necho later\n")
    # git names no directory to the hook of `worktree add`, and .git is a file there.
    site.repo.git("worktree", "add", "-q", str(tmp_path / "other"))
    site.repo.commit("x", {"new": "y"})
    assert [type(event) for event in site.events()] == [CheckoutEvent, CommitEvent]
    shutil.copytree(husky, tmp_path / "other" / ".husky", dirs_exist_ok=True)
    site.repo.git("commit", "-q", "--amend", "-m", "y", "--allow-empty", cwd=tmp_path / "other")
    assert [type(event) for event in site.events()] == [CommitEvent, RewriteEvent]
    shutil.rmtree(site.spool.parent)  # a colleague without gitmem
    done = site.repo.git("commit", "-q", "--allow-empty", "-m", "x")
    assert "not found" not in done


def test_the_layout_is_the_same_for_every_folder_of_a_site(site: Site) -> None:
    assert git_layout.find_repository(str(site.spool.parent)).store_root == site.layout.store_root


@pytest.mark.parametrize("name", ["", "spool"])
def test_a_folder_that_is_a_link_is_not_written_through(
    site: Site, tmp_path: Path, name: str
) -> None:
    site.install()
    outside = tmp_path / "outside"
    place = site.spool.parent / name if name else site.spool.parent
    place.rename(outside)
    place.symlink_to(outside)
    before = tree(outside)
    site.repo.git("commit", "-q", "--allow-empty", "-m", "x")
    assert tree(outside) == before
