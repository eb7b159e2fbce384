"""Copies of commits, found by what they change: squash merges, cherry-picks, and neither."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import GitmemError
from gitmem.git import copied_commits
from gitmem.git.copied_commits import CopiedCommit
from tests.support.repos import RepoBuilder

TEXT = "".join(f"line {number}\n" for number in range(30))
ABSENT = "12" * 20


@pytest.fixture
def side(repo: RepoBuilder) -> RepoBuilder:
    """On ``side``: one changes a.txt, two writes b.txt; then main is checked out."""
    repo.commit("First", {"a.txt": TEXT})
    repo.branch("side")
    repo.commit("one", {"a.txt": TEXT.replace("line 9\n", "line nine\n")})
    repo.commit("two", {"b.txt": "b is written\n"})
    repo.switch("main")
    return repo


def at(repo: RepoBuilder, name: str) -> str:
    return repo.git("rev-parse", name)


def found(
    repo: RepoBuilder, *names: str, branches: tuple[str, ...] = ("side",)
) -> list[CopiedCommit]:
    commits = [at(repo, name) for name in names]
    return copied_commits.find_copied_commits(
        str(repo.path), repo.head(), commits, branch_names=branches, tip_commits=()
    )


def squash(repo: RepoBuilder) -> str:
    repo.git("merge", "-q", "--squash", "side")
    return repo.commit("Squashed")


def test_a_squash_is_found_for_each_commit_of_the_branch(side: RepoBuilder) -> None:
    item, two, new = at(side, "side~1"), at(side, "side"), squash(side)
    side.commit("Later", {"a.txt": "all is new\n"})
    assert found(side, "side", "side~1") == [
        CopiedCommit(two, new, "squash"),
        CopiedCommit(item, new, "squash"),
    ]


def test_a_squash_next_to_what_main_changed_is_found_by_its_patch(side: RepoBuilder) -> None:
    side.commit("Close by", {"a.txt": TEXT.replace("line 7\n", "line seven\n")})
    item, new = at(side, "side~1"), squash(side)
    assert found(side, "side~1") == [CopiedCommit(item, new, "squash")]


def test_a_squash_of_an_earlier_tip_is_found_when_the_branch_went_on(side: RepoBuilder) -> None:
    side.git("branch", "more", "side")
    item, new = at(side, "side~1"), squash(side)
    side.switch("more")
    side.commit("three", {"c.txt": "c is written\n"})
    three = side.head()
    side.switch("main")
    side.git("branch", "-q", "-D", "side")
    assert found(side, "more~2", "more", branches=("more",)) == [CopiedCommit(item, new, "squash")]
    assert three not in [copy.old for copy in found(side, "more", branches=("more",))]


def test_a_branch_that_came_in_pieces_is_found_by_its_blobs(side: RepoBuilder) -> None:
    item = at(side, "side~1")
    two = at(side, "side")
    side.commit("b first", {"b.txt": "b is written\n", "c.txt": "and more\n"})
    new = side.commit("then a", {"a.txt": TEXT.replace("line 9\n", "line nine\n"), "d.txt": "d\n"})
    assert found(side, "side~1", "side") == [
        CopiedCommit(item, new, "squash"),
        CopiedCommit(two, new, "squash"),
    ]


def test_a_cherry_pick_says_nothing_of_its_neighbours(side: RepoBuilder) -> None:
    two = at(side, "side")
    side.commit("Between", {"z.txt": "z\n"})
    side.git("cherry-pick", "side")
    assert found(side, "side", "side~1") == [CopiedCommit(two, side.head(), "cherry-pick")]


def test_a_cherry_pick_behind_a_merge_is_found(side: RepoBuilder) -> None:
    two = at(side, "side")
    side.branch("other")
    side.git("cherry-pick", "side")
    picked = side.head()
    side.switch("main")
    side.commit("Between", {"z.txt": "z\n"})
    side.merge("other")
    assert found(side, "side") == [CopiedCommit(two, picked, "cherry-pick")]


def test_a_picture_is_known_by_its_blob_and_by_nothing_else(repo: RepoBuilder) -> None:
    repo.commit("First", {"a.txt": "a\n"})
    repo.branch("side")
    picture = repo.commit("Picture", {"p.png": "\0one"})
    repo.switch("main")
    repo.commit("Another picture", {"p.png": "\0two"})
    assert found(repo, "side") == []
    new = repo.commit("The picture", {"p.png": "\0one"})
    assert found(repo, "side") == [CopiedCommit(picture, new, "squash")]


def test_a_deletion_and_a_mode_are_part_of_it(repo: RepoBuilder) -> None:
    repo.commit("First", {"a.txt": "a\n", "b.txt": "b\n"})
    repo.branch("side")
    repo.git("rm", "-q", "a.txt")
    gone = repo.commit("Delete")
    repo.switch("main")
    repo.git("rm", "-q", "b.txt")
    repo.commit("Delete the other")
    assert found(repo, "side") == []
    repo.git("rm", "-q", "a.txt")
    new = repo.commit("Delete it too")
    assert [(copy.old, copy.new) for copy in found(repo, "side")] == [(gone, new)]


def test_blank_lines_alone_are_no_copy(repo: RepoBuilder) -> None:
    """Anybody may add one; as a patch all of them are the same."""
    repo.commit("First", {"a.txt": TEXT})
    repo.branch("side")
    repo.commit("Blank", {"a.txt": TEXT.replace("line 5\n", "line 5\n\n")})
    repo.switch("main")
    repo.commit("Blank", {"a.txt": TEXT.replace("line 20\n", "line 20\n\n")})
    assert found(repo, "side") == []


def test_what_the_branch_was_built_upon_is_no_copy_of_it(repo: RepoBuilder) -> None:
    """The branch does again what was done and undone before it began."""
    repo.commit("First", {"a.txt": TEXT})
    done = TEXT.replace("line 9\n", "line nine\n")
    repo.commit("Do", {"a.txt": done})
    repo.commit("Undo", {"a.txt": TEXT})
    repo.branch("side")
    again = repo.commit("Do again", {"a.txt": done})
    repo.switch("main")
    repo.commit("Between", {"z.txt": "z\n"})
    assert found(repo, "side") == []
    new = repo.commit("At last", {"a.txt": done})
    assert [(copy.old, copy.new) for copy in found(repo, "side")] == [(again, new)]


def test_commits_that_change_nothing_are_copies_of_nothing(repo: RepoBuilder) -> None:
    repo.commit("First", {"a.txt": "a\n"})
    repo.branch("side")
    repo.commit("Nothing")
    repo.switch("main")
    repo.commit("Nothing")
    assert found(repo, "side") == []


def test_a_branch_that_took_main_in_is_compared_with_where_it_left_it(side: RepoBuilder) -> None:
    side.commit("Meanwhile", {"m.txt": "m\n"})
    side.switch("side")
    side.merge("main")
    side.commit("three", {"c.txt": "c is written\n"})
    side.switch("main")
    item, new = at(side, "side~1^1~1"), squash(side)
    assert CopiedCommit(item, new, "squash") in found(side, "side~1^1~1")


def test_a_deleted_branch_is_known_from_the_reflog(side: RepoBuilder) -> None:
    item, new = at(side, "side~1"), squash(side)
    side.git("branch", "-q", "-D", "side")
    commits = [item]
    copies = copied_commits.find_copied_commits(
        str(side.path), side.head(), commits, branch_names=("side",), tip_commits=()
    )
    assert copies == [CopiedCommit(item, new, "squash")]


def test_a_branch_fetched_or_known_by_a_commit_is_found(side: RepoBuilder, tmp_path: Path) -> None:
    clone = side.clone(tmp_path / "clone")
    item, two = at(side, "side~1"), at(side, "side")
    side.commit("Close by", {"a.txt": TEXT.replace("line 7\n", "line seven\n")})
    new = squash(side)
    clone.git("pull", "-q", "--ff-only", "origin", "main")
    assert found(clone, item) == [CopiedCommit(item, new, "squash")]
    clone.git("update-ref", "-d", "refs/remotes/origin/side")
    assert found(clone, item) == []
    copies = copied_commits.find_copied_commits(
        str(clone.path), new, [item], branch_names=(), tip_commits=(two, ABSENT)
    )
    assert copies == [CopiedCommit(item, new, "squash")]


def test_an_amend_that_no_hook_reported_is_in_the_reflog(side: RepoBuilder) -> None:
    side.switch("side")
    old = side.head()
    side.git("commit", "-q", "--amend", "-m", "Said better")
    new = side.head()
    side.switch("main")
    assert found(side, old) == [CopiedCommit(old, new, "amend")]


@pytest.mark.parametrize("name", ["", "-x", "*", "a b", "[", "\\", "a\nb", "../..", "é" * 300])
def test_names_of_branches_that_git_would_not_allow_do_no_harm(
    side: RepoBuilder, name: str
) -> None:
    item, new = at(side, "side~1"), squash(side)
    assert found(side, item, branches=(name, "side")) == [CopiedCommit(item, new, "squash")]


def test_commits_that_are_gone_or_unrelated_have_no_copy(side: RepoBuilder) -> None:
    side.git("checkout", "-q", "--orphan", "island")
    side.commit("Alone", {"a.txt": TEXT, "i.txt": "i\n"})
    side.switch("main")
    assert found(side, "island", branches=("island",)) == []
    copies = copied_commits.find_copied_commits(
        str(side.path), side.head(), [ABSENT], branch_names=(), tip_commits=()
    )
    assert copies == []


@pytest.mark.parametrize("option", ["--filter=blob:none", "--filter=tree:0", "--depth=1"])
def test_a_clone_that_lacks_objects_finds_what_it_can_and_fetches_nothing(
    side: RepoBuilder, tmp_path: Path, option: str
) -> None:
    item, new = at(side, "side~1"), squash(side)
    side.git("config", "uploadpack.allowFilter", "true")
    clone = side.clone(tmp_path / "clone", "--no-single-branch", option)
    size = len(list((clone.path / ".git" / "objects").rglob("*")))
    try:
        copies = found(clone, item)
    except GitmemError:
        copies = []
    assert copies in ([], [CopiedCommit(item, new, "squash")])
    assert option != "--filter=blob:none" or copies
    assert len(list((clone.path / ".git" / "objects").rglob("*"))) == size


def test_no_more_is_compared_than_the_bounds_say(
    side: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old squashes lie beyond, unless they were found while they were new."""
    squash(side)
    for number in range(4):
        side.commit("More", {f"{number}.txt": "x\n"})
    assert found(side, "side")
    monkeypatch.setattr(copied_commits, "MOST_NEW", 3)
    monkeypatch.setattr(copied_commits, "MOST_STEPS", 3)
    assert found(side, "side") == []


def test_pieces_that_were_never_there_together_are_no_squash(side: RepoBuilder) -> None:
    nine = TEXT.replace("line 9\n", "line nine\n")
    side.commit("a, with more", {"a.txt": nine, "c.txt": "c\n"})
    side.commit("a again otherwise", {"a.txt": TEXT + "end\n"})
    side.commit("b, with more", {"b.txt": "b is written\n", "d.txt": "d\n"})
    assert found(side, "side") == []
    side.commit("a once more", {"a.txt": nine})
    assert [copy.new for copy in found(side, "side")] == [side.head()]
