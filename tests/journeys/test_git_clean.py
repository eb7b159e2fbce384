"""A day on which git takes the store away, with ordinary commands, and every memory comes back."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gitmem.errors import ForeignFile
from gitmem.operations.start.init import InitRequest, initialize_repository
from tests.support.apps import HOUR, Desk, small_repo
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder

FACTS = ("Redis is on 6380", "Tests need GPUS=0", "Deploys go out on Tuesdays")


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    return small_repo(tmp_path)


@pytest.fixture
def desk(repo: RepoBuilder, ready: SetUp) -> Desk:
    """A store with three memories of which a copy was made."""
    desk = Desk(repo.path, repo.home)
    ready(desk, no_index=True, no_hooks=True)
    for fact in FACTS:
        desk.run("remember", text=fact)
    assert desk.run("upkeep").copy
    return desk


def texts(desk: Desk) -> set[str]:
    return {memory.content for memory in desk.run("list").memories}


def test_a_day_with_git_clean_in_it(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("hooks install")
    desk.run("backup")
    repo.git("clean", "-fdx")
    assert not desk.store.parent.exists()
    for verb in ("orient", "status"):
        text = desk.text(verb)
        assert "3 memories of 2026-11-21 can be brought back" in text, verb
        assert "`gitmem restore-backup --copy`" in text and "git clean" in text, verb
    done = desk.run("restore-backup", copy=True)
    assert (done.memories, done.aside, done.indexed) == (3, "", True)
    assert texts(desk) == set(FACTS)
    assert desk.run("recall", query="which port does redis use").memories
    assert desk.run("search", query="cart").hits
    assert desk.run("doctor").failed == 0
    assert "brought back" not in desk.text("orient") + desk.text("status")
    # The hooks write into a folder that was gone with the rest.
    assert (desk.store.parent / "spool").is_dir()
    assert not repo.git("status", "--porcelain")


def test_init_brings_it_back_and_says_so(desk: Desk, repo: RepoBuilder) -> None:
    repo.git("clean", "-fdx")
    done = desk.run("init", no_index=True, no_hooks=True)
    assert (done.created, done.existed, done.memories) == (False, False, 3)
    assert Path(done.restored).is_file()
    assert texts(desk) == set(FACTS)


def test_a_second_loss_is_made_good_too(desk: Desk, repo: RepoBuilder) -> None:
    repo.git("clean", "-fdx")
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("remember", text="Fourth")
    desk.clock.advance(2 * HOUR)
    assert desk.run("upkeep").copy
    repo.git("clean", "-fdx")
    assert desk.run("init", no_index=True).memories == 4


def test_init_fresh_starts_empty_and_leaves_the_copies(desk: Desk, repo: RepoBuilder) -> None:
    repo.git("clean", "-fdx")
    (copy,) = desk.run("backup", list=True).copies
    done = desk.run("init", no_index=True, fresh=True)
    assert (done.created, done.restored, done.memories) == (True, "", 0)
    assert Path(copy.path).is_file()


def test_a_dry_run_of_init_brings_nothing_back(desk: Desk, repo: RepoBuilder) -> None:
    repo.git("clean", "-fdx")
    done = desk.run("init", dry_run=True)
    assert done.restored == "" and "3 memories" in done.notes[0]
    assert not desk.store.parent.exists()


def test_who_says_no_starts_empty(desk: Desk, repo: RepoBuilder) -> None:
    repo.git("clean", "-fdx")
    app = desk.app()
    query: list[tuple[str, bool]] = []

    def refuse(question: str, default: bool) -> bool:
        query.append((question, default))
        return False

    app.ask = refuse
    done = initialize_repository(app, InitRequest(no_index=True, no_hooks=True))
    app.close()
    ((question, default),) = query
    assert "3 memories of 2026-11-21" in question and default
    assert (done.created, done.memories) == (True, 0)
    assert any("restore-backup --copy" in note for note in done.notes)


def test_a_stash_of_all_takes_the_store_and_popping_it_destroys_nothing(
    desk: Desk, repo: RepoBuilder
) -> None:
    repo.git("stash", "--all")
    assert not desk.store.exists()
    assert desk.run("restore-backup", copy=True).memories == 3
    desk.run("remember", text="Since the stash")
    popped = subprocess.run(
        ["git", "stash", "pop"], cwd=repo.path, env=repo.env, capture_output=True, text=True
    )
    # git refuses: what the stash holds stands there already. The stash is kept.
    assert popped.returncode and "already exists" in popped.stderr
    assert repo.git("stash", "list")
    assert texts(desk) == {*FACTS, "Since the stash"}


def test_a_pulled_store_names_the_way_back_to_ones_own(desk: Desk, repo: RepoBuilder) -> None:
    # A colleague puts theirs under version control; it replaces an ignored file without a word.
    other = RepoBuilder(repo.path.parent / "other" / "repo", init=False)
    subprocess.run(
        ["git", "clone", "--quiet", str(repo.path), str(other.path)], env=other.env, check=True
    )
    theirs = Desk(other.path, other.home)
    theirs.run("init", no_index=True, no_hooks=True)
    theirs.run("remember", text="Do as the colleague says")
    other.git("add", "--force", ".gitmem/memory.db")
    other.git("commit", "--quiet", "-m", "Add the store")
    repo.git("fetch", "--quiet", str(other.path), "HEAD")
    repo.git("merge", "--quiet", "FETCH_HEAD")
    with pytest.raises(ForeignFile) as refused:
        desk.run("orient")
    assert "git rm -r --cached .gitmem" in refused.value.hint
    assert "gitmem restore-backup --copy" in refused.value.hint
    repo.git("rm", "-r", "--quiet", "--cached", ".gitmem")
    repo.git("commit", "--quiet", "-m", "The store is nobody's but one's own")
    done = desk.run("restore-backup", copy=True)
    assert texts(desk) == set(FACTS)
    assert Path(done.aside).is_file()


def test_two_clones_of_a_project_keep_to_their_own(desk: Desk, repo: RepoBuilder) -> None:
    clone = RepoBuilder(repo.path.parent / "clone", init=False)
    subprocess.run(
        ["git", "clone", "--quiet", str(repo.path), str(clone.path)], env=repo.env, check=True
    )
    clone.git("remote", "set-url", "origin", "https://github.com/acme/shop.git")
    second = desk.at(clone.path)
    assert second.run("init", no_index=True).memories == 0
    second.run("remember", text="Of the clone")
    assert second.run("upkeep").copy
    for builder, own in ((repo, set(FACTS)), (clone, {"Of the clone"})):
        builder.git("clean", "-fdx")
        here = desk.at(builder.path)
        here.run("restore-backup", copy=True)
        assert texts(here) == own


def test_a_new_clone_is_offered_what_the_deleted_one_held(desk: Desk, repo: RepoBuilder) -> None:
    repo.git("clean", "-fdx")
    clone = RepoBuilder(repo.path.parent / "clone", init=False)
    subprocess.run(
        ["git", "clone", "--quiet", str(repo.path), str(clone.path)], env=repo.env, check=True
    )
    clone.git("remote", "set-url", "origin", "https://github.com/acme/shop.git")
    second = desk.at(clone.path)
    # Nobody is there to be asked, and a repository may call itself what it likes.
    done = second.run("init", no_index=True)
    assert (done.created, done.memories) == (True, 0)
    assert any("3 memories" in note for note in done.notes)
    assert second.run("restore-backup", copy=True).memories == 3


def test_a_person_in_a_new_clone_is_asked(desk: Desk, repo: RepoBuilder) -> None:
    moved = repo.path.parent / "moved"
    repo.git("clean", "-fdx")
    repo.path.rename(moved)
    app = desk.at(moved).app()
    app.ask = lambda _question, default: default
    done = initialize_repository(app, InitRequest(no_index=True, no_hooks=True))
    app.close()
    assert (done.created, done.memories) == (False, 3)
    assert texts(desk.at(moved)) == set(FACTS)


def test_a_folder_that_another_project_has_now_gets_nothing(desk: Desk, repo: RepoBuilder) -> None:
    repo.git("clean", "-fdx")
    repo.git("remote", "set-url", "origin", "https://github.com/acme/other.git")
    assert "brought back" not in desk.text("orient")
    done = desk.run("init", no_index=True, no_hooks=True)
    assert (done.created, done.memories) == (True, 0)
