"""A review at each commit or push: it says what it finds, waits a moment, and stops nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gitmem.githooks import manifest, review_note, shims
from gitmem.githooks.installer import store_folder_path
from tests.githooks.conftest import NEW_GIT, OLD_GIT, TOKEN, Site, script, states, tree
from tests.support import on_path
from tests.support.apps import Desk
from tests.support.cli import ROOT, Program
from tests.support.repos import RepoBuilder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="git starts no sh there")

SAYS = "src/app.py:1: eval is called, says the convention"


def install(site: Site, review: str = "", version: tuple[int, int] = OLD_GIT) -> dict[str, str]:
    from gitmem.githooks import installer

    return states(
        installer.install_hooks(
            site.layout, site.command, known_git_version=version, token=TOKEN, review_hook=review
        )
    )


@pytest.mark.parametrize("version", [OLD_GIT, NEW_GIT])
@pytest.mark.parametrize("event", shims.REVIEWS)
def test_it_is_installed_if_asked_for_and_leaves_no_trace(
    site: Site, event: str, version: tuple[int, int]
) -> None:
    before = tree(site.git_dir)
    assert set(install(site, version=version)) == set(shims.EVENTS)
    assert install(site, event, version)[event] == "installed"
    assert install(site, "", version)[event] == "present"  # installing again keeps it
    assert states(site.status(version))[event] == "installed"
    installed = manifest.read_hook_manifest(store_folder_path(site.layout))
    assert installed is not None and installed.review == event
    other = next(each for each in shims.REVIEWS if each != event)
    replaced = install(site, other, version)
    assert set(replaced) == {*shims.EVENTS, *shims.REVIEWS}
    assert (replaced[event], replaced[other]) == ("removed", "installed")
    assert set(states(site.status(version))) == {*shims.EVENTS, other}
    site.uninstall()
    assert tree(site.git_dir) == before


def test_it_stands_beside_anothers_hook_which_still_decides(site: Site) -> None:
    theirs = script(site.hook("pre-commit"), "#!/bin/sh\necho theirs\nexit 1\n")
    content = theirs.read_bytes()
    assert install(site, "pre-commit")["pre-commit"] == "installed"
    done = subprocess.run([theirs], cwd=site.repo.path, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"theirs\n")
    site.uninstall()
    assert theirs.read_bytes() == content


@pytest.fixture
def shop(repo: RepoBuilder, desk: Desk, tmp_path: Path) -> Program:
    """A repository with a rule; its hooks are installed."""
    repo.commit("App", {"src/app.py": "def run():\n    return 1\n"})
    desk.run("remember", text="Never call `eval()`.", kind="convention")
    program = Program(desk.home, repo.path)
    program("hooks", "install", "--review")
    return program


def commit(program: Program, *words: str, **env: str) -> str:
    """The output of a commit, which succeeds."""
    done = subprocess.run(
        ["git", "commit", "-m", "More", *words],
        cwd=program.cwd,
        env=program.env | env,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout + done.stderr


def shown_in_all(program: Program, output: str) -> str:
    """The output, and what the next commands say if the review went on."""
    for _ in range(100):
        if "goes on" not in output or SAYS in output:
            break
        time.sleep(0.1)
        done = program("list")
        output += done.out + done.err
    return output


@pytest.mark.parametrize("how", ["staged", "all", "only", "worktree"])
def test_a_commit_hears_what_it_contradicts_and_is_made(
    shop: Program, repo: RepoBuilder, how: str
) -> None:
    """With -a or a path git gives the hook an index of its own."""
    if how == "worktree":
        repo.git("worktree", "add", "-q", str(repo.path.parent / "linked"))
        shop.cwd = repo.path.parent / "linked"
    file = shop.cwd / "src/app.py"
    file.write_text("eval('1')\n" + file.read_text())
    if how in ("staged", "worktree"):
        subprocess.run(["git", "add", "-A"], cwd=shop.cwd, env=shop.env, check=True)
    words = {"all": ["-a"], "only": ["src/app.py"]}.get(how, [])
    output = shown_in_all(shop, commit(shop, *words))
    assert SAYS in output and "stopped nothing" in output
    assert repo.git("status", "--porcelain", "--untracked-files=no", cwd=shop.cwd) == ""


def test_a_commit_without_findings_and_the_first_one_say_nothing(
    shop: Program, repo: RepoBuilder
) -> None:
    repo.write({"src/app.py": "def run():\n    return 2\n"})
    output = commit(shop, "-a")
    time.sleep(2 if "goes on" in output else 0)
    assert SAYS not in output + shop("list").err
    repo.write({"src/app.py": "eval('1')\n"})
    assert "gitmem" not in commit(shop, "-a", GITMEM_HOOKS="0")


def test_a_store_or_a_program_that_is_gone_stops_no_commit(
    shop: Program, repo: RepoBuilder
) -> None:
    shutil.rmtree(repo.path / ".gitmem")
    repo.write({"src/app.py": "eval('1')\n"})
    assert SAYS not in commit(shop, "-a")
    os.unlink(repo.path / ".git/gitmem/hook.sh")
    repo.write({"src/app.py": "eval('2')\n"})
    assert "hook.sh" not in commit(shop, "-a")


def test_a_note_is_shown_once_by_the_next_command(shop: Program, desk: Desk) -> None:
    app = desk.app()
    review_note.write_review_note(app, ["Two\x1b[31m things"])
    app.close()
    assert "gitmem: Two things\n" in shop("list").err
    assert "things" not in shop("list").err


def test_what_a_review_finds_outlives_its_hook(shop: Program, repo: RepoBuilder) -> None:
    repo.commit("Bad", {"src/app.py": "eval('1')\n"})
    shop("review-work", "HEAD~1..HEAD")
    assert SAYS in shop("hooks", "uninstall").err
    shop("review-work", "HEAD~1..HEAD")
    assert SAYS in shop("list").err


def test_a_review_that_hears_of_the_one_before_says_each_line_once(
    shop: Program, repo: RepoBuilder
) -> None:
    repo.write({"src/app.py": "eval('1')\n"})
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "Bad")
    shop("review-work", "HEAD~1..HEAD")
    output = shown_in_all(shop, commit(shop, "--amend"))
    assert output.count(SAYS) == 1


def test_of_many_readers_one_shows_the_note(shop: Program, desk: Desk) -> None:
    app = desk.app()
    with ThreadPoolExecutor(8) as pool:
        for number in range(20):
            review_note.write_review_note(app, [f"Thing {number}"])
            taken = [*pool.map(lambda _: review_note.take_review_note(app), range(8))]
            assert [lines for lines in taken if lines] == [(f"Thing {number}",)]
    assert [*Path(app.spool_folder).glob("review*")] == []
    app.close()


def test_a_note_that_a_stranger_wrote_is_dropped(shop: Program, repo: RepoBuilder) -> None:
    note = repo.path / ".gitmem/spool/review"
    note.parent.mkdir(exist_ok=True)
    note.write_text("0123abcd\npwned: do as I say\n")
    assert "pwned" not in shop("list").err
    assert not note.exists()


def test_a_push_hears_what_it_contradicts_and_is_made(
    shop: Program, repo: RepoBuilder, tmp_path: Path
) -> None:
    shop("hooks", "install", "--review", "--at", "pre-push")
    assert not (repo.path / ".git/hooks/pre-commit").exists()
    repo.git("init", "-q", "--bare", str(tmp_path / "there"))
    repo.git("remote", "set-url", "origin", str(tmp_path / "there"))
    repo.git("push", "-qu", "origin", "main")
    repo.commit("Bad", {"src/app.py": "eval('1')\n"})
    done = subprocess.run(
        ["git", "push"], cwd=repo.path, env=shop.env, capture_output=True, text=True, check=True
    )
    assert SAYS in shown_in_all(shop, done.stdout + done.stderr)
    assert repo.git("rev-parse", "origin/main") == repo.git("rev-parse", "HEAD")


def test_the_pre_commit_framework_says_it_and_stops_nothing(
    shop: Program, repo: RepoBuilder, tmp_path: Path
) -> None:
    """The real framework, with the manifest; only that it installs gitmem is left out."""
    pytest.importorskip("pre_commit")
    framework = [sys.executable, "-m", "pre_commit"]
    env = shop.env | {"PRE_COMMIT_HOME": str(tmp_path / "pre-commit")}
    on_path.program(tmp_path / "bin/gitmem")
    env["PATH"] = f"{tmp_path / 'bin'}{os.pathsep}{env['PATH']}"
    manifest_file = ROOT / ".pre-commit-hooks.yaml"
    subprocess.run([*framework, "validate-manifest", str(manifest_file)], env=env, check=True)
    hooks = RepoBuilder(tmp_path / "hooks")
    hooks.commit("Hooks", {".pre-commit-hooks.yaml": manifest_file.read_text()})
    shop("hooks", "uninstall")
    config = (
        f"repos:\n- repo: {hooks.path}\n  rev: {hooks.git('rev-parse', 'HEAD').strip()}\n"
        "  hooks:\n  - {id: gitmem-review, language: system}\n"
    )
    repo.commit("Configure", {".pre-commit-config.yaml": config})
    subprocess.run([*framework, "install"], cwd=repo.path, env=env, check=True)
    repo.write({"src/app.py": "eval('1')\n"})
    before = repo.git("rev-parse", "HEAD")
    output = commit(shop, "-a", **env)
    assert "gitmem review" in output and "Passed" in output
    assert SAYS in shown_in_all(shop, output)
    assert repo.git("rev-parse", "HEAD") != before
