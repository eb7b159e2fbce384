"""`gitmem predict` (ML-17): files that are likely needed next, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import InvalidInput, NotARepository
from tests.support.apps import MINUTE, Desk
from tests.support.repos import RepoBuilder


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", {"src/pool.py": "x = 1\n", "src/table.py": "y = 1\n", "a.txt": "a\n"})
    repo.commit("Both", {"src/pool.py": "x = 2\n", "src/table.py": "y = 2\n"})
    repo.commit("Use it", {"src/app.py": "from src.pool import x\n", "src/theme.py": "t = 1\n"})
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_hooks=True)
    return made


def why(desk: Desk, **values: str) -> dict[str, tuple[str, ...]]:
    return {file.path: file.why for file in desk.run("predict", **values).files}


def test_commits_and_imports_tell_it_without_any_session(desk: Desk) -> None:
    found = why(desk, path="src/pool.py")
    assert found["src/table.py"] == ("changed together",)
    assert "imports" in why(desk, path="src/app.py")["src/pool.py"]
    assert "src/table.py" in desk.text("predict", path="src/pool.py")


def test_what_a_small_new_commit_changed_comes_before_what_large_old_ones_did(
    tmp_path: Path,
) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    for turn in range(2):
        repo.commit("Sweep", {f"src/part_{n}.py": f"x = {turn}\n" for n in range(12)})
    repo.commit("Both", {"src/part_0.py": "x = 9\n", "src/zebra.py": "z = 1\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    assert next(iter(why(desk, path="src/part_0.py"))) == "src/zebra.py"


def test_views_and_questions_of_earlier_sessions_tell_it(desk: Desk) -> None:
    desk.run("session start", goal="Colours")
    desk.run("context", query="which colours has the theme")
    desk.run("session note", file=("src/theme.py",))
    desk.clock.advance(MINUTE)
    desk.run("session note", file=("a.txt",))
    desk.run("session end")
    desk.clock.advance(90 * MINUTE)
    desk.run("session start", goal="Again")
    assert "viewed together" in why(desk, path="src/theme.py")["a.txt"]
    assert why(desk, query="theme colours")["src/theme.py"] == ("asked alike",)
    # The session's own file and last question stand for what is not given.
    desk.run("session note", file=("src/pool.py",))
    desk.run("context", query="colours of the theme")
    answer = desk.run("predict")
    assert (answer.path, answer.query) == ("src/pool.py", "colours of the theme")
    assert {"src/table.py", "src/theme.py"} <= {file.path for file in answer.files}


def test_where_nothing_is_known_a_sentence_says_so(desk: Desk) -> None:
    with pytest.raises(InvalidInput, match="no file to start from"):
        desk.run("predict")
    assert desk.text("predict", path="no/such.py").startswith("Nothing to predict from")
    with pytest.raises(NotARepository):
        desk.run("predict", path="x", place=desk.home)
