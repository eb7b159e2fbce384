"""The GitHub Action: its scripts are run for real (CF-32)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import gitmem
from tests.action.composite import ACTION, Cache, Job, Project
from tests.support import on_path
from tests.support.apps import Desk
from tests.support.cli import ROOT
from tests.support.repos import RepoBuilder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the runner here starts bash")


def test_a_first_run_makes_the_store_and_saves_it(repo: RepoBuilder, tmp_path: Path) -> None:
    project = Project(repo, tmp_path / "runner", ordinary=True)
    done = project.run()
    assert done.outputs["state"] == "new"
    assert done.outputs["cache-hit"] == "false"
    assert done.outputs["added"] == "2"
    assert done.outputs["commits"] == "3"
    assert done.outputs["saved"] == "true"
    assert len(project.cache.keys) == 1
    assert "made from nothing" in done.summary
    assert "| new commits | 3 |" in done.summary


def test_a_push_after_that_adds_only_what_is_new(cached: Project) -> None:
    cached.repo.commit("Add the till", {"src/till.py": "money = 1\n"})
    done = cached.run(GITHUB_SHA="b" * 40)
    assert done.outputs["state"] == "restored"
    assert done.outputs["cache-hit"] == "true"
    assert (done.outputs["added"], done.outputs["kept"]) == ("1", "2")
    assert done.outputs["commits"] == "1"
    assert "came from the cache" in done.summary
    assert len(cached.cache.keys) == 2


def test_a_run_without_news_saves_nothing(cached: Project) -> None:
    done = cached.run()
    assert done.outputs["cache-hit"] == "true"
    assert (done.outputs["added"], done.outputs["commits"]) == ("0", "0")
    assert done.outputs["saved"] == "false"
    assert "Save the store" not in done.ran
    assert len(cached.cache.keys) == 1


def test_what_is_saved_is_one_whole_file_that_a_search_answers_from(cached: Project) -> None:
    job = cached.job()
    done = job.run()
    left = {item.name for item in (cached.repo.path / ".gitmem").iterdir()}
    assert left == {"memory.db", ".gitignore"}
    found = subprocess.run(
        [done.outputs["program"], "search", "cart", "--json"],
        cwd=cached.repo.path,
        env=job.later,
        capture_output=True,
        check=True,
    )
    assert "src/cart/cart.py" in found.stdout.decode()


def test_git_does_not_see_the_store_that_came_from_the_cache(cached: Project) -> None:
    cached.run()
    assert (cached.repo.path / ".gitmem/memory.db").exists()
    assert cached.repo.git("status", "--porcelain") == ""


def test_a_shallow_checkout_is_indexed_and_stated_to_be_shallow(
    project: Project, tmp_path: Path
) -> None:
    shallow = tmp_path / "shallow"
    source = project.repo.path.as_uri()
    project.repo.git("clone", "-q", "--depth", "1", source, str(shallow))
    done = project.job(shallow).run()
    assert done.status == 0, done.log
    assert (done.outputs["shallow"], done.outputs["commits"]) == ("true", "1")
    assert "fetch-depth: 0" in done.summary


def test_a_store_from_a_full_checkout_keeps_its_commits_in_a_shallow_one(
    cached: Project, tmp_path: Path
) -> None:
    shallow = tmp_path / "shallow"
    source = cached.repo.path.as_uri()
    cached.repo.git("clone", "-q", "--depth", "1", source, str(shallow))
    done = cached.job(shallow).run()
    assert (done.outputs["state"], done.outputs["commits"]) == ("restored", "0")


@pytest.mark.parametrize("damage", ["cut in the middle", "not a database", "zeros inside"])
def test_a_damaged_store_in_the_cache_is_put_aside_and_made_anew(
    cached: Project, damage: str
) -> None:
    store = cached.cache.folder / cached.cache.keys[0] / "0"
    whole = store.read_bytes()
    half = len(whole) // 2
    store.write_bytes(
        {
            "cut in the middle": whole[:half],
            "not a database": b"pwned" * 1000,
            "zeros inside": whole[:4096] + bytes(half) + whole[4096 + half :],
        }[damage]
    )
    job = cached.job()
    done = job.run()
    assert done.status == 0, done.log
    assert (done.outputs["state"], done.outputs["cache-hit"]) == ("again", "false")
    assert (done.outputs["added"], done.outputs["commits"]) == ("2", "3")
    assert "damaged" in done.summary
    assert len(cached.cache.keys) == 2
    assert (job.folder / "temp/gitmem-damaged/memory.db").exists()
    assert cached.run().outputs["state"] == "restored"


def test_a_pull_request_reads_the_cache_and_writes_nothing_to_it(cached: Project) -> None:
    """A run for a fork has no rights to write and no secrets: it needs neither."""
    cached.repo.commit("From a fork", {"src/fork.py": "fork = 1\n"})
    done = cached.run(GITHUB_EVENT_NAME="pull_request", GITHUB_REF="refs/pull/7/merge")
    assert (done.outputs["cache-hit"], done.outputs["added"]) == ("true", "1")
    assert done.outputs["saved"] == "false"
    assert len(cached.cache.keys) == 1


@pytest.mark.parametrize(
    ("save", "event", "ref", "saved"),
    [
        ("auto", "push", "refs/heads/main", "true"),
        ("auto", "push", "refs/tags/v1", "false"),
        ("auto", "schedule", "refs/heads/main", "true"),
        ("auto", "workflow_dispatch", "refs/heads/main", "true"),
        ("auto", "pull_request_target", "refs/heads/main", "false"),
        ("auto", "issue_comment", "refs/heads/main", "false"),
        ("always", "pull_request", "refs/pull/7/merge", "true"),
        ("never", "push", "refs/heads/main", "false"),
    ],
)
def test_what_is_saved_depends_on_the_event_and_the_input(
    project: Project, save: str, event: str, ref: str, saved: str
) -> None:
    done = project.run({"save": save}, GITHUB_EVENT_NAME=event, GITHUB_REF=ref)
    assert done.outputs["saved"] == saved
    assert len(project.cache.keys) == (saved == "true")


def test_a_repository_that_tracks_a_store_is_refused_and_left_as_it_is(project: Project) -> None:
    planted = project.repo.path / ".gitmem/memory.db"
    planted.parent.mkdir()
    planted.write_bytes(b"planted")
    project.repo.git("add", "-f", ".gitmem")
    project.repo.commit("Plant a store", {})
    done = project.job().run()
    assert done.status == 1
    assert planted.read_bytes() == b"planted"
    assert project.cache.keys == []
    assert "gitmem ended with status 8" in done.summary


def test_a_link_in_the_place_of_the_store_is_refused(project: Project, tmp_path: Path) -> None:
    (project.repo.path / ".gitmem").symlink_to(tmp_path)
    project.repo.git("add", "-f", ".gitmem")
    project.repo.commit("Plant a link", {})
    done = project.job().run()
    assert done.status == 1
    assert "link" in done.summary
    assert not (tmp_path / ".gitignore").exists()


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [({"path": "nowhere"}, "not a folder"), ({"save": "yes"}, "one of auto")],
)
def test_a_wrong_input_is_reported_in_a_sentence(
    project: Project, inputs: dict[str, str], expected: str
) -> None:
    done = project.job().run(inputs)
    assert done.status == 1
    assert expected in done.summary
    assert done.commands == [line for line in done.commands if line.startswith("::error::")] != []


def test_a_repository_in_a_folder_of_the_workspace(project: Project) -> None:
    job = project.job()
    job.workspace = project.repo.path.parent
    done = job.run({"path": "repo"})
    assert done.status == 0, done.log
    assert done.outputs["added"] == "2"
    assert (project.repo.path / ".gitmem/memory.db").exists()


def test_a_gitmem_of_this_version_is_not_installed_again(project: Project) -> None:
    done = project.run()
    assert done.ran == [
        "Look for gitmem and Python",
        "Restore the store",
        "Refresh the index",
        "Save the store",
    ]


def test_another_program_of_the_same_name_and_version_is_not_taken_for_it(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    """The name belongs to somebody else on the package index."""
    other = tmp_path / "other" / "gitmem"
    other.parent.mkdir()
    other.write_text(f"#!/bin/sh\necho gitmem {gitmem.__version__}\n")
    other.chmod(0o755)
    written = tmp_path / "outputs"
    env = {
        "PATH": f"{other.parent}:/usr/bin:/bin",
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(written),
    }
    subprocess.run(["sh", str(ROOT / "hooks/action/find.sh")], env=env, check=True)
    assert not written.exists() or "program=" not in written.read_text()


STAND_IN = """#!/bin/sh
echo "$@" >>'{log}'
case "$*" in
*"-c import"*) exit {old} ;;
*--version*) echo Python 3.99 ;;
*"-m venv"*) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" ;;
*"-m pip install"*) cp '{program}' "$(dirname "$0")/gitmem" ;;
esac
"""


@pytest.mark.parametrize("old", [0, 1])
def test_gitmem_is_installed_from_the_checkout_of_the_action(
    repo: RepoBuilder, tmp_path: Path, old: int
) -> None:
    """The network is left out: a stand-in for Python writes down what it was asked for."""
    log, folder = tmp_path / "asked", tmp_path / "python"
    program = tmp_path / "wheel" / "gitmem"
    on_path.program(program, ordinary=not old)
    folder.mkdir()
    for name in ("python3", "python"):
        (folder / name).write_text(STAND_IN.format(log=log, program=program, old=old))
        (folder / name).chmod(0o755)
    job = Job(repo.path, tmp_path / "job", Cache(tmp_path / "cache"))
    job.env["PATH"] = f"{folder}:/usr/bin:/bin"
    job._use = lambda action, given: setup(job, action, given, folder)  # type: ignore[method-assign]
    done = job.run()
    assert done.status == 0, done.log
    assert ("Set up Python" in done.ran) == bool(old)
    installed = [line for line in log.read_text().splitlines() if "pip install" in line]
    assert len(installed) == 1 and installed[0].endswith(f" {ROOT}")
    assert done.outputs["added"] == "2"


def setup(job: Job, action: str, given: dict[str, str], folder: Path) -> dict[str, str]:
    """Setting Python up answers with the stand-in."""
    found = Job._use(job, action, given)
    return {"python-path": str(folder / "python3")} if "setup-python" in action else found


def test_the_version_that_is_looked_for_is_that_of_the_package(tmp_path: Path) -> None:
    source = (ROOT / "gitmem/__init__.py").read_text("utf-8")
    assert f'\n__version__ = "{gitmem.__version__}"\n' in source


def test_every_output_says_where_it_comes_from() -> None:
    for described in ACTION["outputs"].values():
        assert described["description"].endswith(".")
        assert "${{ steps." in described["value"]


def test_the_report_is_attached_to_the_run_when_it_is_asked_for(cached: Project) -> None:
    job = cached.job()
    assert "Write the report" not in job.run().ran and job.attached == {}
    job = cached.job()
    done = job.run({"report": "true", "report-since": "2020-01-01"})
    assert done.status == 0, done.log
    page = job.attached["gitmem-report"].decode()
    assert page.startswith("<!DOCTYPE html>") and "2020-01-01 to" in page and "Start" in page
    assert not [command for command in done.commands if "stop-commands" not in command]
    job = cached.job()
    assert job.run({"report": "true", "report-since": "--help\n::error::x"}).status != 0
    assert job.attached == {}


def test_the_shared_memories_of_a_remote_are_read_and_never_cached(
    cached: Project, tmp_path: Path
) -> None:
    hub, place, home = tmp_path / "hub.git", tmp_path / "ada", tmp_path / "home-ada"
    cached.repo.git("clone", "-q", "--bare", str(cached.repo.path), str(hub))
    cached.repo.git("clone", "-q", str(hub), str(place))
    ada = Desk(place, home)
    ada.run("init", no_index=True)
    ada.run("remember", text="The port of Redis is 6380")
    ada.run("sync", action="enable", yes=True)
    assert ada.run("sync").sent == 1
    cached.repo.git("remote", "add", "team", str(hub))
    job = cached.job()
    done = job.run({"memory": "team"})
    assert done.status == 0, done.log
    assert "1 restored from refs/gitmem of team" in done.log
    done = cached.job().run({"memory": "--help\n::error::x"})
    assert done.status != 0
    assert not [command for command in done.commands if command.startswith("::error::x")]
    assert "Read the shared memories" not in cached.job().run().ran
