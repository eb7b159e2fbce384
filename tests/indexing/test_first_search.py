"""A first search where nothing was indexed yet: what it answers, and what it leaves to others."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from gitmem import operations
from gitmem.app import App
from gitmem.indexing import first_search
from gitmem.operations.find.search_view import SearchResult
from gitmem.store.code import indexed_files
from tests.support.apps import Desk, copy_of
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder


@pytest.fixture(scope="module")
def model_repo(model_repo: RepoBuilder, tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    """With more in it; the tests copy it."""
    repo = copy_of(model_repo, tmp_path_factory.mktemp("model"))
    repo.commit("Two", {"src/zebra.py": "def zebra(): ...\n", "src/lion.py": "def lion(): ...\n"})
    return repo


@pytest.fixture
def repo(model_repo: RepoBuilder, tmp_path: Path) -> RepoBuilder:
    return copy_of(model_repo, tmp_path)


@pytest.fixture
def desk(ready: SetUp, repo: RepoBuilder) -> Desk:
    """Indexed, without hooks."""
    return ready(Desk(repo.path, repo.home, GITMEM_MODEL="hashed"), no_hooks=True)


def paths(found: SearchResult) -> list[str]:
    return [hit.path for hit in found.hits]


def test_a_new_work_tree_answers_at_once_from_what_it_shares(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    linked = repo.worktree(tmp_path / "linked", "side")
    (linked.path / "src" / "lion.py").write_text("def tiger(): ...\n")
    there = desk.at(linked.path)
    found = there.run("search", query="zebra", mode="keyword", sources=("code",))
    assert paths(found) == ["src/zebra.py"]
    assert found.index.state == "unknown"
    # What differs is not told as it is elsewhere.
    result = there.run("search", query="lion", mode="keyword", sources=("code",))
    assert "src/lion.py" not in paths(result)
    assert there.run("index").added == 1
    result = there.run("search", query="tiger", mode="keyword", sources=("code",))
    assert (paths(result), result.index.state) == (["src/lion.py"], "current")
    assert paths(desk.run("search", query="lion", mode="keyword", sources=("code",)))


def test_the_sentence_says_what_is_done_about_it(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    there = desk.at(repo.worktree(tmp_path / "linked", "side").path)
    assert "this worktree is not indexed yet: run `gitmem index`" in there.text(
        "search", query="zebra"
    )
    app = there.app()
    app.reads_index = True
    operation = operations.load_operation("search")
    output = operation.view(operation.run(app, operation.request_class(query="zebra")))
    assert "this worktree is not indexed yet: indexing now" in output
    app.close()


def first(desk: Desk, *, person: bool) -> SearchResult:
    """A search where no worktree is indexed."""
    app = desk.app()
    with app.store.write():
        indexed_files.delete_other_worktrees(app.store, [])
    if person:
        app.ask = lambda _question, answer: answer
    operation = operations.load_operation("search")
    try:
        found: SearchResult = operation.run(
            app, operation.request_class(query="zebra", mode="keyword")
        )
        return found
    finally:
        app.close()


def test_a_person_who_watches_gets_the_index_first(desk: Desk) -> None:
    found = first(desk, person=True)
    assert (paths(found)[0], found.index.state) == ("src/zebra.py", "current")


def test_nobody_else_waits_for_a_whole_index(desk: Desk) -> None:
    assert first(desk, person=False).index.state == "unknown"


def test_a_refresh_that_was_quicker_is_left_alone(desk: Desk) -> None:
    app: App = desk.app()
    assert first_search.copy_index_from_worktrees(app) == 0
    assert (state := indexed_files.worktree_index_state(app.store, app.worktree))
    assert state.state == "whole"
    app.close()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_cannot_be_read_is_left_out(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    linked = repo.worktree(tmp_path / "linked", "side")
    (linked.path / "src").chmod(0)
    try:
        found = desk.at(linked.path).run("search", query="zebra", mode="keyword")
        assert found.index.state == "unknown"
    finally:
        (linked.path / "src").chmod(0o755)


def test_sources_in_a_folder_called_build_are_found(desk: Desk, repo: RepoBuilder) -> None:
    """What tools wrote ranks below what people wrote, and is not lost where nothing else is."""
    repo.commit("Built", {"build/okapi.py": "def okapi(): ...\n"})
    desk.run("index")
    found = desk.run("search", query="okapi", mode="keyword", sources=("code",))
    assert paths(found) == ["build/okapi.py"]
    repo.commit("Source", {"src/build.py": "def okapi(): ...\n"})
    desk.run("index")
    found = desk.run("search", query="okapi", mode="keyword", sources=("code",))
    assert paths(found)[0] == "src/build.py"


def test_a_moved_clone_keeps_its_index(desk: Desk, repo: RepoBuilder, tmp_path: Path) -> None:
    linked = repo.worktree(tmp_path / "linked", "side")
    desk.at(linked.path).run("index")
    os.rename(repo.path, tmp_path / "moved")
    there = desk.at(tmp_path / "moved")
    RepoBuilder(there.place, init=False, home=repo.home).git("worktree", "repair")
    found = there.run("search", query="zebra", mode="keyword", sources=("code",))
    assert (paths(found)[0], found.index.state) == ("src/zebra.py", "current")
    app = there.app()
    assert indexed_files.indexed_worktrees(app.store) == sorted(
        [str(linked.path), str(there.place)]
    )
    assert set(indexed_files.blob_ids_and_chunkers_by_path(app.store, app.worktree)) >= {
        "src/zebra.py",
        "src/lion.py",
    }
    app.close()


def test_a_moved_work_tree_keeps_its_index(desk: Desk, repo: RepoBuilder, tmp_path: Path) -> None:
    linked = repo.worktree(tmp_path / "linked", "side")
    desk.at(linked.path).run("index")
    os.rename(linked.path, tmp_path / "moved")
    repo.git("worktree", "repair", str(tmp_path / "moved"))
    report = desk.at(tmp_path / "moved").run("index")
    assert (report.added, report.dropped) == (0, 0)
    app = desk.app()
    assert indexed_files.indexed_worktrees(app.store) == sorted(
        [str(repo.path), str(tmp_path / "moved")]
    )
    app.close()


def test_a_moved_clone_that_changed_since_answers_at_once(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    os.rename(repo.path, tmp_path / "moved")
    there = desk.at(tmp_path / "moved")
    moved = RepoBuilder(there.place, init=False, home=repo.home)
    moved.commit("Later", {"src/lion.py": "def tiger(): ...\n"})
    found = there.run("search", query="zebra", mode="keyword", sources=("code",))
    assert (paths(found), found.index.state) == (["src/zebra.py"], "unknown")


def test_a_copy_takes_nothing_from_the_clone_it_was_made_of(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    shutil.copytree(repo.path, tmp_path / "copy", symlinks=True)
    desk.at(tmp_path / "copy").run("search", query="zebra")
    app = desk.at(tmp_path / "copy").app()
    assert str(repo.path) in indexed_files.indexed_worktrees(app.store)
    app.close()
    assert desk.run("search", query="zebra").index.state == "current"
