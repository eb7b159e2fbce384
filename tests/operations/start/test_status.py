"""`gitmem status`: the index in one line: whole, behind, being made now, not made yet."""

from __future__ import annotations

import os
from pathlib import Path

from gitmem.indexing import index_summary
from gitmem.indexing.index_summary import IndexSummary
from gitmem.spool import lease
from gitmem.store.code.tree_state import WorktreeIndexState, set_worktree_index_state
from tests.support.apps import MINUTE, Desk
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.stores import open_store


def line(desk: Desk) -> str:
    """The line of the index, as a person reads it."""
    (found,) = [
        splitline
        for splitline in desk.text("status").splitlines()
        if splitline.startswith("  index ")
    ]
    return found.removeprefix("  index").strip()


def set_tree(desk: Desk, repo: RepoBuilder, at: int) -> None:
    """As a run leaves it that began ``at`` and was killed, or is still at work."""
    database = open_store(str(desk.store))
    with database.write():
        set_worktree_index_state(
            database, str(repo.path), WorktreeIndexState("", "", "building", at)
        )
    database.close()


def test_each_state_of_an_index_has_its_line(repo: RepoBuilder, ready: SetUp) -> None:
    desk = Desk(repo.path, repo.home)
    assert desk.run("status").index == IndexSummary()
    assert "  index " not in desk.text("status")  # nothing is set up
    ready(desk, no_index=True, no_hooks=True)
    assert line(desk) == "not indexed yet: run `gitmem index`"
    desk.run("index")
    result = desk.run("status").index
    database = open_store(str(desk.store))
    pieces = database.value("SELECT count(*) FROM chunks")
    database.close()
    assert (result.state, result.running, result.commit, result.pieces) == (
        *("current", False),
        *(repo.head(), pieces),
    )
    assert result.at == "2026-11-21T08:03:42Z"
    assert line(desk) == f"whole at {repo.head()[:10]}, {pieces} pieces, just now"
    desk.clock.advance(5 * MINUTE)
    assert line(desk).endswith(" pieces, 5 minutes ago")
    repo.commit("New", {"new.py": "def new(): ...\n"})
    assert line(desk) == "behind by new commits: run `gitmem index`"
    folder = desk.store.parent / "spool"
    folder.mkdir()
    held = lease.try_take_spool_lease(str(folder), os.getpid())
    assert held is not None
    result = desk.run("status").index
    assert (result.state, result.running) == ("stale", True)
    assert line(desk) == f"indexing now, {pieces} pieces so far"
    held.release()
    desk.run("index")
    (repo.path / "new.py").write_text("def renewed(): ...\n")
    repo.git("add", "new.py")
    assert line(desk) == "behind by 1 edited file: run `gitmem index`"
    repo.git("stash", "-q")
    assert line(desk).startswith(f"whole at {repo.head()[:10]}, ")


def test_a_run_that_died_is_not_at_work_for_ever(repo: RepoBuilder, ready: SetUp) -> None:
    desk = ready(Desk(repo.path, repo.home), no_index=True, no_hooks=True)
    set_tree(desk, repo, desk.clock.now())
    assert line(desk) == "indexing now"
    desk.clock.advance(2 * MINUTE)
    assert line(desk) == "not indexed yet: run `gitmem index`"


def test_without_files_it_says_why_there_are_no_pieces(repo: RepoBuilder, ready: SetUp) -> None:
    desk = ready(Desk(repo.path, repo.home), no_index=True, no_hooks=True)
    desk.env["GITMEM_INDEX_ENABLED"] = "0"
    desk.run("index")
    assert line(desk) == "of commits alone (index.enabled is 0), just now"


def test_it_counts_what_its_own_worktree_shows(
    repo: RepoBuilder, ready: SetUp, tmp_path: Path
) -> None:
    desk = ready(Desk(repo.path, repo.home), no_hooks=True)
    whole = desk.run("status").index.pieces
    repo.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
    other = desk.at(tmp_path / "other")
    assert other.run("status").index.state == "unknown"
    (tmp_path / "other" / "more.py").write_text("def more(): ...\n")
    other.run("index")
    assert (desk.run("status").index.pieces, other.run("status").index.pieces) == (whole, whole + 1)


def test_the_lines_of_an_index_in_words() -> None:
    for summary, expected in (
        (IndexSummary("stale"), "behind: run `gitmem index`"),
        (IndexSummary("current", pieces=1234, age="just now"), "whole, 1234 pieces, just now"),
    ):
        assert index_summary.describe_index(summary) == expected


def test_what_waits_in_the_inbox_is_reported(desk: Desk) -> None:
    assert desk.run("status").waiting == 0
    assert "gitmem inbox" not in desk.text("status")
    for why in ("One file", "No daemon", "It is fast"):
        desk.run("decide", title="Use SQLite", why=why)
    assert desk.run("status").waiting == desk.run("inbox").total > 1
    assert f"inbox    {desk.run('inbox').total} suggestions wait: `gitmem inbox`" in desk.text(
        "status"
    )
