from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.errors import GitmemError, Unavailable
from gitmem.git import root_note
from gitmem.git.head import HeadState, is_shallow, operation_in_progress, read_head
from gitmem.git.layout import RepositoryLayout, find_repository, plain_folder_layout
from tests.support.repos import RepoBuilder


def layout_of(repo: RepoBuilder) -> RepositoryLayout:
    return find_repository(str(repo.path))


def head_of(repo: RepoBuilder) -> HeadState:
    return read_head(layout_of(repo))


def test_on_a_branch(born: RepoBuilder) -> None:
    assert head_of(born) == HeadState("main", born.head(), detached=False, unborn=False)


def test_branch_with_slashes_and_unicode(born: RepoBuilder) -> None:
    born.branch("feature/größe/x")
    assert head_of(born).branch == "feature/größe/x"


def test_plain_folder_has_no_head_and_nothing_in_progress(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    plain = plain_folder_layout(str(tmp_path / "notes"))
    root_note.save_main_worktree_location(plain)
    assert read_head(plain) == HeadState(None, None, detached=False, unborn=False)
    assert (operation_in_progress(plain), is_shallow(plain)) == (None, False)


def test_unborn_branch(repo: RepoBuilder) -> None:
    assert head_of(repo) == HeadState("main", None, detached=False, unborn=True)


def test_detached(born: RepoBuilder) -> None:
    born.git("checkout", "-q", "--detach")
    assert head_of(born) == HeadState(None, born.head(), detached=True, unborn=False)


def test_packed_refs_only(born: RepoBuilder) -> None:
    born.branch("ma")  # a name that is the start of another's
    tip = born.commit("Second")
    born.git("pack-refs", "--all", "--prune")
    assert not (born.path / ".git/refs/heads/ma").exists()
    assert head_of(born) == HeadState("ma", tip, detached=False, unborn=False)


def test_packed_peeled_tags_do_not_confuse(born: RepoBuilder) -> None:
    born.git("tag", "-a", "-m", "one", "v1")
    born.git("pack-refs", "--all", "--prune")
    assert head_of(born).commit == born.head()


def test_loose_ref_wins_over_the_packed_one(born: RepoBuilder) -> None:
    born.git("pack-refs", "--all")
    tip = born.commit("Second")
    assert head_of(born).commit == tip


def test_symbolic_branch(born: RepoBuilder) -> None:
    born.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    born.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert head_of(born) == HeadState("alias", born.head(), detached=False, unborn=False)


def test_head_as_a_symbolic_link(born: RepoBuilder) -> None:
    (born.path / ".git/HEAD").unlink()
    (born.path / ".git/HEAD").symlink_to("refs/heads/main")
    assert head_of(born).commit == born.head()


def test_linked_worktree_has_its_own(born: RepoBuilder, tmp_path: Path) -> None:
    linked = born.worktree(tmp_path / "linked", "side")
    tip = linked.commit("Aside")
    assert head_of(linked) == HeadState("side", tip, detached=False, unborn=False)
    assert head_of(born).branch == "main"


def test_sha256(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "wide", "--object-format=sha256")
    tip = repo.commit("First")
    assert head_of(repo).commit == tip
    assert len(tip) == 64


def test_strange_refs_are_asked_of_git(born: RepoBuilder) -> None:
    """What a reftable repository's HEAD file looks like; git sees the real one."""
    found = layout_of(born)
    (born.path / ".git/HEAD").write_text("ref: refs/heads/.invalid\n")
    with pytest.raises(GitmemError):
        read_head(found)


def test_a_loop_of_symbolic_refs_is_asked_of_git(born: RepoBuilder) -> None:
    for item, other in (("a", "b"), ("b", "a")):
        (born.path / f".git/refs/heads/{item}").write_text(f"ref: refs/heads/{other}\n")
    (born.path / ".git/HEAD").write_text("ref: refs/heads/a\n")
    with pytest.raises(GitmemError):
        head_of(born)


def test_empty_ref_file_after_a_crash_is_reported(born: RepoBuilder) -> None:
    (born.path / ".git/refs/heads/main").write_text("")
    with pytest.raises(Unavailable, match="the branch's file is damaged"):
        head_of(born)


def conflict(repo: RepoBuilder) -> None:
    """Two branches that change the same line: ``main`` (checked out) and ``side``."""
    repo.branch("side")
    repo.commit("Theirs", {"a.txt": "theirs\n"})
    repo.switch("main")
    repo.commit("Ours", {"a.txt": "ours\n"})


def start_am(repo: RepoBuilder) -> None:
    patch = repo.git("format-patch", "-1", "--stdout", "side")
    repo.git("am", "-q", stdin=(patch + "\n").encode(), check=False)


def start_bisect(repo: RepoBuilder) -> None:
    repo.git("bisect", "start")


def start(*command: str) -> Callable[[RepoBuilder], None]:
    return lambda repo: (repo.git(*command, check=False), None)[1]


@pytest.mark.parametrize(
    ("begin", "expected"),
    [
        (start("merge", "side"), "merge"),
        (start("rebase", "side"), "rebase"),
        (start("rebase", "--apply", "side"), "rebase"),
        (start("cherry-pick", "side"), "cherry-pick"),
        (start("revert", "--no-edit", "HEAD~1"), "revert"),
        (start_am, "am"),
        (start_bisect, "bisect"),
    ],
    ids=["merge", "rebase", "rebase-apply", "cherry-pick", "revert", "am", "bisect"],
)
def test_operation_in_progress(
    born: RepoBuilder, begin: Callable[[RepoBuilder], None], expected: str
) -> None:
    conflict(born)
    if expected == "revert":
        born.commit("Change again", {"a.txt": "again\n"})
    assert operation_in_progress(layout_of(born)) is None
    begin(born)
    assert operation_in_progress(layout_of(born)) == expected


def test_between_two_picks_of_a_series(born: RepoBuilder) -> None:
    conflict(born)
    born.git("cherry-pick", "HEAD", "side", check=False)  # stops at the empty first one
    born.git("reset", "-q", "--hard")
    assert not (born.path / ".git/CHERRY_PICK_HEAD").exists()
    assert operation_in_progress(layout_of(born)) == "cherry-pick"


def test_operation_belongs_to_its_worktree(born: RepoBuilder, tmp_path: Path) -> None:
    conflict(born)
    linked = born.worktree(tmp_path / "linked", "third")
    linked.git("merge", "side", check=False)
    assert operation_in_progress(layout_of(linked)) == "merge"
    assert operation_in_progress(layout_of(born)) is None


def test_shallow_clone(born: RepoBuilder, tmp_path: Path) -> None:
    born.commit("Second")
    shallow = born.clone(tmp_path / "shallow", "--depth=1")
    assert is_shallow(layout_of(shallow))
    assert not is_shallow(layout_of(born))
