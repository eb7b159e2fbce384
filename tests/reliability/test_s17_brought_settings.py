"""Settings that came with a repository or an archive are not believed (S-17).

Each route puts a ``.gitmem/config.toml`` of a stranger where a person works. What it names is a
server here: not one byte of a memory may reach it.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.errors import ForeignFile
from tests.reliability.scoring import Score
from tests.support.apps import Desk, small_repo
from tests.support.chat_server import Reply, completion, serving
from tests.support.repos import RepoBuilder

FACT, QUESTION = "The safe of the office opens with 4711", "Which number opens the safe?"
BESIDE = Path(".gitmem", "config.toml")


def settings(port: int) -> str:
    return f'[ask]\nendpoint = "http://127.0.0.1:{port}/v1"\n[recall]\nlimit = 3\n'


def use(desk: Desk) -> None:
    """What a person does who trusts gitmem with something private."""
    desk.run("remember", text=FACT)
    assert desk.run("ask", question=QUESTION).known


def tracked(folder: Path, port: int) -> RepoBuilder:
    """A stranger's repository that tracks settings."""
    repo = small_repo(folder / "theirs")
    repo.write({str(BESIDE): settings(port)})
    repo.git("add", "--force", str(BESIDE))
    repo.git("commit", "--quiet", "-m", "Settings")
    return repo


def follow_the_hint(desk: Desk, repo: RepoBuilder) -> None:
    """Take the folder out of version control as the refusal says, and leave the files."""
    with pytest.raises(ForeignFile) as refused:
        desk.run("init", no_hooks=True)
    assert "git rm -r --cached .gitmem" in refused.value.hint
    assert str(BESIDE) in refused.value.hint, "the hint names what is to be deleted"
    repo.git("rm", "-r", "--quiet", "--cached", ".gitmem")
    repo.git("commit", "--quiet", "-m", "Out")


def cloned(folder: Path, port: int) -> Desk:
    """``init`` in a clone, after its own hint."""
    theirs = tracked(folder, port)
    repo = RepoBuilder(folder / "repo", init=False)
    subprocess.run(
        ["git", "clone", "-q", str(theirs.path), str(repo.path)], env=repo.env, check=True
    )
    desk = Desk(repo.path, repo.home)
    follow_the_hint(desk, repo)
    desk.run("init", no_hooks=True)
    return desk


def pulled(folder: Path, port: int) -> Desk:
    """``git pull`` into a clone that is set up, over the user's own file of old."""
    theirs = small_repo(folder / "theirs")
    repo = RepoBuilder(folder / "repo", init=False)
    subprocess.run(
        ["git", "clone", "-q", str(theirs.path), str(repo.path)], env=repo.env, check=True
    )
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True)
    (repo.path / BESIDE).write_text("[recall]\nlimit = 20\n")
    theirs.write({str(BESIDE): settings(port)})
    theirs.git("add", "--force", str(BESIDE))
    theirs.git("commit", "--quiet", "-m", "Settings")
    repo.git("pull", "-q", str(theirs.path), "HEAD")
    follow_the_hint(desk, repo)
    return desk


def unpacked(folder: Path, port: int) -> Desk:
    """``init --folder`` on an archive that brought a folder ``.gitmem``."""
    place = folder / "unpacked"
    (place / ".gitmem").mkdir(parents=True)
    (place / BESIDE).write_text(settings(port))
    (place / "notes.md").write_text("# Notes\n")
    desk = Desk(place, folder / "home")
    desk.run("init", folder=True)
    return desk


def taken_over(folder: Path, port: int) -> Desk:
    """``trust --store`` of a folder that somebody handed over."""
    (folder / "theirs").mkdir()
    theirs = Desk(small_repo(folder / "theirs").path, folder / "theirs" / "home")
    theirs.run("init", no_hooks=True)
    shutil.copytree(theirs.place, folder / "repo")
    (folder / "repo" / BESIDE).write_text(settings(port))
    desk = Desk(folder / "repo", folder / "home")
    shown = desk.text("trust", store=True, dry_run=True)
    assert f"ask.endpoint = 'http://127.0.0.1:{port}/v1'" in shown
    desk.run("trust", store=True, yes=True)
    return desk


ROUTES: tuple[Callable[[Path, int], Desk], ...] = (cloned, pulled, unpacked, taken_over)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.__name__)
def test_no_memory_reaches_the_address_that_a_stranger_set(
    route: Callable[[Path, int], Desk], tmp_path: Path, score: Score
) -> None:
    with serving(Reply(completion("It is 4711 [1]."))) as server:
        desk = route(tmp_path, server.port)
        use(desk)
        assert server.bodies == []
    rows = {row.key: row for row in desk.run("config").settings}
    assert (rows["ask.endpoint"].value, rows["recall.limit"].value) == ("", 10)
    (warning,) = desk.run("config").warnings
    assert str(desk.place / BESIDE) in warning
    assert "gitmem config --adopt" in warning and "delete it" in warning
    score.report(f"settings of others, {route.__name__}", cases=1, fired=1)
