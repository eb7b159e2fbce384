"""Which memories belong to what is checked out: as HEAD moves, and where nothing can be told.

The ways in which work moves between branches are in tests/reliability/test_branches.py.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from gitmem.branches import visibility_resolver, visible_here
from gitmem.git import runner
from gitmem.githooks import installer
from gitmem.store.db import seals
from gitmem.store.memory import branch_visibility, rewritten_commits
from gitmem.store.memory.branch_visibility import HiddenMemories
from tests.support.amounts import amount
from tests.support.apps import HOUR, Desk
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.stores import open_store

STEPS = (*["commit"] * 3, *["switch"] * 2, "branch", "merge", "reset", "amend", "detach")


@pytest.fixture
def desk(repo: RepoBuilder, ready: SetUp) -> Desk:
    """Set up without hooks and index: what is known comes from reads and from ``refresh``."""
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    ready(made, no_hooks=True, no_index=True)
    return made


def say(desk: Desk, text: str, **values: Any) -> str:
    desk.clock.advance(HOUR)
    return str(desk.run("remember", text=text, **values).id)


def observed(desk: Desk, place: Path | None = None) -> set[str]:
    """The memories that are here, by the condition that reads use."""
    app = desk.app(place=place)
    clause, values = visible_here.hidden_memories(app, app.store).visible_sql_condition()
    rows = app.store.rows(f"SELECT m.content FROM memories AS m WHERE {clause}", (*values,))
    app.close()
    return {row[0] for row in rows}


def query(desk: Desk) -> HiddenMemories:
    app = desk.app()
    try:
        return visible_here.hidden_memories(app, app.store)
    finally:
        app.close()


def refresh(desk: Desk) -> int:
    app = desk.app()
    try:
        return visible_here.refresh_hidden_memories(app, app.store)
    finally:
        app.close()


def on_side(repo: RepoBuilder, desk: Desk) -> str:
    """A memory on a commit of ``side``; then main is checked out. The commit."""
    repo.branch("side")
    commit = repo.commit("On the side", {"side.py": "y = 1\n"})
    say(desk, "side")
    repo.switch("main")
    return commit


# --- HEAD moves ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(amount(2, thorough=4)))
def test_step_by_step_is_the_same_as_from_scratch(desk: Desk, repo: RepoBuilder, seed: int) -> None:
    """Whatever happened in between: what is carried on is what a first look finds."""
    chance = random.Random(seed)
    branches = ["main"]
    for number in range(25):
        step = chance.choice(STEPS)
        if step == "commit":
            repo.commit(f"c{number}", {f"f{number}.txt": f"{number}\n"})
        elif step == "switch":
            repo.switch(chance.choice(branches))
        elif step == "branch":
            branches.append(f"b{number}")
            repo.branch(branches[-1])
        elif step == "merge":
            repo.git("merge", "-q", "--no-edit", chance.choice(branches))
        elif step == "reset":
            repo.git("reset", "-q", "--hard", "HEAD~1", check=False)
        elif step == "amend":
            old = repo.head()
            repo.git("commit", "-q", "--amend", "--allow-empty", "-m", f"amended {number}")
            if chance.random() < 0.5:
                record(desk, old, repo.head(), "amend")
        else:
            repo.git("checkout", "-q", "--detach")
        if chance.random() < 0.6:
            say(desk, f"m{number}")
        if chance.random() < 0.7:
            assert observed(desk) == fresh(desk) == by_hand(desk, repo), (seed, number, step)


def record(desk: Desk, old: str, new: str, how: str) -> None:
    app = desk.app()
    with app.store.write() as store:
        rewritten_commits.add_rewritten_commits(store, [(old, new)], how, at_ms=app.now)
    app.close()


def fresh(desk: Desk) -> set[str]:
    """What a first look finds, with nothing to carry on from."""
    app = desk.app()
    found = visibility_resolver.find_memories_hidden_at_head(
        app, app.store, branch_visibility.read_visibility_state(app.store, "/never/looked")
    )
    clause, values = HiddenMemories("", found.hidden_ids).visible_sql_condition()
    rows = app.store.rows(f"SELECT m.content FROM memories AS m WHERE {clause}", (*values,))
    app.close()
    return {row[0] for row in rows}


def by_hand(desk: Desk, repo: RepoBuilder) -> set[str]:
    """The rule, by one question to git for each memory and each commit that took a place."""
    branch = repo.git("branch", "--show-current")
    history = set(repo.git("rev-list", "HEAD").split())
    database = open_store(str(desk.store))
    later: dict[str, set[str]] = {}
    for old, new in database.rows("SELECT old, new FROM rewritten"):
        later.setdefault(old, set()).add(new)
    rows = database.rows("SELECT content, branch, commit_id FROM memories")
    database.close()

    def arrives(commit: str) -> bool:
        return commit in history or any(map(arrives, later.get(commit, ())))

    return {text for text, born, commit in rows if (branch and born == branch) or arrives(commit)}


def test_a_memory_stated_elsewhere_since_is_seen_to_at_once(desk: Desk, repo: RepoBuilder) -> None:
    """Another work tree or a server goes on writing while HEAD stays here."""
    linked = repo.worktree(repo.path.parent / "linked", "side")
    linked.commit("On the side", {"side.py": "y = 1\n"})
    say(desk, "here")
    assert observed(desk) == {"here"}
    desk.run("remember", text="there", place=linked.path)
    assert observed(desk) == {"here"}
    assert observed(desk, linked.path) == {"here", "there"}


def test_a_new_kind_counts_from_then_on(desk: Desk, repo: RepoBuilder) -> None:
    on_side(repo, desk)
    assert observed(desk) == set()
    database = open_store(str(desk.store))
    database.run("UPDATE memories SET kind = 'convention'")
    database.close()
    assert observed(desk) == {"side"}


def test_a_purged_memory_leaves_its_number_to_nobody(desk: Desk, repo: RepoBuilder) -> None:
    """The next memory gets the same row number, on another commit."""
    on_side(repo, desk)
    say(desk, "main")
    assert observed(desk) == {"main"}
    repo.switch("side")
    repo.commit("More", {"more.py": "z = 1\n"})
    last = say(desk, "last")
    repo.switch("main")
    assert observed(desk) == {"main"}
    database = open_store(str(desk.store))
    seq = database.value("SELECT seq FROM memories WHERE id = ?", (last,))
    database.close()
    desk.run("purge", id=(last,))
    repo.switch("side")
    again = say(desk, "again")
    repo.switch("main")
    database = open_store(str(desk.store))
    assert database.value("SELECT seq FROM memories WHERE id = ?", (again,)) == seq
    database.close()
    assert observed(desk) == {"main"}


# --- what it costs ------------------------------------------------------------------------------


def test_git_is_not_asked_while_all_was_born_on_this_branch(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(desk, "one")
    repo.commit("More", {"more.py": "z = 1\n"})
    say(desk, "two")
    refuse_git(monkeypatch)
    assert observed(desk) == {"one", "two"}


def test_git_is_asked_once_for_each_head(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_side(repo, desk)
    assert query(desk) == HiddenMemories(str(repo.path))
    refuse_git(monkeypatch)
    assert observed(desk) == set()
    say(desk, "main")
    assert observed(desk) == {"main"}, "nor for what is said here"


def test_git_is_not_asked_before_the_first_commit_of_a_branch(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.branch("side")
    refuse_git(monkeypatch)
    say(desk, "early")
    assert observed(desk) == {"early"}


def refuse_git(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> str:
        raise AssertionError("git was started")

    monkeypatch.setattr(runner, "_program", refused)


# --- what cannot be told ------------------------------------------------------------------------


def test_where_git_does_not_answer_the_last_known_counts(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_side(repo, desk)
    repo.commit("More", {"more.py": "z = 1\n"})
    desk.env["PATH"] = "/nonexistent"
    assert observed(desk) == {"side"}, "nothing is known yet, so nothing is hidden"
    del desk.env["PATH"]
    desk.env["PATH"] = repo.env["PATH"]
    assert observed(desk) == set()
    repo.commit("Again", {"more.py": "z = 2\n"})
    desk.env["PATH"] = "/nonexistent"
    assert observed(desk) == set()


def test_a_commit_that_was_collected_stays_elsewhere_and_with_its_branch(
    desk: Desk, repo: RepoBuilder
) -> None:
    on_side(repo, desk)
    say(desk, "main")
    repo.git("branch", "-D", "side")
    collect(repo)
    assert observed(desk) == {"main"}
    repo.branch("side")
    assert observed(desk) == {"main", "side"}, "its branch's name is all that is left to go by"


def collect(repo: RepoBuilder) -> None:
    repo.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    repo.git("gc", "-q", "--prune=now")


def test_the_last_head_itself_may_have_been_collected(desk: Desk, repo: RepoBuilder) -> None:
    on_side(repo, desk)
    repo.git("checkout", "-q", "--detach")
    repo.commit("Loose", {"loose.py": "x = 1\n"})
    say(desk, "loose")
    assert observed(desk) == {"loose"}
    repo.switch("main")
    collect(repo)
    assert observed(desk) == set()
    repo.switch("side")
    assert observed(desk) == {"side"}


def test_a_collected_commit_that_is_fetched_again_is_here_again(
    desk: Desk, repo: RepoBuilder
) -> None:
    backup = repo.clone(repo.path.parent / "backup")
    backup.git("fetch", "-q", "origin")
    commit = on_side(repo, desk)
    backup.git("fetch", "-q", "origin")
    repo.git("branch", "-D", "side")
    collect(repo)
    assert observed(desk) == set()
    repo.git("fetch", "-q", str(backup.path), "refs/remotes/origin/side:refs/heads/back")
    repo.switch("back")
    assert repo.head() == commit
    assert observed(desk) == {"side"}


def test_a_trunk_that_was_renamed_keeps_what_git_lost(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("More", {"more.py": "z = 1\n"})
    say(desk, "old main")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("branch", "-m", "main", "master")
    assert observed(desk) == set(), "git has the commit: it is on no branch"
    collect(repo)
    refresh_from_nothing(desk)
    assert observed(desk) == {"old main"}
    repo.branch("topic")
    assert observed(desk) == set()


def refresh_from_nothing(desk: Desk) -> None:
    database = open_store(str(desk.store))
    database.run("DELETE FROM elsewhere_of")
    database.close()


def test_a_shallow_history_hides_no_trunk_and_is_asked_anew_when_deepened(
    desk: Desk, repo: RepoBuilder
) -> None:
    say(desk, "early")
    repo.commit("More", {"more.py": "z = 1\n"})
    on_side(repo, desk)
    clone = repo.clone(repo.path.parent / "clone", "--depth=1", "--branch=main")
    clone.branch("topic")
    other = Desk(clone.path, repo.home, GITMEM_MODEL="hashed")
    other.run("init", no_hooks=True, no_index=True)
    (clone.path / ".gitmem" / "memory.db").write_bytes(exported(desk))
    assert observed(other) == {"early"}
    clone.git("fetch", "-q", "--unshallow")
    clone.commit("Deep", {"deep.py": "d = 1\n"})
    assert observed(other) == {"early"}


def exported(desk: Desk) -> bytes:
    database = open_store(str(desk.store))
    database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return desk.store.read_bytes()


def test_a_place_without_a_history_hides_nothing(desk: Desk, repo: RepoBuilder) -> None:
    on_side(repo, desk)
    repo.git("checkout", "-q", "--orphan", "new")
    assert query(desk) == visible_here.EVERYTHING
    assert observed(desk) == {"side"}


def test_a_bare_repository_and_a_plain_folder_hide_nothing(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    bare = RepoBuilder(tmp_path / "bare.git", "--bare", home=repo.home)
    repo.git("push", "-q", str(bare.path), "main")
    there = desk.at(bare.path)
    there.run("init", no_hooks=True, no_index=True)
    assert query(there) == visible_here.EVERYTHING
    folder = tmp_path / "plain"
    folder.mkdir()
    plain = desk.at(folder)
    plain.run("init", folder=True, no_index=True)
    assert query(plain) == visible_here.EVERYTHING


def test_global_memories_are_everywhere(desk: Desk, repo: RepoBuilder) -> None:
    on_side(repo, desk)
    say(desk, "for all", scope="global")
    app = desk.app()
    shared = app.global_store()
    assert shared is not None
    assert visible_here.hidden_memories(app, shared) == visible_here.EVERYTHING
    app.close()


def test_ids_that_are_no_commits_are_no_birth(desk: Desk, repo: RepoBuilder) -> None:
    """An imported memory says where it was born; it may say anything."""
    on_side(repo, desk)
    say(desk, "odd")
    database = open_store(str(desk.store))
    for number, odd in enumerate(("--all", '"], x', "HEAD", "ab", "A" * 40)):
        database.run(
            "UPDATE memories SET commit_id = ?, branch = ? WHERE content = 'odd'",
            (odd, f'o"{number}'),
        )
        refresh_from_nothing(desk)
        assert observed(desk) == {"odd"}
        assert refresh(desk) == 0
    database.close()


# --- stores that cannot be written --------------------------------------------------------------


def test_a_busy_store_is_answered_from_memory(desk: Desk, repo: RepoBuilder) -> None:
    on_side(repo, desk)
    writer = open_store(str(desk.store))
    with writer.write():
        hidden = query(desk)
        assert (hidden.worktree, len(hidden.ids)) == ("", 1)
        assert observed(desk) == set()
    writer.close()
    assert query(desk) == HiddenMemories(str(repo.path))


def test_a_store_that_cannot_be_written_is_answered_from_memory(
    desk: Desk, repo: RepoBuilder
) -> None:
    on_side(repo, desk)
    app = desk.app()
    app.store.read_only = True
    before = app.store.rows("SELECT * FROM elsewhere_of")
    hidden = visible_here.hidden_memories(app, app.store)
    assert (hidden.worktree, len(hidden.ids)) == ("", 1)
    assert visible_here.visibility_by_id(app, app.store, list(hidden.ids)) == {
        hidden.ids[0]: "elsewhere"
    }
    assert not visible_here.is_visibility_refresh_due(app, app.store)
    assert app.store.rows("SELECT * FROM elsewhere_of") == before
    app.close()


# --- copies -------------------------------------------------------------------------------------


def test_copies_are_due_until_they_were_looked_for(desk: Desk, repo: RepoBuilder) -> None:
    """Without hooks no drain runs by itself: upkeep asks this."""

    def due() -> bool:
        app = desk.app()
        try:
            return visible_here.is_visibility_refresh_due(app, app.store)
        finally:
            app.close()

    say(desk, "main")
    assert not due()
    on_side(repo, desk)
    assert observed(desk) == {"main"}
    assert due()
    repo.git("merge", "-q", "--squash", "side")
    new = repo.commit("Squashed")
    assert observed(desk) == {"main"}
    assert due()
    assert refresh(desk) == 1
    assert not due()
    assert observed(desk) == {"main", "side"}
    database = open_store(str(desk.store))
    assert database.rows("SELECT new, how FROM rewritten") == [(new, "squash")]
    database.close()
    assert refresh(desk) == 0


def test_a_copy_that_another_process_found_counts_though_head_did_not_move(
    desk: Desk, repo: RepoBuilder
) -> None:
    """Two look at once after a squash: who writes last may know less, and is not believed."""
    say(desk, "main")
    old = on_side(repo, desk)
    repo.git("merge", "-q", "--squash", "side")
    new = repo.commit("Squashed")
    assert observed(desk) == {"main"}
    record(desk, old, new, "squash")
    assert observed(desk) == {"main", "side"}


def test_of_very_many_the_newest_are_looked_for(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.branch("side")
    for name in ("old", "new"):
        repo.commit(name, {f"{name}.py": f"{name} = 1\n"})
        say(desk, name)
    repo.switch("main")
    repo.git("cherry-pick", "side~1", "side")
    monkeypatch.setattr(visibility_resolver, "MOST_SOUGHT", 1)
    assert refresh(desk) == 1
    assert observed(desk) == {"new"}
    assert refresh(desk) == 1
    assert observed(desk) == {"new", "old"}


# --- the drain ----------------------------------------------------------------------------------


@pytest.fixture
def hooked(desk: Desk) -> Desk:
    app = desk.app()
    installer.install_hooks(
        app.layout,
        ("/nonexistent/gitmem-for-tests",),
        known_git_version=(2, 39),
        token=seals.derive_log_line_token(app.signing_key),
    )
    app.close()
    return desk


def pairs(desk: Desk) -> list[tuple[str, ...]]:
    database = open_store(str(desk.store))
    found = database.rows("SELECT old, new, how FROM rewritten ORDER BY counter")
    database.close()
    return found


def test_the_drain_writes_down_what_amend_and_rebase_replaced(
    hooked: Desk, repo: RepoBuilder
) -> None:
    first = repo.head()
    repo.git("commit", "-q", "--amend", "-m", "Better")
    second = repo.head()
    hooked.run("drain")
    repo.git("checkout", "-q", "-b", "base", "HEAD~1")
    repo.commit("Another base", {"base.py": "b = 1\n"})
    repo.git("rebase", "-q", "base", "main")
    hooked.run("drain")
    assert pairs(hooked) == [(first, second, "amend"), (second, repo.head(), "rebase")]
    hooked.run("drain")
    assert len(pairs(hooked)) == 2


def test_the_drain_sees_to_every_work_tree_and_forgets_those_that_are_gone(
    hooked: Desk, repo: RepoBuilder
) -> None:
    linked = repo.worktree(repo.path.parent / "linked", "topic")
    on_side(repo, hooked)
    assert observed(hooked) == observed(hooked, linked.path) == set()
    linked.commit("More", {"more.py": "z = 1\n"})
    linked.git("merge", "-q", "--no-edit", "side")
    hooked.run("drain")
    database = open_store(str(hooked.store))
    assert database.rows("SELECT tree FROM elsewhere") == [(str(repo.path),)]
    assert branch_visibility.worktrees_with_hidden_memories(database) == sorted(
        [str(linked.path), str(repo.path)]
    )
    repo.git("worktree", "remove", "--force", str(linked.path))
    repo.commit("Again", {"again.py": "a = 1\n"})
    hooked.run("drain")
    assert branch_visibility.worktrees_with_hidden_memories(database) == [str(repo.path)]
    database.close()


def test_what_came_before_the_first_commit_is_reported_with_the_commit_below(
    desk: Desk, repo: RepoBuilder
) -> None:
    repo.branch("side")
    below = repo.head()
    id = say(desk, "early", kind="fix")
    result = desk.run("show", id=id).memory
    assert (result.branch, result.commit) == ("side", below)
    assert [hit.id for hit in desk.run("recall", commits=below, query="early").memories] == [id]
    repo.commit("First", {"first.py": "x = 1\n"})
    assert refresh(desk) == 0
    assert [hit.id for hit in desk.run("recall", commits=below, query="early").memories] == [id]


def test_a_later_branch_of_the_same_name_does_not_settle_an_earlier_ones_notes(
    desk: Desk, repo: RepoBuilder
) -> None:
    for text in ("first", "second"):
        repo.branch("side")
        say(desk, text)
        repo.commit(text, {f"{text}.py": "x = 1\n"})
        refresh(desk)
        repo.switch("main")
        if text == "first":
            repo.git("branch", "-q", "-D", "side")
    repo.merge("side")
    assert observed(desk) == {"second"}
