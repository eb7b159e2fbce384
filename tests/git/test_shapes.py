"""Every shape a repository can have answers every question, and as git does (reliability 2.3)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.git import history, identity, runner, status, tracked
from gitmem.git.head import is_shallow, operation_in_progress, read_head
from gitmem.git.layout import find_repository
from tests.support import trees
from tests.support.repos import RepoBuilder

Shape = Callable[[RepoBuilder, Path], RepoBuilder]


def plain(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return repo


def unborn(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return RepoBuilder(folder / "unborn", home=repo.home)


def detached(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    repo.git("checkout", "-q", "--detach", "HEAD~1")
    return repo


def merging(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    repo.git("merge", "side", check=False)
    return repo


def rebasing(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    repo.git("rebase", "side", check=False)
    return repo


def shallow(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return repo.clone(folder / "clone", "--depth=1")


def blobless(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    repo.git("config", "uploadpack.allowFilter", "true")
    return repo.clone(folder / "clone", "--filter=blob:none")


def treeless(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    repo.git("config", "uploadpack.allowFilter", "true")
    return repo.clone(folder / "clone", "--filter=tree:0")


def partial_by_extension(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    clone = blobless(repo, folder)
    clone.git("config", "core.repositoryFormatVersion", "1")
    clone.git("config", "extensions.partialClone", "origin")
    return clone


def sparse(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "src")
    return repo


def linked(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return repo.worktree(folder / "linked", "linked")


def bare(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return repo.clone(folder / "bare.git", "--bare")


def mirror(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return repo.clone(folder / "mirror.git", "--mirror")


def bare_blobless(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    repo.commit("Map", {".mailmap": ""})
    repo.git("config", "uploadpack.allowFilter", "true")
    return repo.clone(folder / "bare.git", "--bare", "--filter=blob:none")


def linked_to_bare(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return bare(repo, folder).worktree(folder / "linked", "linked")


def separate(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return repo.clone(folder / "clone", f"--separate-git-dir={folder / 'apart'}")


def packed(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    repo.git("gc", "-q")
    repo.git("pack-refs", "--all")
    return repo


def wide(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    made = RepoBuilder(folder / "wide", "--object-format=sha256", home=repo.home)
    made.commit("First", {"a.txt": ""})
    return made


def submodule(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    parent = RepoBuilder(folder / "parent", home=repo.home)
    parent.git("submodule", "--quiet", "add", str(repo.path), "one")
    return RepoBuilder(parent.path / "one", init=False, home=repo.home)


def replaced(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    repo.git("replace", "HEAD~1", "side")
    return repo


def locked_index(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    (repo.path / ".git" / "index.lock").touch()
    return repo


SHAPES = [
    plain,
    unborn,
    detached,
    merging,
    rebasing,
    shallow,
    blobless,
    treeless,
    partial_by_extension,
    sparse,
    linked,
    bare,
    mirror,
    bare_blobless,
    linked_to_bare,
    separate,
    packed,
    wide,
    submodule,
    replaced,
    locked_index,
]


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    """Two commits on ``main``, one beside them on ``side`` that changes the same line."""
    born = RepoBuilder(tmp_path_factory.mktemp("seed") / "repo")
    born.commit("First", {"a.txt": "a\n", "src/b.txt": "b\n"})
    born.branch("side")
    born.commit("Theirs", {"a.txt": "theirs\n"})
    born.switch("main")
    born.commit("Ours", {"a.txt": "ours\n", "deep/er/x": ""})
    return born


def built(shape: Shape, seed: RepoBuilder, folder: Path) -> RepoBuilder:
    trees.copy(seed.path, folder / "repo")
    repo = RepoBuilder(folder / "repo", init=False)
    repo.go_on_after(3)
    return shape(repo, folder)


@pytest.fixture(params=SHAPES, ids=lambda shape: shape.__name__, scope="module")
def fresh(
    request: pytest.FixtureRequest, seed: RepoBuilder, tmp_path_factory: pytest.TempPathFactory
) -> tuple[RepoBuilder, dict[str, int], dict[str, int]]:
    """A repository, and its files before and after it was asked everything for the first time.

    Before git itself was asked anything: it may fetch what is missing.
    """
    folder = tmp_path_factory.mktemp("shaped")
    shaped = built(request.param, seed, folder)
    runner.configure_git_environment(shaped.env)
    before = files_in(folder)
    layout = find_repository(str(shaped.path))
    read_head(layout)
    status.read_status(layout)
    list(history.list_commits(layout.cwd, with_paths=True))
    history.latest_release_tag(layout.cwd)
    identity.resolve_project_identity(layout, configured_name=None)
    tracked.is_tracked(layout, "a.txt")
    return shaped, before, files_in(folder)


@pytest.fixture(scope="module")
def shaped(fresh: tuple[RepoBuilder, dict[str, int], dict[str, int]]) -> RepoBuilder:
    """A repository that tests share: they ask, and change nothing."""
    return fresh[0]


def files_in(folder: Path) -> dict[str, int]:
    """Time stamps of all files, but of objects only their names: git freshens those it uses."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): "objects" in path.parts or path.stat().st_mtime_ns for path in files}


def test_head_and_state_are_gits(shaped: RepoBuilder) -> None:
    layout = find_repository(str(shaped.path))
    head = read_head(layout)
    assert (head.branch or "") == shaped.git("branch", "--show-current")
    assert (head.commit or "") == shaped.git("rev-parse", "-q", "--verify", "HEAD", check=False)
    assert operation_in_progress(layout) in (None, "merge", "rebase")


def test_shallow_is_gits(shaped: RepoBuilder) -> None:
    layout = find_repository(str(shaped.path))
    output = shaped.git("rev-parse", "--is-shallow-repository")
    assert is_shallow(layout) == (output == "true")


def test_log_is_gits(shaped: RepoBuilder) -> None:
    listed = shaped.git("rev-list", "HEAD", "--", check=False).splitlines()
    messages = [commit.sha for commit in history.list_commits(str(shaped.path), with_paths=True)]
    assert messages == ([sha for sha in listed if len(sha) >= 40] if messages else [])
    assert bool(messages) == (shaped.git("rev-parse", "-q", "--verify", "HEAD", check=False) != "")


def test_status_is_gits(shaped: RepoBuilder) -> None:
    found = status.read_status(find_repository(str(shaped.path)))
    if found is None:
        assert shaped.git("rev-parse", "--is-bare-repository") == "true"
        return
    lines = shaped.git("--no-optional-locks", "status", "--porcelain").splitlines()
    assert found.is_clean == (not lines)
    assert found.commit == read_head(find_repository(str(shaped.path))).commit


def test_identity_and_tracking_answer(shaped: RepoBuilder) -> None:
    layout = find_repository(str(shaped.path))
    result = identity.resolve_project_identity(layout, configured_name=None)
    assert result.source in ("root-commit", "path")  # every remote here is a local one
    assert identity.identity_change_stamp(
        layout, home_folder=str(shaped.home), xdg_config_home=None
    )
    assert not tracked.is_tracked(layout, ".gitmem/")


def test_nothing_is_written(
    fresh: tuple[RepoBuilder, dict[str, int], dict[str, int]],
) -> None:
    _, before, after = fresh
    assert after == before
