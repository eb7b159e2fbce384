"""`gitmem index`: what a run does to files, commits and vectors (CF-9..12, CE-22, CE-28..30)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gitmem import operations
from gitmem.errors import GitmemError, NotFound
from gitmem.indexing import index_state, refresh, worker_pool
from gitmem.operations.maintenance import index as index_operation
from gitmem.operations.registry import as_json_values
from gitmem.store.code import indexed_files, vectors
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors
from tests.git.test_hostile import TRAPS, Trap
from tests.support import children
from tests.support.apps import Desk
from tests.support.cli import Program
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.secrets import SECRET
from tests.support.stores import open_store

Progress = Callable[[str, int, int], None]


@pytest.fixture
def desk(repo: RepoBuilder, ready: SetUp) -> Desk:
    """Set up, nothing indexed yet; the model is the cheap one."""
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    ready(made, no_index=True, no_hooks=True)
    return made


def opened(desk: Desk) -> Database:
    return open_store(str(desk.store))


def everything(desk: Desk) -> dict[str, list[tuple[Any, ...]]]:
    """All that is indexed, without row numbers and times."""
    database = opened(desk)
    found = {
        "chunks": database.rows(
            "SELECT p.tree, p.path, c.start_line, c.text, hex(c.hash) FROM paths p "
            "JOIN chunks c ON c.blob = p.blob ORDER BY 1, 2, 3"
        ),
        "commits": database.rows("SELECT sha, subject, paths FROM commits ORDER BY sha"),
        "vectors": database.rows(
            "SELECT hex(v.hash), p.model, hex(v.q8), hex(b.bits) FROM vectors v "
            "JOIN vector_parts p ON p.id = v.part JOIN vector_bits b ON b.id = v.id ORDER BY 1, 2"
        ),
        "trees": database.rows("SELECT tree, head, state FROM trees"),
    }
    database.close()
    return found


def stopped(desk: Desk, stage: str) -> None:
    """A run that ends at the first progress of a stage, as if it had been killed."""

    class Killed(Exception):
        pass

    def progress(output: str, _done: int, _total: int) -> None:
        if output == stage:
            raise Killed

    app = desk.app()
    app.progress = progress
    try:
        with pytest.raises(Killed):
            refresh.refresh_index(app)
    finally:
        app.close()


def state(desk: Desk) -> str:
    app = desk.app()
    try:
        return index_state.index_state(app)
    finally:
        app.close()


def test_the_answer_has_the_promised_counts(desk: Desk) -> None:
    answer = as_json_values(desk.run("index"))
    assert {"added", "moved", "dropped", "kept", "skipped", "commits", "seconds"} <= set(answer)
    assert all(isinstance(answer[name], int) for name in ("added", "skipped", "commits"))
    assert (answer["added"], answer["commits"], answer["dropped"]) == (2, 3, 0)
    # README, one file of code, and three messages of which none is like another.
    assert answer["vectors"] == 5


def test_a_second_run_has_nothing_to_do(desk: Desk) -> None:
    desk.run("index")
    before = everything(desk)
    done = desk.run("index")
    assert (done.added, done.kept, done.commits, done.vectors) == (0, 2, 0, 0)
    assert everything(desk) == before
    assert "nothing new" in desk.text("index")


def test_a_run_tells_new_files_from_changed_ones_and_how_many_chunks_it_made(
    desk: Desk, repo: RepoBuilder
) -> None:
    """CC-7: added, updated, skipped, chunks and seconds."""
    first = desk.run("index")
    assert (first.added, first.updated, first.chunks) == (2, 0, 2)
    sections = "".join(f"# Part {n}\n\nWords of part {n}.\n\n" for n in range(3))
    repo.write({"README.md": sections, "notes.md": "# Notes\n", "tool.bin": "\0"})
    observed = desk.run("index", dry_run=True)
    assert (observed.added, observed.updated, observed.kept, observed.chunks) == (1, 1, 1, 0)
    text = desk.text("index")
    assert text.startswith("files: 1 added, 1 updated, 1 kept, 1 skipped")
    counted = desk.run("stats", files=True)
    assert counted.index.pieces == 5 and "chunks: 4 new; commits: 0 new; vectors: " in text
    assert counted.store == str(desk.store) in desk.text("stats", files=True)
    done = desk.run("index")
    assert (done.added, done.updated, done.kept, done.chunks) == (0, 0, 3, 0)


def test_a_commit_costs_only_itself(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("index")
    repo.commit("Explain refunds", {"src/refund.py": "refund = 1\n"})
    done = desk.run("index")
    assert (done.added, done.kept, done.commits, done.vectors) == (1, 2, 1, 2)


def test_only_some_files_are_indexed_where_paths_are_given(desk: Desk, repo: RepoBuilder) -> None:
    """CF-28: by any name of the path; the rest waits, and a search says so."""
    desk.run("index")
    new = "def okapi():\n    return 1\n"
    repo.write({"src/cart/cart.py": new, "src/new.py": new, "other.py": new, "README.md": "# B\n"})
    observed = desk.run("index", path=("src",), dry_run=True)
    assert (observed.added, observed.updated, observed.kept, observed.dropped) == (1, 1, 0, 0)
    done = desk.run("index", path=("cart.py",), place=repo.path / "src" / "cart")
    assert (done.updated, done.chunks, done.vectors, done.commits) == (1, 1, 1, 0)
    (repo.path / "README.md").unlink()
    done = desk.run("index", path=(str(repo.path / "src/"), "README.md"))
    assert (done.added, done.kept, done.dropped, done.vectors) == (1, 1, 1, 0)
    found = desk.run("search", query="okapi", mode="keyword", sources=("code",))
    assert sorted(hit.path for hit in found.hits) == ["src/cart/cart.py", "src/new.py"]
    assert desk.run("index", path=(".",)).added == 1
    for wrong in ({"action": "prune"}, {"full": True}):
        with pytest.raises(GitmemError, match="--path cannot be combined"):
            desk.run("index", path=("src",), **wrong)
    with pytest.raises(GitmemError, match="not a path inside"):
        desk.run("index", path=("/elsewhere",))


def test_some_files_of_a_worktree_that_is_not_indexed_are_all_of_it(desk: Desk) -> None:
    assert desk.run("index", path=("README.md",)).added == 2
    assert state(desk) == "current"


def test_a_rename_costs_no_vector(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("index")
    repo.git("mv", "src/cart/cart.py", "src/cart/basket.py")
    done = desk.run("index")
    assert (done.moved, done.added, done.vectors) == (1, 0, 0)


def test_an_amended_message_is_embedded_once(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("index")
    repo.git("commit", "-q", "--amend", "-m", "Mend the cart")  # the date is another
    done = desk.run("index")
    assert (done.commits, done.vectors, done.kept) == (1, 0, 2)


@pytest.mark.parametrize("stage", ["files", "commits", "vectors"])
def test_a_run_that_was_killed_goes_on_and_ends_the_same(
    desk: Desk, repo: RepoBuilder, stage: str, tmp_path: Path
) -> None:
    """Incremental is full: the law behind everything here."""
    stopped(desk, stage)
    assert state(desk) == "unknown"
    desk.run("index")
    assert state(desk) == "current"
    went_on = everything(desk)
    desk.run("index", full=True)
    assert everything(desk) == went_on


def test_a_dry_run_writes_nothing(desk: Desk, repo: RepoBuilder) -> None:
    before = everything(desk)
    done = desk.run("index", dry_run=True)
    assert (done.dry_run, done.added, done.commits) == (True, 2, 0)
    assert "would be added" in desk.text("index", dry_run=True)
    assert everything(desk) == before
    assert state(desk) == "unknown"
    desk.run("index")
    repo.commit("Go", {"README.md": "# Shop, better\n", "new.py": "n = 1\n"})
    before = everything(desk)
    observed = desk.run("index", dry_run=True)
    assert (observed.added, observed.updated) == (1, 1)
    assert everything(desk) == before


def test_full_makes_the_same_again_and_keeps_memories(desk: Desk) -> None:
    desk.run("remember", text="Redis listens on 6380")
    desk.run("index")
    before = everything(desk)
    done = desk.run("index", full=True)
    assert (done.added, done.commits, done.vectors) == (2, 3, 6)
    assert everything(desk) == before
    assert desk.run("recall", query="redis").memories


def test_another_model_embeds_anew_and_prune_drops_the_old(desk: Desk) -> None:
    desk.run("index")
    desk.env["GITMEM_MODEL"] = "builtin"
    done = desk.run("index")
    assert (done.added, done.commits, done.vectors) == (0, 0, 5)
    database = opened(desk)
    assert sorted(name.split(":")[0] for name in vectors.vector_counts_by_model(database)) == [
        "builtin",
        "hashed",
    ]
    database.close()
    assert desk.run("index", action="prune").pruned == 5
    database = opened(desk)
    assert [name.split(":")[0] for name in vectors.vector_counts_by_model(database)] == ["builtin"]
    database.close()


def test_smaller_pieces_of_notes_need_no_full_run(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("Docs", {"guide.md": "five words in a line\n" * 100})
    desk.run("index")
    desk.env["GITMEM_INDEX_WORDS"] = "100"
    done = desk.run("index")
    assert (done.added, done.updated, done.kept) == (0, 2, 1)  # both notes


def test_why_files_were_skipped_is_reported(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("Odd", {".env": "A=1\n", "yarn.lock": "x\n", "x.py": "\0", ".gitignore": "/o\n"})
    done = desk.run("index")
    assert done.reasons == {"binary": 1, "lock file": 1, "secret": 1}
    assert done.skipped == 3
    text = desk.text("index")
    assert all(f"1 {reason}" in text for reason in done.reasons)


def test_what_was_left_out_is_named_for_who_asks(desk: Desk, repo: RepoBuilder) -> None:
    secret = f"notes/{SECRET}.md"
    repo.commit("Add", {"prod.env": "A=b\n", "logo.png": "x", secret: "x\n", "z.txt": "  \n"})
    named = {
        "logo.png": "binary",
        "notes/[redacted:github-token].md": "its name holds a secret",
        "prod.env": "secret",
        "z.txt": "empty",
    }
    assert desk.run("index", dry_run=True, verbose=True).left_out.items() < named.items()
    assert desk.run("index").left_out == {}
    text = desk.text("index", verbose=True)
    assert desk.run("index", verbose=True).left_out == named
    assert "  secret: prod.env\n" in text and SECRET not in text


def test_a_secret_in_a_message_is_not_stored(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit(f"Use {SECRET}\n\nby ada@example.org")
    desk.run("index")
    found = repr(everything(desk)["commits"])
    assert SECRET not in found
    assert "ada@example.org" not in found


@children.needs_fork
def test_several_runs_at_once_make_one_index(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("Many", {f"src/f{number}.py": f"x{number} = 1\n" for number in range(60)})
    assert children.run_all([lambda: desk.run("index")] * 4) == [children.DONE] * 4
    together = everything(desk)
    assert len(together["chunks"]) == 62
    desk.run("index", full=True)
    assert everything(desk) == together


def test_the_program_tells_the_counts(desk: Desk) -> None:
    program = Program(desk.home, desk.place, GITMEM_MODEL="hashed")
    assert program("index", "--dry-run", "--json").json["added"] == 2
    output = program("index", "--json").json
    assert (output["added"], output["commits"], output["reasons"]) == (2, 3, {})
    assert program("index").out.startswith("files: nothing new, 2 kept, 0 skipped\n")
    assert "pruned" in program("index", "prune", "--json").json


# --- pruning ----------------------------------------------------------------------------------


def test_a_run_drops_gone_trees_and_their_blobs_and_prune_unreachable_commits(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    desk.run("index")
    linked = repo.worktree(tmp_path / "linked", "feature")
    linked.write({"only.py": "only_there = 1\n"})
    other = desk.at(linked.path)
    other.run("index")
    repo.commit("Soon gone", {"gone.py": "gone = 1\n"})
    desk.run("index")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    shutil.rmtree(linked.path)
    desk.run("index")
    with closing(desk.app()) as app, app.store.write():
        for tree in (str(repo.path), str(linked.path)):
            app.store.run(
                "INSERT INTO verdicts VALUES ('A', 1, ?, 'fresh', 'a', 1, 2, '', 1)", (tree,)
            )
    # The vectors of a commit's text and of two files: the run before dropped those.
    assert desk.run("index", action="prune").pruned == 3
    left = everything(desk)
    assert {row[1] for row in left["chunks"]} == {"README.md", "src/cart/cart.py"}
    assert {row[1] for row in left["commits"]} == {"Start", "Add the cart", "Mend the cart"}
    assert [row[0] for row in left["trees"]] == [str(repo.path)]
    with closing(desk.app()) as app:
        assert anchors.worktrees_with_anchor_verdicts(app.store) == [str(repo.path)]
    assert desk.run("index", action="prune").pruned == 0
    desk.run("index", full=True)
    assert everything(desk) == left


def test_prune_keeps_what_other_branches_and_trees_reach(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    repo.branch("side")
    repo.commit("On the side", {"side.py": "s = 1\n"})
    desk.run("index")
    repo.switch("main")
    desk.run("index")
    linked = repo.worktree(tmp_path / "linked", "feature")
    linked.git("checkout", "-q", "--detach")
    linked.commit("Detached")
    desk.at(linked.path).run("index")
    desk.run("index", action="prune")
    assert {row[1] for row in everything(desk)["commits"]} >= {"On the side", "Detached"}


def test_prune_on_a_branch_without_commits_keeps_the_others(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("index")
    repo.git("checkout", "-q", "--orphan", "empty")
    desk.run("index", action="prune")
    assert len(everything(desk)["commits"]) == 3


def test_a_commit_that_comes_back_after_a_prune_is_read_again(
    desk: Desk, repo: RepoBuilder
) -> None:
    repo.branch("side")
    repo.commit("One")
    tip = repo.commit("Two")
    desk.run("index")
    repo.switch("main")
    repo.git("branch", "-q", "-D", "side")
    desk.run("index", action="prune")
    assert len(everything(desk)["commits"]) == 3
    repo.git("checkout", "-q", tip)
    desk.run("index")
    assert len(everything(desk)["commits"]) == 5


# --- trees and states -------------------------------------------------------------------------


def test_two_work_trees_share_blobs_commits_and_vectors(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    desk.run("index")
    linked = desk.at(repo.worktree(tmp_path / "linked", "feature").path)
    done = linked.run("index")
    assert (done.added, done.commits, done.vectors) == (2, 0, 0)
    assert state(linked) == state(desk) == "current"


def test_the_state_follows_head_and_what_is_tracked(desk: Desk, repo: RepoBuilder) -> None:
    assert state(desk) == "unknown"
    desk.run("index")
    assert state(desk) == "current"
    repo.commit("Next", {"n.py": "n = 1\n"})
    assert state(desk) == "stale"
    desk.run("index")
    assert state(desk) == "current"
    repo.write({"m.py": "m = 1\n"})
    repo.git("add", "m.py")
    assert state(desk) == "stale"


def test_a_branch_switch_and_back_makes_nothing_new(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("index")
    repo.branch("side")
    repo.commit("Side", {"side.py": "s = 1\n"})
    desk.run("index")
    for name in ("main", "side", "main"):
        repo.switch(name)
        done = desk.run("index")
        assert (done.commits, done.vectors) == (0, 0)
        assert state(desk) == "current"


def test_a_rebase_costs_only_what_is_new(desk: Desk, repo: RepoBuilder) -> None:
    repo.branch("side")
    repo.commit("Side one", {"s1.py": "s = 1\n"})
    repo.commit("Side two", {"s2.py": "s = 2\n"})
    desk.run("index")
    repo.switch("main")
    repo.commit("Main", {"m.py": "m = 1\n"})
    repo.switch("side")
    repo.git("rebase", "-q", "main")
    done = desk.run("index")
    # Three commits are new, of two the message is known; one file is new.
    assert (done.commits, done.added, done.vectors) == (3, 1, 2)


# --- odd repositories -------------------------------------------------------------------------


def test_a_branch_without_commits(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "new")
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_index=True, no_hooks=True)
    done = desk.run("index")
    assert (done.added, done.commits) == (0, 0)
    assert state(desk) == "current"
    assert desk.run("index", action="prune").pruned == 0
    repo.commit("First", {"a.py": "a = 1\n"})
    done = desk.run("index")
    assert (done.added, done.commits) == (1, 1)


def test_a_bare_repository(repo: RepoBuilder, tmp_path: Path) -> None:
    bare = repo.clone(tmp_path / "bare.git", "--bare")
    desk = Desk(bare.path, bare.home, GITMEM_MODEL="hashed")
    desk.run("init", no_index=True, no_hooks=True)
    done = desk.run("index")
    assert (done.added, done.commits) == (2, 3)
    assert state(desk) == "current"
    assert desk.run("index", action="prune").pruned == 0


def test_a_sha256_repository(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "long", "--object-format=sha256")
    repo.commit("First", {"a.py": "a = 1\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_index=True, no_hooks=True)
    assert (desk.run("index").added, state(desk)) == (1, "current")
    repo.git("commit", "-q", "--amend", "-m", "First, better")
    done = desk.run("index")
    assert (done.added, done.kept, done.commits) == (0, 1, 1)


def test_a_shallow_clone_has_the_commits_it_has(repo: RepoBuilder, tmp_path: Path) -> None:
    clone = repo.clone(tmp_path / "shallow", "--depth=1")
    desk = Desk(clone.path, clone.home, GITMEM_MODEL="hashed")
    desk.run("init", no_index=True, no_hooks=True)
    assert desk.run("index").commits == 1
    clone.git("fetch", "-q", "--unshallow")
    assert desk.run("index").commits == 2
    assert desk.run("index").commits == 0


def test_more_commits_are_read_when_more_are_wanted(desk: Desk) -> None:
    desk.env["GITMEM_INDEX_COMMITS"] = "1"
    assert desk.run("index").commits == 1
    desk.env["GITMEM_INDEX_COMMITS"] = "100"
    assert desk.run("index").commits == 2


def test_a_model_that_is_not_there_is_one_sentence_and_the_files_stay(desk: Desk) -> None:
    desk.env["GITMEM_MODEL"] = "fastembed:/nowhere/at/all"
    with pytest.raises(GitmemError) as output:
        desk.run("index")
    assert output.value.hint
    database = opened(desk)
    assert len(indexed_files.blob_ids_and_chunkers_by_path(database, str(desk.place))) == 2
    database.close()
    desk.env["GITMEM_MODEL"] = "hashed"
    assert desk.run("index").vectors == 5


@pytest.mark.parametrize("arm", TRAPS, ids=lambda arm: arm.__name__.removeprefix("set_"))
def test_no_program_of_the_repository_runs(
    tmp_path: Path, arm: Callable[[Trap], tuple[str, ...]]
) -> None:
    """CF-12 and reliability 3.3; that each trap has its sting is shown in test_hostile."""
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("First", {"a.txt": "a\n", "src/b.txt": "b\n"})
    program, mark = tmp_path / "canary", tmp_path / "sang"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    trap = Trap(repo, program, mark)
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_index=True, no_hooks=True)
    repo.commit("Second", {"a.txt": "a\n", "c.txt": "c\n"})
    arm(trap)
    trap.stale()
    trap.sprung()
    done = desk.run("index")
    desk.run("index", dry_run=True)
    desk.run("index", action="prune")
    assert done.commits >= 2
    assert not trap.sprung()


def test_the_operation_is_known_by_its_name() -> None:
    assert operations.load_operation("index").effect == "write"


# --- syntax that cannot be read ------------------------------------------------------------------


def test_files_on_which_the_parser_gave_up_are_reported(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        worker_pool, "LIMITS", worker_pool.WorkerLimits(parse="tests.indexing.bad_grammars:parse")
    )
    repo.commit("Odd", {"good.py": "x = 1\n", "bad.py": "LEAVE = 1\n", "worse.py": "LEAVE = 2\n"})
    done = desk.run("index")
    assert (done.gave_up, done.skipped) == (2, 0)
    assert "2 files: could not be parsed, split by lines" in index_operation.view(done)
    assert "could not be parsed" not in index_operation.view(desk.run("index"))


def test_a_run_waits_for_no_disk_and_leaves_others_waiting_for_it(
    desk: Desk, repo: RepoBuilder
) -> None:
    """What a power cut takes of an index is made again; a memory afterwards must be on the disk."""
    repo.commit("More", {"a.py": "x = 1\n"})
    app, observed = desk.app(), set[int]()
    app.progress = lambda *_: observed.add(app.store.value("PRAGMA synchronous"))
    refresh.refresh_index(app)
    after = app.store.value("PRAGMA synchronous")
    app.close()
    assert (observed, after) == ({1}, 2)


def test_a_path_that_is_not_there_is_refused_and_a_deleted_one_is_not(
    desk: Desk, repo: RepoBuilder
) -> None:
    """CE-22."""
    repo.commit("One more", {"late/more.py": "x = 1\n"})
    desk.run("index")
    shutil.rmtree(repo.path / "late")
    assert desk.run("index", path=("late",)).dropped == 1
    for path in ("late", "nowhere/at.all"):
        with pytest.raises(NotFound, match=f"no file or folder '{path}'"):
            desk.run("index", path=(path,))
