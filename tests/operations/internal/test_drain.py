"""`gitmem drain`: what it makes of events that tell less than they might."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from gitmem.app import App
from gitmem.background import follow
from gitmem.clock import FixedClock
from gitmem.errors import ForeignFile, GitmemError
from gitmem.githooks import installer
from gitmem.indexing import refresh
from gitmem.maintenance import index_request
from gitmem.operations.internal import drain
from gitmem.operations.registry import EmptyRequest
from gitmem.spool import event_log, git_events, lease
from gitmem.spool.git_events import RewriteEvent
from gitmem.store.code import commits, indexed_files
from gitmem.store.db import seals
from tests.support.apps import MINUTE, Desk
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.stores import open_store

NOBODY = ("/nonexistent/gitmem-for-tests",)


@pytest.fixture
def desk(repo: RepoBuilder, ready: SetUp) -> Desk:
    """Indexed, with a post-rewrite hook of the user's, so that its input is not ours to read."""
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    ready(made, no_hooks=True)
    hook = repo.path / ".git" / "hooks" / "post-rewrite"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ncat >/dev/null\n")
    hook.chmod(0o755)
    app = made.app()
    installer.install_hooks(
        app.layout,
        NOBODY,
        known_git_version=(2, 39),
        token=seals.derive_log_line_token(app.signing_key),
    )
    app.close()
    return made


def noted(desk: Desk, place: Path | None = None) -> list[RewriteEvent]:
    """The rewrites that wait in the spool, as the drain completes them; they stay there."""
    app = desk.app(place=place)
    folder = desk.store.parent / "spool"
    lines = b"".join(path.read_bytes() for path in sorted(folder.glob("events*")))
    events = [
        follow.add_amended_commit_pair(app, event)
        for event in git_events.parse_git_events(lines, "k", desk.token)[0]
    ]
    app.close()
    return [event for event in events if isinstance(event, RewriteEvent)]


def test_an_amend_without_its_pair_is_found_in_the_reflog(desk: Desk, repo: RepoBuilder) -> None:
    old = repo.head()
    repo.git("commit", "-q", "--amend", "-m", "Mend the cart better")
    new = repo.head()
    repo.commit("Later", {"later.py": "x = 1\n"})  # the branch goes on before anybody reads
    assert [event.old_new_pairs for event in noted(desk)] == [((old, new),)]
    assert desk.run("drain").events == 3
    database = open_store(str(desk.store))
    assert old not in commits.indexed_commit_ids(database)
    assert new in commits.indexed_commit_ids(database)
    database.close()
    (entry,) = [entry for entry in desk.run("timeline").entries if entry.type == "rewrite"]
    assert entry.text == "amend rewrote 1 commit"


def test_two_amends_in_a_row_are_distinguished(desk: Desk, repo: RepoBuilder) -> None:
    first = repo.head()
    repo.git("commit", "-q", "--amend", "-m", "two")
    second = repo.head()
    repo.git("commit", "-q", "--amend", "-m", "three")
    assert [event.old_new_pairs for event in noted(desk)] == [
        ((first, second),),
        ((second, repo.head()),),
    ]


def test_an_amend_on_a_detached_head_and_in_a_linked_work_tree(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    old = repo.head()
    linked = repo.worktree(tmp_path / "linked", "side")
    linked.git("commit", "-q", "--amend", "-m", "on the side")
    assert noted(desk)[0].old_new_pairs == ((old, linked.head()),)
    repo.git("checkout", "-q", "--detach")
    repo.git("commit", "-q", "--amend", "-m", "detached")
    assert noted(desk)[1].old_new_pairs == ((old, repo.head()),)


def test_without_a_reflog_the_event_stays_as_it_is(desk: Desk, repo: RepoBuilder) -> None:
    repo.git("-c", "core.logAllRefUpdates=false", "commit", "-q", "--amend", "-m", "x")
    repo.git("reflog", "expire", "--expire=now", "--all")
    assert [event.old_new_pairs for event in noted(desk)] == [()]
    assert desk.run("drain").events == 2


def test_a_hook_that_got_the_pairs_needs_no_reflog(desk: Desk, repo: RepoBuilder) -> None:
    app = desk.app()
    pair = ("a" * 40, "b" * 40)
    event = RewriteEvent("k", None, "refs/heads/main", repo.head(), "amend", (pair,))
    assert follow.add_amended_commit_pair(app, event) is event
    app.close()


def test_a_drain_that_goes_on_sees_the_commit_that_came_meanwhile(
    desk: Desk, repo: RepoBuilder
) -> None:
    """Its own HEAD is that of the beginning: a commit during the first round would be missed."""
    repo.commit("During the first round", {"first.py": "f = 1\n"})
    app = desk.app()
    assert app.git_head.commit == repo.head()
    assert follow.update_worktrees(app) == 1
    late = repo.commit("Meanwhile", {"late.py": "x = 1\n"})
    assert drain.process_recorded_events(app, EmptyRequest()).trees == 1
    assert late in commits.indexed_commit_ids(app.store)
    app.close()


def test_what_is_noted_during_a_drain_is_dealt_with_by_the_same(
    desk: Desk, repo: RepoBuilder
) -> None:
    """Its hook found a drain at work, and started none."""
    repo.commit("Before", {"before.py": "b = 1\n"})
    folder = desk.store.parent / "spool"
    late: list[str] = []

    class Meanwhile(FixedClock):
        """Asked for the time once the first events are taken, it lets somebody commit."""

        def now(self) -> int:
            if not (folder / "events").exists() and not late:
                assert lease.is_spool_lease_held(str(folder))
                late.append(repo.commit("Meanwhile", {"late.py": "x = 1\n"}))
            return super().now()

    app = desk.app()
    app.clock = Meanwhile(app.now)
    assert drain.process_recorded_events(app, EmptyRequest()).events == 2
    assert late[0] in commits.indexed_commit_ids(app.store)
    assert not event_log.count_unread_log_bytes(str(folder))
    app.close()


def test_a_store_that_came_with_a_clone_leads_nowhere(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "events").write_bytes(b"somebody's\n")
    gitmem = desk.store.parent
    (gitmem / ".gitignore").unlink()
    for name in ("sessions", "spool"):
        shutil.rmtree(gitmem / name, ignore_errors=True)
        (gitmem / name).symlink_to(victim)
    repo.git("add", "-f", ".gitmem")
    with pytest.raises(ForeignFile):
        desk.run("drain")
    assert [item.name for item in victim.iterdir()] == ["events"]


def test_a_linked_work_tree_in_which_something_happened_is_indexed(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    """Its hook names it; the drain always starts in the main one."""
    repo.worktree(tmp_path / "quiet", "quiet")
    desk.run("drain")
    app = desk.app()
    indexed_files.delete_other_worktrees(app.store, [str(repo.path)])
    app.close()
    linked = repo.worktree(tmp_path / "a tree with blanks", "side")
    linked.commit("There", {"there.py": "def only_there(): ...\n"})
    moved = tmp_path / "moved"
    repo.git("worktree", "move", str(linked.path), str(moved))  # before anybody follows
    desk.run("drain")
    there = desk.at(moved)
    assert [hit.path for hit in there.run("search", query="only_there", path="*.py").hits] == [
        "there.py"
    ]
    app = desk.app()
    assert indexed_files.indexed_worktrees(app.store) == sorted([str(repo.path), str(moved)])
    app.close()


def test_a_work_tree_that_is_gone_keeps_the_others_from_nothing(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    gone = repo.worktree(tmp_path / "gone", "gone")
    gone.commit("There", {"gone.py": "x = 1\n"})
    shutil.rmtree(gone.path)
    stays = repo.worktree(tmp_path / "stays", "stays")
    sha = stays.commit("Stays", {"stays.py": "x = 1\n"})
    desk.run("drain")
    found = desk.at(stays.path).run("search", query="stays", path="*.py")
    assert (found.index.state, found.index.commit) == ("current", sha)


def test_a_request_for_the_index_of_a_work_tree_is_followed(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    """After a reset no hook tells of anything."""
    repo.git("reset", "-q", "--hard", "HEAD~1")
    desk.clock.advance(MINUTE)
    app = desk.app()
    assert index_request.is_index_refresh_due(app)
    assert index_request.request_index_refresh(app)
    assert drain.process_recorded_events(app, EmptyRequest()).trees == 1
    assert not index_request.is_index_refresh_due(app)
    app.close()


@pytest.mark.parametrize("name", ["..", "a/b", "", "../../elsewhere"])
def test_a_name_in_the_spool_leads_nowhere(desk: Desk, name: str) -> None:
    folder = desk.store.parent / "spool"
    (folder / "events").write_bytes(f"{desk.token} gm1 tree - - - {name}\n".encode())
    assert desk.run("drain").events == 0


def test_an_index_run_settles_what_the_drain_would(desk: Desk, repo: RepoBuilder) -> None:
    """A squash merge is seen at once, and what the hooks noted is dealt with."""
    repo.branch("side")
    repo.commit("On the side", {"side.py": "s = 1\n"})
    made = desk.run("remember", text="The okapi is kept in the west stable", kind="fact")
    repo.switch("main")
    repo.git("merge", "-q", "--squash", "side")
    repo.commit("Squashed")
    repo.git("branch", "-q", "-D", "side")
    desk.clock.advance(MINUTE)
    desk.run("index")
    assert not event_log.count_unread_log_bytes(str(desk.store.parent / "spool"))
    assert made.id in [memory.id for memory in desk.run("list").memories]


def spool(desk: Desk, place: Path, *paths: str) -> None:
    """What the hook of an agent notes after it edited files of a worktree."""
    layout = desk.app(place=place).layout
    name = git_events.worktree_name_in_events(layout.git_dir, is_linked=layout.linked)
    assert git_events.record_edited_files(str(desk.store.parent / "spool"), name, paths, desk.token)


def found(desk: Desk, query: str) -> tuple[str, list[str], int]:
    """The state that a search tells, the files that it finds, and how many it read again."""
    result = desk.run("search", query=query, mode="keyword", sources=("code",))
    return result.index.state, [hit.path for hit in result.hits], result.index.reread


def test_files_that_were_edited_are_indexed_and_no_others(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    """CF-28: in the main and in a linked worktree; what was not noted waits for who looks."""
    linked = repo.worktree(tmp_path / "linked", "side")
    there = desk.at(linked.path)
    there.run("index")
    repo.write(
        {"src/cart/cart.py": "def okapi():\n    return 1\n", "zebra.py": "def zebra(): ...\n"}
    )
    linked.write({"a new/gnu.py": "def gnu():\n    return 1\n"})
    spool(desk, repo.path, "src/cart/cart.py")
    spool(desk, linked.path, "a new/gnu.py")
    assert desk.run("drain").trees == 2
    assert found(desk, "okapi") == ("current", ["src/cart/cart.py"], 0)
    assert found(there, "gnu") == ("current", ["a new/gnu.py"], 0)
    assert found(desk, "zebra")[:2] == ("stale", [])
    (repo.path / "src/cart/cart.py").unlink()
    (linked.path / "a new").rename(linked.path / "moved")
    spool(desk, repo.path, "src/cart/cart.py", "never/there.py", ".git/config")
    spool(desk, linked.path, "a new", "moved")  # folders stand for what is in them
    assert desk.run("drain").trees == 2
    assert found(desk, "okapi")[1] == []
    assert found(there, "gnu") == ("current", ["moved/gnu.py"], 0)


def test_a_commit_in_one_worktree_looks_at_no_other(
    desk: Desk, repo: RepoBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CF-28: with two hundred worktrees each commit would cost two hundred looks."""
    linked = repo.worktree(tmp_path / "linked", "side")
    desk.at(linked.path).run("index")
    desk.run("drain")
    looked: list[str] = []
    real = refresh.plan_index_update

    def noting(app: App, *, all_files: bool = True) -> refresh.IndexPlan:
        looked.append(app.worktree)
        return real(app, all_files=all_files)

    monkeypatch.setattr(refresh, "plan_index_update", noting)
    linked.commit("There", {"there.py": "def only_there(): ...\n"})
    assert desk.run("drain").trees == 1
    # And there once, for what is behind and for the run that follows it.
    assert looked == [str(linked.path)]


def test_a_hundred_edits_are_one_refresh(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    query: list[int] = []
    real = refresh.refresh_index_of_paths

    def counted(app: App, paths: Sequence[str]) -> refresh.IndexRun:
        query.append(len(paths))
        return real(app, paths)

    monkeypatch.setattr(refresh, "refresh_index_of_paths", counted)
    for n in range(100):
        repo.write({f"src/m{n % 10}.py": f"def okapi_{n}():\n    return {n}\n"})
        spool(desk, repo.path, f"src/m{n % 10}.py")
    assert desk.run("drain").trees == 1
    assert query == [10]
    assert found(desk, "okapi_99")[1] == ["src/m9.py"]


def test_edits_where_nothing_is_indexed_yet_or_all_is_looked_at_anyway(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    linked = repo.worktree(tmp_path / "linked", "side")
    linked.write({"gnu.py": "def gnu():\n    return 1\n"})
    spool(desk, linked.path, "gnu.py")
    assert desk.run("drain").trees == 1
    assert found(desk.at(linked.path), "gnu") == ("current", ["gnu.py"], 0)
    repo.commit("Okapi", {"okapi.py": "def okapi():\n    return 1\n"})
    repo.write({"okapi.py": "# above\ndef okapi():\n    return 1\n"})
    spool(desk, repo.path, "okapi.py")
    assert desk.run("drain").trees == 1
    assert found(desk, "okapi") == ("current", ["okapi.py"], 0)


def test_an_index_run_leaves_out_what_the_drain_did(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which memories belong here is found out once, not for the events and then again."""
    observed: list[str] = []
    real = follow.refresh_memory_visibility
    monkeypatch.setattr(
        follow, "refresh_memory_visibility", lambda app: (observed.append(app.worktree), real(app))
    )
    repo.commit("Okapi", {"okapi.py": "def okapi():\n    return 1\n"})
    desk.run("index")
    assert observed == [str(repo.path)]


def branches(desk: Desk) -> list[str]:
    """The branches of the checkouts on the timeline, as they were recorded."""
    entries = desk.run("timeline", since="2001-01-01", limit=100).entries
    return sorted(entry.text for entry in entries if entry.type == "checkout")


def test_no_switch_is_lost_by_drains_that_died_with_what_they_had_taken(
    desk: Desk, repo: RepoBuilder
) -> None:
    """Their files were read in another order, and then "the same branch again" was no news."""
    folder = str(desk.store.parent / "spool")
    repo.git("branch", "side")
    repo.switch("side")
    desk.run("drain")
    for branch, pid in (("main", 9998), ("side", 10001)):
        repo.switch(branch)
        event_log.rotate_log_file(
            folder, now_ms=desk.clock.now(), pid=pid
        )  # all that a killed one did
    desk.run("drain")
    assert branches(desk) == ["switched to main", "switched to side", "switched to side"]


def test_no_switch_is_lost_when_the_clock_goes_back(desk: Desk, repo: RepoBuilder) -> None:
    folder = desk.store.parent / "spool"
    folder.mkdir(exist_ok=True)
    old, new = "a" * 40, "b" * 40
    for at, branch in ((1_790_009_000, "main"), (1_790_001_000, "side"), (1_790_001_001, "main")):
        line = f"{desk.token} gm1 checkout {at} refs/heads/{branch} {new} {old} {new} 1\n"
        (folder / "events").write_text(line)
        desk.run("drain")
    assert branches(desk) == ["switched to main", "switched to main", "switched to side"]


def test_a_clone_that_is_moved_during_a_drain_loses_nothing(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    """The drain has the store open; what it can no longer do the next one does at the new place."""
    repo.git("branch", "side")
    repo.switch("side")
    repo.commit("Moved", {"moved.py": "def moved_word(): ...\n"})
    app = desk.app()
    assert app.store and app.has_store
    moved = tmp_path / "elsewhere" / "repo"
    moved.parent.mkdir()
    repo.path.rename(moved)
    with suppress(GitmemError):
        follow.process_hook_events(app)
    app.close()
    assert not repo.path.exists()  # nothing is made at the old place
    there = desk.at(moved)
    there.run("drain")
    there.run("index")
    assert branches(there) == ["switched to side"]
    assert there.run("search", query="moved_word").hits[0].path == "moved.py"
    found = {finding.check: finding.state for finding in there.run("doctor").findings}
    assert (found["structure"], found["files"]) == ("ok", "ok")
